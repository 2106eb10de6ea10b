#include "compiler/codegen/cuda/cuda_source.h"

#include "compiler/codegen/c/comment.h"
#include "compiler/codegen/cuda/cuda_host.h"
#include "compiler/codegen/cuda/cuda_kernel.h"
#include "compiler/codegen/cuda/cuda_names.h"
#include "compiler/codegen/kernel_source/host_check.h"
#include "compiler/codegen/kernel_source/host_text.h"
#include "compiler/codegen/kernel_source/kernel_form.h"
#include "compiler/codegen/nvptx/architecture.h"
#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <cctype>

namespace loopscope::codegen {

namespace {

CDialect device_dialect(bool with_main) {
    CDialect dialect;
    // The reference calls the small functions too.
    dialect.function = with_main ? "static __host__ __device__ inline" : "static __device__ inline";
    dialect.alone = "__restrict__";
    dialect.names_rounding = true;
    return dialect;
}

CDialect host_dialect() {
    CDialect dialect;
    dialect.alone = "__restrict__";
    dialect.aligned = "alignas(64)";
    dialect.casts_pointers = true;
    return dialect;
}

KernelRules rules_of(const Architecture& architecture) {
    KernelRules rules;
    rules.language = "CUDA C++";
    rules.has_warps = true;
    rules.has_tma = architecture.has_bulk_tensor_copies();
    rules.architecture = architecture.number;
    rules.architecture_name = architecture.name;
    rules.most_blocks = {(std::int64_t{1} << 31) - 1, 65535, 65535};
    rules.most_threads = {1024, 1024, 64};
    rules.most_threads_of_block = 1024;
    return rules;
}

constexpr const char* kRoundedByName[] = {"__fmul_rn", "__dmul_rn", "__fdiv_rn", "__ddiv_rn"};
constexpr const char* kRoots[] = {"__fsqrt_rn", "__dsqrt_rn"};

constexpr const char* kRounding =
    R"( * Products, quotients and roots of floats say how they round: nvcc fuses no such product with a sum.
)";
constexpr const char* kSameBits =
    R"( * The results have the same bits on every GPU, with -fmad=true as well, except that a NaN may be any NaN; not with
 * -use_fast_math, which flushes denormals.
)";
constexpr const char* kOwnOrder =
    R"( * Tensor cores sum the products of one instruction in an order and with roundings of their own, which may differ from
 * one architecture to the next; all else has the same bits on every GPU. -use_fast_math would flush denormals besides.
)";
constexpr const char* kAnyOrder =
    R"( * Threads add floats to one element in the order in which they come: from run to run the results may differ by
 * roundings. -use_fast_math would flush denormals besides.
)";

// The reference must not be fused either; and nvcc knows no pragma of another compiler.
constexpr const char* kHostCompiler = R"(
#ifndef __CUDA_ARCH__ // the host, which checks the kernels
#ifdef __NVCC__
#pragma nv_diag_suppress 1675
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off", "rounding-math", "no-trapping-math", "no-tree-slp-vectorize")
#endif
)";

class CudaFile {
public:
    CudaFile(const lower::Program& program, const CudaOptions& options)
        : program_(program),
          options_(options),
          dialect_(device_dialect(options.with_main)),
          host_dialect_(host_dialect()),
          names_(cuda_names()),
          helpers_(names_, dialect_),
          file_(program, options, names_, helpers_, host_dialect_) {
        file_.add_kernels([&](const lower::Launch& launch) {
            const auto architecture = architecture_of(options_.architecture);
            return std::make_unique<CudaKernel>(architecture && architecture->has_clusters(),
                                                names_, helpers_, dialect_, program_, launch);
        });
        if (options.with_main) {
            file_.add_references();
            use_host_helpers(program, file_.host_helpers());
        }
    }

    CSource source() {
        CWriter out;
        out.verbatim(head());
        includes(out);
        out.verbatim(rounding());
        out.append(file_.functions());
        out.append(file_.kernels_text());
        out.append(cuda_launcher(program_, file_.function(), file_.kernels(), names_));
        if (options_.with_main)
            host(out);
        return {out.text(), out.origins(), file_.function()};
    }

private:
    std::string head() const {
        auto text = about_program(program_, options_.sizes, options_.schedule);
        const auto flags = "    nvcc -std=c++17 -O3 -fmad=false " + target();
        comment_line(text, "CUDA C++17. For example:");
        comment_line(text, flags + (options_.with_main
                                        ? " -Xcompiler -ffp-contract=off FILE.cu -o PROGRAM"
                                        : " -c FILE.cu"));
        if (options_.checks())
            text += " *\n" + check_comment(options_.check) + " *\n";
        return text + kRounding + results() + " */\n";
    }

    const char* results() const {
        if (rounds_in_any_order(program_))
            return kAnyOrder;
        const bool own = std::any_of(
            program_.launches.begin(), program_.launches.end(), [](const lower::Launch& launch) {
                return lower::any_statement(launch.body, [&](const lower::Statement& s) {
                    return lower::rounds_as_it_likes(s);
                });
            });
        return own ? kOwnOrder : kSameBits;
    }

    // For sm_90a alone, nvcc would make code of sm_90 besides, which has not all of its
    // instructions.
    std::string target() const {
        const auto& name = options_.architecture;
        if (!std::isalpha(static_cast<unsigned char>(name.back())))
            return "-arch=" + name;
        return "-gencode arch=compute_" + name.substr(name.find('_') + 1) + ",code=" + name;
    }

    void includes(CWriter& out) const {
        const bool asks = asks_tma(file_.kernels());
        if (asks)
            out.line("#include <cuda.h> // types: nothing of the driver is linked");
        for (auto header : {"float.h", "math.h", "stdint.h"})
            out.line(std::string("#include <") + header + ">");
        if (options_.with_main || asks)
            out.line("#include <stdio.h>");
        if (options_.with_main)
            out.line("#include <stdlib.h>");
        if (options_.with_main || file_.says("memcpy("))
            out.line("#include <string.h>");
    }

    // The host's compiler has no functions that round by name.
    std::string rounding() const {
        if (!options_.with_main)
            return {};
        std::string text;
        for (const std::string name : kRoundedByName)
            if (file_.says(name + "("))
                text +=
                    "#define " + name + "(a, b) ((a) " + (name[3] == 'm' ? "*" : "/") + " (b))\n";
        for (const std::string name : kRoots)
            if (file_.says(name + "("))
                text += "#define " + name + "(a) " + (name[2] == 'f' ? "sqrtf" : "sqrt") + "(a)\n";
        return kHostCompiler + text + "#endif\n";
    }

    void host(CWriter& out) {
        file_.write_host(out);
        out.verbatim(cuda_main(program_, file_.function(), options_.checks()));
    }

    const lower::Program& program_;
    const CudaOptions& options_;
    const CDialect dialect_, host_dialect_;
    CNames names_;
    CudaHelpers helpers_;
    KernelFile file_;
};

} // namespace

Result<CSource> cuda_source(const lower::Program& program, const CudaOptions& options) {
    auto architecture = architecture_of(options.architecture);
    if (!architecture)
        return architecture.errors();
    if (auto problems = check_kernels(program, rules_of(*architecture)); has_errors(problems))
        return problems;
    if (options.with_main)
        if (auto problems = check_for_main(program, "CUDA C++"); has_errors(problems))
            return problems;
    return CudaFile(program, options).source();
}

} // namespace loopscope::codegen
