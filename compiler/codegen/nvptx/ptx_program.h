#pragma once
// A loop program's launches on a device as PTX, by LLVM's NVPTX back end, in this process. No CUDA
// toolkit takes part.

#include "compiler/codegen/compiled_text.h"
#include "compiler/lower/program.h"
#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace loopscope::codegen {

struct PtxOptions {
    std::string architecture = "sm_80"; // "sm_75", "sm_80", "sm_90", "sm_90a", …
    bool keep_ir = false;               // keep LLVM IR for reading
};

// The tensor map of bulk copies out of a buffer: a description of the array for the tensor memory
// accelerator (TMA), a CUtensorMap. Whoever launches the kernel makes it of the buffer's address,
// type and extents, for boxes of these extents.
struct TensorMap {
    std::string buffer;
    std::vector<std::int64_t> box; // along its dimensions, the last contiguous
    // bytes of the pattern that rows are permuted by in shared memory: 32, 64, 128; 0: none
    int swizzle = 0;
    bool operator==(const TensorMap&) const = default;
};

// One kernel: how to launch it. Its parameters are pointers to `arguments` in order, then the
// symbols as i64, then pointers to the tensor maps, in global memory, each at a multiple of 128
// bytes.
struct PtxKernel {
    std::string name; // of the .entry
    std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
    std::array<std::int64_t, 3> cluster{1, 1, 1}; // blocks; grid is a multiple of it
    std::int64_t shared_bytes = 0;                // all of a block's shared memory
    // The part of these that the launch has to ask for: all where it is more than 48 KB, else none
    std::int64_t dynamic_bytes = 0;
    // buffers: of the program's arguments, or its device buffers
    std::vector<std::string> arguments;
    std::vector<TensorMap> tensor_maps;
};

struct PtxProgram {
    OriginText ptx; // one module with all kernels
    OriginText ir_optimized;
    std::vector<PtxKernel> kernels; // of the launches in order
    CompileSeconds seconds;
};

// Expects the final form of device_passes(): flat, launch dimensions at the head, serial loops.
// Errors: a construct that the architecture does not have (asynchronous copies below sm_80), named
// with the statement it stands in.
Result<PtxProgram> compile_ptx(const lower::Program& program, const PtxOptions& options = {});

} // namespace loopscope::codegen
