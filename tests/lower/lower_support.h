#pragma once
// Programs as text, and passes on them.

#include "compiler/lower/passes.h"
#include "compiler/lower/program_parser.h"
#include "tests/support/program_text.h"

#include <gtest/gtest.h>

#include <string>

namespace loopscope::lower::test {

using loopscope::test::on_device;
using loopscope::test::on_host;

// Parses and verifies; a test with a wrong program fails with the reason.
inline Program parsed(const std::string& text) {
    auto program = parse_program(text);
    if (!program) {
        ADD_FAILURE() << format(program.errors());
        return {};
    }
    auto errors = verify(*program);
    EXPECT_TRUE(errors.empty()) << format(errors) << to_text(*program);
    return *program;
}

// The text after the pass, which must verify again.
inline std::string after(Program (*pass)(const Program&, const TargetInfo&),
                         const std::string& text) {
    auto program = pass(parsed(text), TargetInfo{});
    auto errors = verify(program);
    EXPECT_TRUE(errors.empty()) << format(errors) << to_text(program);
    return "\n" + to_text(program);
}

} // namespace loopscope::lower::test
