#pragma once
// A loop program compiled for this machine's processor.

#include "compiler/codegen/compiled_text.h"
#include "compiler/lower/program.h"
#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace loopscope::codegen {

struct HostOptions {
    // keep LLVM IR and assembly for reading; costs about as much again as compiling
    bool keep_text = false;
    // Features of the processor not to be used, with all that need them: "avx512f", "avx",
    // "sse4.1". For code that is to run on lesser processors, and for testing that it would.
    std::vector<std::string> without;
};

class HostProgram {
public:
    // Expects the final form: flat, loops serial or parallel only, launches on the host. Errors: a
    // construct that host code does not have, named with the statement it stands in. Arithmetic on
    // f16 and bf16 is a pass's work (half_arithmetic); a tuple's parts are buffers of their own.
    static Result<std::unique_ptr<HostProgram>> compile(const lower::Program& program,
                                                        const HostOptions& options = {});
    virtual ~HostProgram() = default;

    // Runs all launches in order. `buffers`: the data of the program's arguments in their order,
    // aligned to 64 bytes and as large as Argument::extents say; `symbols`: the values of
    // Program::symbols in their order. `threads`: how many run parallel loops, 0: as many as there
    // are processors.
    virtual Status run(const std::vector<void*>& buffers, int threads = 1,
                       const std::vector<std::int64_t>& symbols = {}) const = 0;

    // The IR of a program compiled with keep_text; otherwise empty.
    virtual const OriginText& ir_as_built() const = 0;
    virtual const OriginText& ir_optimized() const = 0;
    virtual const OriginText& assembly() const = 0;
    virtual const CompileSeconds& seconds() const = 0;
};

constexpr std::size_t kBufferAlignment = 64;

} // namespace loopscope::codegen
