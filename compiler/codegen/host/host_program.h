#pragma once
// A loop program compiled for this machine's processor.

#include "compiler/lower/program.h"
#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace loopscope::codegen {

struct HostOptions {
    bool keep_text =
        false; // keep LLVM IR and assembly for reading; costs about as much again as compiling
    // Features of the processor not to be used, with all that need them: "avx512f", "avx", "sse4.1". For code that is
    // to run on lesser processors, and for testing that it would.
    std::vector<std::string> without;
};

// A text with, for each of its lines, the tree node that the line comes from (the root's id where none is known:
// declarations, and what LLVM merged from several places).
struct OriginText {
    std::string text;
    std::vector<NodeId> lines;
};

struct CompileSeconds {
    double build = 0; // loop program -> LLVM IR
    double optimise =
        0; // LLVM's O2, without its loop vectoriser, SLP, unroller and idiom recognition
    double generate = 0; // -> machine code
    double link = 0;
    double total() const { return build + optimise + generate + link; }
};

class HostProgram {
public:
    // Expects the final form: flat, loops serial or parallel only, launches on the host. Errors: a construct that
    // host code does not have, named with the statement it stands in. Arithmetic on f16 and bf16 is a pass's work
    // (half_arithmetic); a tuple's parts are buffers of their own.
    static Result<std::unique_ptr<HostProgram>> compile(const lower::Program& program,
                                                        const HostOptions& options = {});
    virtual ~HostProgram() = default;

    // Runs all launches in order. `buffers`: the data of the program's arguments in their order, aligned to 64 bytes
    // and as large as Argument::extents say; `symbols`: the values of Program::symbols in their order.
    // `threads`: how many run parallel loops, 0: as many as there are processors.
    virtual Status run(const std::vector<void*>& buffers, int threads = 1,
                       const std::vector<std::int64_t>& symbols = {}) const = 0;

    // Of a program compiled with keep_text; otherwise empty.
    virtual const OriginText& ir_as_built() const = 0;
    virtual const OriginText& ir_optimised() const = 0;
    virtual const OriginText& assembly() const = 0;
    virtual const CompileSeconds& seconds() const = 0;
};

constexpr std::size_t kBufferAlignment = 64;

} // namespace loopscope::codegen
