#pragma once
// Loading pipelines from text in tests.

#include "core/language/loop_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace loopscope::test {

inline SourceFilePtr source(const std::string& text, const std::string& name = "t.loop") {
    return std::make_shared<SourceFile>(name, text);
}

inline Result<LoadedPipeline> load(const std::string& text, const LoadOptions& options = {}) {
    return load_pipeline(source(text), options);
}

// The pipeline; a failure to load fails the test with the messages.
inline PipelinePtr loaded(const std::string& text, const LoadOptions& options = {}) {
    auto result = load(text, options);
    if (!result) {
        ADD_FAILURE() << format(result.errors()) << "in\n" << text;
        return std::make_shared<Pipeline>();
    }
    return result->pipeline;
}

// The messages of a text that must not load.
inline std::string errors(const std::string& text, const LoadOptions& options = {}) {
    auto result = load(text, options);
    if (result) {
        ADD_FAILURE() << "loads, but must not:\n" << text;
        return {};
    }
    return format(result.errors());
}

// A pipeline around some statements: inputs `a` (f32), `b` (i32), `u` (u8) of eight elements, and a
// 2-d `g`, all with a boundary; `s` is the output.
inline std::string around(const std::string& statements, const std::string& output = "s: [8]") {
    return "pipeline p\n"
           "input a[i]: f32[8] boundary edge\n"
           "input b[i]: i32[8] boundary edge\n"
           "input u[i]: u8[8] boundary edge\n"
           "input g[y, x]: f32[8, 8] boundary zero\n" +
           statements + "\noutput " + output + "\n";
}

// The canonical text of the first definition's value of stage `s`, made from one expression in [i].
inline std::string value_text(const std::string& expression) {
    auto pipeline = loaded(around("stage s[i] = " + expression));
    const auto* s = pipeline->find("s");
    return s ? to_text(s->definitions[0].values[0]) : std::string();
}

inline ScalarType value_type(const std::string& expression) {
    auto pipeline = loaded(around("stage s[i] = " + expression));
    const auto* s = pipeline->find("s");
    return s ? s->types[0] : ScalarType::Bool;
}

// The first line of the messages about one expression, without the file and the place.
inline std::string message(const std::string& expression) {
    auto text = errors(around("stage s[i] = " + expression));
    auto from = text.find(": error: ");
    return from == std::string::npos ? text : text.substr(from + 9, text.find('\n') - from - 9);
}

} // namespace loopscope::test
