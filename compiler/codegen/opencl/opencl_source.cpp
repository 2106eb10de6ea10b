#include "compiler/codegen/opencl/opencl_source.h"

#include "compiler/codegen/c/comment.h"
#include "compiler/codegen/c/macros.h"
#include "compiler/codegen/kernel_source/host_check.h"
#include "compiler/codegen/kernel_source/host_text.h"
#include "compiler/codegen/kernel_source/kernel_form.h"
#include "compiler/codegen/opencl/lift_barriers.h"
#include "compiler/codegen/opencl/opencl_host.h"
#include "compiler/codegen/opencl/opencl_kernel.h"
#include "compiler/codegen/opencl/opencl_names.h"

namespace loopscope::codegen {

namespace {

struct Spelling {
    const char *c, *opencl;
};

// What OpenCL C calls otherwise than C, and the small functions use.
constexpr Spelling kTypes[] = {{"int8_t", "char"},     {"uint8_t", "uchar"}, {"int16_t", "short"},
                               {"uint16_t", "ushort"}, {"int32_t", "int"},   {"uint32_t", "uint"},
                               {"int64_t", "long"},    {"uint64_t", "ulong"}};
constexpr Spelling kWords[] = {{"INT8_MIN", "CHAR_MIN"},   {"INT8_MAX", "CHAR_MAX"},
                               {"INT16_MIN", "SHRT_MIN"},  {"INT16_MAX", "SHRT_MAX"},
                               {"INT32_MIN", "INT_MIN"},   {"INT32_MAX", "INT_MAX"},
                               {"INT64_MIN", "LONG_MIN"},  {"INT64_MAX", "LONG_MAX"},
                               {"UINT8_MAX", "UCHAR_MAX"}, {"UINT16_MAX", "USHRT_MAX"},
                               {"UINT32_MAX", "UINT_MAX"}, {"UINT64_MAX", "ULONG_MAX"},
                               {"INT64_C(n)", "n##L"},     {"UINT64_C(n)", "n##UL"},
                               {"fabsf", "fabs"},          {"floorf", "floor"},
                               {"ceilf", "ceil"},          {"rintf", "rint"},
                               {"sqrtf", "sqrt"},          {"fmaf", "fma"}};
// And the other way round: what C does not have.
constexpr Spelling kBits[] = {
    {"uint32_t", "uint"}, {"float", "float"}, {"uint64_t", "ulong"}, {"double", "double"}};

CDialect dialect_of_kernels() {
    CDialect dialect;
    dialect.names_bits = true;
    return dialect;
}

class OpenclFile {
public:
    OpenclFile(const lower::Program& program, const OpenclOptions& options)
        : program_(program),
          options_(options),
          dialect_(dialect_of_kernels()),
          names_(opencl_names()),
          helpers_(names_, dialect_),
          file_(program, options, names_, helpers_, host_dialect_) {
        file_.add_kernels([&](const lower::Launch& launch) {
            return std::make_unique<OpenclKernel>(names_, helpers_, dialect_, program_, launch);
        });
        if (options.with_main) {
            file_.add_references();
            use_host_helpers(program, file_.host_helpers());
        }
    }

    opencl::Program program() {
        opencl::Program runnable;
        std::map<std::string, std::size_t> memory;
        auto add = [&](const std::string& buffer, ScalarType type,
                       const std::vector<Extent>& extents) {
            std::int64_t size = bytes(type);
            for (const auto& extent : extents)
                size *= extent.hint();
            memory.emplace(buffer, memory.size());
            runnable.memories.push_back(size);
        };
        for (const auto& a : program_.arguments)
            add(a.buffer, a.type, a.extents);
        for (const auto& b : program_.buffers)
            add(b.buffer, b.type, b.extents);
        for (const auto& kernel : file_.kernels()) {
            opencl::Launch launch{kernel.name, {}, {}, {}, kernel.shared_bytes};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                launch.groups[axis] = kernel.shape.blocks_along()[axis];
                launch.items[axis] = kernel.shape.threads_along()[axis];
            }
            for (const auto& buffer : kernel.buffers)
                launch.arguments.push_back(memory.at(buffer.buffer));
            runnable.launches.push_back(std::move(launch));
        }
        runnable.source = source().text;
        runnable.needs_doubles = doubles();
        runnable.needs_long_atomics = long_atomics();
        return runnable;
    }

    CSource source() {
        CWriter out;
        out.verbatim(head());
        const bool both = options_.with_main;
        if (both)
            out.line("#ifdef __OPENCL_VERSION__ // the device's language");
        out.verbatim(preamble());
        if (both) {
            out.line("#else // the host's: C");
            out.verbatim(host_preamble());
            out.line("#endif");
        }
        out.append(file_.functions());
        if (both) {
            out.blank();
            out.line("#ifdef __OPENCL_VERSION__ // the kernels");
        }
        out.append(file_.kernels_text());
        if (both)
            host(out);
        return {out.text(), out.origins(), file_.function()};
    }

private:
    std::string head() const {
        auto text = about_program(program_, options_.sizes, options_.schedule);
        comment_line(text, "OpenCL C 1.2, which later versions take too.");
        if (options_.with_main) {
            comment_line(text,
                         "The file is the host program as well, in C11, and gives itself to the "
                         "device's compiler. For example:");
            comment_line(text, "    cc -std=c11 -O2 -x c FILE.cl -x none -lOpenCL -lm -o PROGRAM");
        } else {
            launches(text);
        }
        if (options_.checks())
            text += " *\n" + check_comment(options_.check) + " *\n";
        comment_line(
            text,
            rounds_in_any_order(program_)
                ? "Work-items add floats to one element in the order in which they come: from run "
                  "to "
                  "run results may differ."
                : "The results have the same bits on every device that rounds quotients and roots "
                  "to the nearest, built with");
        if (!rounds_in_any_order(program_))
            comment_line(
                text,
                "-cl-fp32-correctly-rounded-divide-sqrt, and has denormals, except that a NaN may "
                "be any NaN.");
        return text + " */\n";
    }

    void launches(std::string& text) const {
        comment_line(
            text, "The kernels are to be launched in this order, with global sizes of groups times "
                  "work-items:");
        for (const auto& kernel : file_.kernels()) {
            std::string arguments;
            for (const auto& symbol : kernel.symbols)
                arguments += (arguments.empty() ? "" : ", ") + symbol;
            for (const auto& buffer : kernel.buffers)
                arguments += (arguments.empty() ? "" : ", ") + comment_text(buffer.buffer);
            comment_line(text, "    " + kernel.name + "(" + arguments + "): " +
                                   dimensions_text(kernel.shape.blocks_along()) + " groups of " +
                                   dimensions_text(kernel.shape.threads_along()) + " work-items");
        }
        for (const auto& buffer : program_.buffers) {
            std::int64_t size = bytes(buffer.type);
            for (const auto& extent : buffer.extents)
                size *= extent.hint();
            comment_line(text, "    " + comment_text(buffer.buffer) + " is memory of " +
                                   std::to_string(size) +
                                   " bytes for what they hand on to each other");
        }
    }

    // With a main, also what only the host's side says: harmless there.
    std::string preamble() const {
        std::string text = "#pragma OPENCL FP_CONTRACT OFF\n";
        if (doubles())
            text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
        if (long_atomics())
            text += "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n";
        for (const auto& type : kTypes)
            if (file_.says(type.c))
                text += std::string("typedef ") + type.opencl + " " + type.c + ";\n";
        for (const auto& word : kWords)
            if (file_.says(std::string(word.c).substr(0, std::string(word.c).find('('))))
                text += std::string("#define ") + word.c + " " + word.opencl + "\n";
        return text;
    }

    std::string host_preamble() const {
        std::string text = "#define CL_TARGET_OPENCL_VERSION 120\n"
                           "#include <CL/cl.h>\n";
        for (auto header :
             {"float.h", "math.h", "stdbool.h", "stdint.h", "stdio.h", "stdlib.h", "string.h"})
            text += std::string("#include <") + header + ">\n";
        text += "\n" + guard_text();
        for (const auto& to : kBits) {
            const auto name = std::string("as_") + to.opencl;
            if (!file_.says(name + "("))
                continue;
            const auto& from = kBits[(&to - kBits) ^ 1];
            text += std::string("static inline ") + to.c + " " + name + "(" + from.c +
                    " x) {\n    " + to.c + " y;\n    memcpy(&y, &x, sizeof y);\n    return y;\n}\n";
        }
        return text;
    }

    void host(CWriter& out) {
        out.blank();
        out.line("#else // the host program");
        file_.write_host(out);
        out.verbatim(opencl_main(program_, file_.kernels(), doubles(), options_.check));
        out.line("#endif");
    }

    bool doubles() const { return file_.says("double"); }
    bool long_atomics() const { return file_.says("atom_cmpxchg("); }

    const lower::Program& program_;
    const OpenclOptions& options_;
    const CDialect dialect_, host_dialect_;
    CNames names_;
    OpenclHelpers helpers_;
    KernelFile file_;
};

KernelRules rules_of_opencl() {
    KernelRules rules;
    rules.language = "OpenCL C";
    return rules;
}

} // namespace

Result<CSource> opencl_source(const lower::Program& program, const OpenclOptions& options) {
    const auto rules = rules_of_opencl();
    if (auto problems = check_kernels(program, rules); has_errors(problems))
        return problems;
    if (options.with_main)
        if (auto problems = check_for_main(program, rules.language); has_errors(problems))
            return problems;
    const auto lifted = lift_barriers(program);
    return OpenclFile(lifted, options).source();
}

Result<opencl::Program> opencl_program(const lower::Program& program) {
    if (auto problems = check_kernels(program, rules_of_opencl()); has_errors(problems))
        return problems;
    if (!program.symbols.empty())
        return error("OpenCL C: the value of " + program.symbols[0] + " is known at run time only",
                     "make it a param");
    const auto lifted = lift_barriers(program);
    return OpenclFile(lifted, {}).program();
}

} // namespace loopscope::codegen
