#include "compiler/codegen/c/c_source.h"

#include "compiler/codegen/c/check.h"
#include "compiler/codegen/c/comment.h"
#include "compiler/codegen/c/function.h"
#include "compiler/codegen/c/main_text.h"
#include "core/language/prelude.h"

#include <algorithm>

namespace loopscope::codegen {

namespace {

constexpr const char* kGuards = R"(#ifdef __FAST_MATH__
#error "-ffast-math changes results: compile without it"
#endif
#if FLT_EVAL_METHOD != 0
#error "float operations must round to float: compile for SSE2 or another processor with 32-bit arithmetic"
#endif
// Multiply-adds are fused where the program says so, and nowhere else. GCC takes 0 - x for -x where it knows that x is
// not -0, which is wrong for +0; it refrains where it may not assume how sums are rounded. Nobody asks which operations
// raised exceptions, so it need not keep those of lanes that are off apart. Of lanes that stand side by side GCC 12 takes
// (double)(float)x for x where it joins them without a loop: it joins loops alone.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "rounding-math", "no-trapping-math", "no-tree-slp-vectorize")
#endif
)";

constexpr const char* kNoFalseAlarm =
    R"(// Every element of a stage's storage is written before it is read; the compiler cannot always see that.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
)";

constexpr const char* kParallel = R"(// The iterations are divided among threads.
#ifdef _OPENMP
#define PARALLEL_FOR _Pragma("omp parallel for")
#else
#define PARALLEL_FOR
#endif
)";

constexpr const char* kSimd =
    R"(// The iterations do not depend on each other: a compiler may make vectors of them.
#ifdef _OPENMP
#define SIMD _Pragma("omp simd")
#else
#define SIMD
#endif
)";

constexpr const char* kUnroll = R"(// All iterations written out.
#define PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define UNROLL(n) PRAGMA(unroll)
#elif defined(__GNUC__)
#define UNROLL(n) PRAGMA(GCC unroll n)
#else
#define UNROLL(n)
#endif
)";

constexpr const char* kStream =
    R"(// Stores past the caches, where the compiler has them; else plain ones. Other threads see them after a fence.
#if defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define STREAM(place, value) __builtin_nontemporal_store((value), &(place))
#if defined(__SSE__)
#define STREAM_FENCE __builtin_ia32_sfence()
#endif
#endif
#endif
#ifndef STREAM
#define STREAM(place, value) ((place) = (value))
#endif
#ifndef STREAM_FENCE
#define STREAM_FENCE ((void)0)
#endif
)";

constexpr const char* kPrefetch = R"(// A cache line that will be read.
#ifdef __GNUC__
#define PREFETCH(place) __builtin_prefetch(&(place), 0, 3)
#else
#define PREFETCH(place) ((void)0)
#endif
)";

class File {
public:
    File() : helpers_(names_) {
        for (auto name :
             {"PRAGMA", "PARALLEL_FOR", "SIMD", "UNROLL", "STREAM", "STREAM_FENCE", "PREFETCH"})
            names_.reserve(name);
        for (const auto& function : prelude_names())
            for (const auto& name : {function, approximation_of(function)})
                for (auto type :
                     {ScalarType::F16, ScalarType::BF16, ScalarType::F32, ScalarType::F64})
                    names_.reserve(name + "_" + loopscope::name(type));
    }

    // Adds the program's function; its identifier.
    std::string add(const lower::Program& program, const COptions* options) {
        auto name = names_.external(program.name);
        CFunction function(names_, helpers_, macros_);
        auto text = function.print(program, name);
        for (const auto& called : function.called())
            prelude(called.first, called.second);
        functions_.blank();
        if (options)
            functions_.verbatim(arguments_comment(program, function.arguments()));
        functions_.append(text);
        if (options && options->with_main)
            main_ = main_text(program, name);
        return name;
    }

    CWriter whole(const std::string& head) {
        CWriter out;
        out.verbatim(head);
        // All of it is needed before the includes are known.
        std::string code;
        for (const auto& definition : helpers_.definitions())
            code += definition;
        code += prelude_.text() + functions_.text() + main_;
        includes(out, code);
        out.blank();
        out.verbatim(kGuards);
        if (code.find("_Alignas") != std::string::npos || helpers_.uses_allocate())
            out.verbatim(kNoFalseAlarm);
        for (auto [used, text] :
             {std::pair(macros_.parallel, kParallel), std::pair(macros_.simd, kSimd),
              std::pair(macros_.unroll, kUnroll), std::pair(macros_.stream, kStream),
              std::pair(macros_.prefetch, kPrefetch)})
            if (used) {
                out.blank();
                out.verbatim(text);
            }
        for (const auto& definition : helpers_.definitions()) {
            out.blank();
            out.verbatim(definition);
        }
        out.append(prelude_);
        out.append(functions_);
        if (!main_.empty()) {
            out.blank();
            out.verbatim(main_);
        }
        return out;
    }

private:
    static void includes(CWriter& out, const std::string& code) {
        auto uses = [&](std::initializer_list<const char*> words) {
            return std::any_of(words.begin(), words.end(), [&](const char* word) {
                return code.find(word) != std::string::npos;
            });
        };
        out.line("#include <float.h>");
        out.line("#include <math.h>");
        out.line("#include <stdbool.h>");
        out.line("#include <stdint.h>");
        if (uses({"printf("}))
            out.line("#include <stdio.h>");
        if (uses({"allocate(", "exit(", "EXIT_"}))
            out.line("#include <stdlib.h>");
        if (uses({"memcpy(", "strcmp(", "memcmp("}))
            out.line("#include <string.h>");
    }

    // The definition of a function of the prelude, once.
    void prelude(const std::string& name, ScalarType type) {
        if (!written_.insert({name, type}).second)
            return;
        const auto& definition = prelude_function(name, type);
        CExpressions expressions(names_, helpers_);
        names_.open_scope();
        std::string parameters;
        for (const auto& parameter : definition.parameters) {
            auto identifier = names_.scoped(parameter);
            expressions.variables[parameter] = {identifier, std::nullopt, nullptr, false};
            parameters +=
                (parameters.empty() ? "" : ", ") + std::string(c_type(type)) + " " + identifier;
        }
        expressions.begin({definition.body});
        auto result = expressions.text(definition.body);
        CWriter body;
        body.indent();
        for (const auto& declaration : expressions.take_declarations())
            body.line(declaration);
        body.line("return " + result + ";");
        body.remove_unused(expressions.declared());
        names_.close_scope();
        prelude_.blank();
        prelude_.line("// By this definition, and no library's, all targets give the same bits.");
        prelude_.line(std::string("static inline ") + c_type(type) + " " + name + "_" +
                      loopscope::name(type) + "(" + parameters + ") {");
        prelude_.append(body);
        prelude_.line("}");
    }

    CNames names_;
    CHelpers helpers_;
    CMacros macros_;
    CWriter prelude_, functions_;
    std::string main_;
    std::set<std::pair<std::string, ScalarType>> written_;
};

} // namespace

Result<CSource> c_source(const lower::Program& program, const COptions& options) {
    if (auto problems = check_for_c(program); has_errors(problems))
        return problems;
    if (options.with_main && !program.symbols.empty())
        return error("C: a main cannot know the value of " + program.symbols[0],
                     "leave out --main, and call the function with the value");
    File file;
    auto function = file.add(program, &options);
    auto out = file.whole(head_comment(program, options));
    return CSource{out.text(), out.origins(), function};
}

Result<std::string> c_source_of_all(const std::vector<lower::Program>& programs,
                                    std::vector<std::string>& functions) {
    File file;
    for (const auto& program : programs) {
        if (auto problems = check_for_c(program); has_errors(problems))
            return problems;
        functions.push_back(file.add(program, nullptr));
    }
    return file.whole("").text();
}

} // namespace loopscope::codegen
