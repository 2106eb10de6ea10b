#include "compiler/codegen/c/c_source.h"

#include "compiler/codegen/c/check.h"
#include "compiler/codegen/c/comment.h"
#include "compiler/codegen/c/function.h"
#include "compiler/codegen/c/macros.h"
#include "compiler/codegen/c/main_text.h"
#include "compiler/codegen/c/prelude_text.h"

#include <algorithm>

namespace loopscope::codegen {

namespace {

constexpr const char* kNoFalseAlarm =
    R"(// Every element of a stage's storage is written before it is read; the compiler cannot always see that.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
)";

class File {
public:
    File() : helpers_(names_, dialect_), prelude_(names_, helpers_) {
        for (auto name :
             {"PRAGMA", "PARALLEL_FOR", "SIMD", "UNROLL", "STREAM", "STREAM_FENCE", "PREFETCH"})
            names_.reserve(name);
    }

    // Adds the program's function; its identifier.
    std::string add(const lower::Program& program, const COptions* options) {
        auto name = names_.external(program.name);
        CFunction function(names_, helpers_, macros_, dialect_);
        auto text = function.print(program, name);
        for (const auto& called : function.called())
            prelude_.add(called.first, called.second);
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
        code += prelude_.text().text() + functions_.text() + main_;
        includes(out, code);
        out.blank();
        out.verbatim(guard_text());
        if (code.find("_Alignas") != std::string::npos || helpers_.uses_allocate())
            out.verbatim(kNoFalseAlarm);
        out.verbatim(macro_text(macros_));
        for (const auto& definition : helpers_.definitions()) {
            out.blank();
            out.verbatim(definition);
        }
        out.append(prelude_.text());
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

    const CDialect dialect_;
    CNames names_;
    CHelpers helpers_;
    CMacros macros_;
    CPrelude prelude_;
    CWriter functions_;
    std::string main_;
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
