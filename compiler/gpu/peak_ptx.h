#pragma once
// Kernels that do one thing as fast as a GPU can, as PTX. Their results mean nothing, but are
// written, so that no compiler can leave them out. No operand is zero: data without bits to turn
// take less power, and clocks then stay higher than for real data.

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope::gpu {

struct PeakKernel {
    std::string type;         // "f16"
    std::string architecture; // that the PTX is for
    // One entry, `peak`, that takes the address it writes to (a copy: first the one it reads)
    std::string ptx;
    int threads = 256; // of a block
    // that all run at once, so that there is no last wave of a few
    int blocks_per_multiprocessor = 4;
    double flops_per_block = 0; // multiply-adds counted as two; integer operations alike
    int bytes_per_thread = 16;  // that it writes
};

// Copies 16 KiB a block of 256 threads, 16 bytes at a time; as many blocks as the array has.
PeakKernel copy_kernel();
inline constexpr std::int64_t kCopyBytesPerBlock = 16 << 10;

// Chains of multiply-adds without tensor cores: "f32", "f64", "f16", "bf16", "i32", those that the
// architecture has.
std::vector<PeakKernel> multiply_add_kernels(int capability);

// Tensor cores, by operand: "f16", "bf16", "tf32", "i8", "e4m3", "f64". From compute capability 8.0
// on, by mma.sync; of 9.0 by wgmma with both operands in shared memory, but for f64, which it does
// not have. Older: none.
std::vector<PeakKernel> tensor_kernels(int capability);

} // namespace loopscope::gpu
