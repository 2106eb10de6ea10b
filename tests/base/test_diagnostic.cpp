#include "core/base/diagnostic.h"
#include "core/base/result.h"

#include <gtest/gtest.h>

namespace loopscope {
namespace {

SourceRange range_in(const SourceFilePtr& file, std::size_t begin) {
    return {file, begin, begin + 1};
}

TEST(Diagnostic, PlacesTheCaretByCharacters) {
    auto file = std::make_shared<const SourceFile>("a.loop", "first\nπ = bad\n");
    auto text = format(error("unknown name 'bad'", "did you mean 'bat'?",
                             range_in(file, file->text().find("bad"))));
    EXPECT_EQ(text, "a.loop:2:5: error: unknown name 'bad'; did you mean 'bat'?\nπ = bad\n    ^\n");
}

TEST(Diagnostic, CutsLongLines) {
    auto file = std::make_shared<const SourceFile>("a.loop", std::string(500, 'x'));
    auto text = format(error("too long", {}, range_in(file, 3)));
    EXPECT_EQ(text, "a.loop:1:4: error: too long\n" + std::string(160, 'x') + "\n   ^\n");
}

TEST(Diagnostic, ShowsNoBytesThatAreNoUtf8) {
    auto file = std::make_shared<const SourceFile>("a.sched", "π\xe9\xc0\xaf (\xf0\x9f");
    auto text = format(error("bad", {}, range_in(file, 2)));
    const std::string mark = "\xEF\xBF\xBD";
    EXPECT_EQ(text,
              "a.sched:1:2: error: bad\nπ" + mark + mark + mark + " (" + mark + mark + "\n ^\n");
}

// Escapes, of one byte or two (U+009B), and what turns the direction of text: in the line, the
// message and the file's name.
TEST(Diagnostic, GivesATerminalNothingToActOn) {
    auto file =
        std::make_shared<const SourceFile>("a\x1b.loop", "\x1b[2J \xC2\x9B \xE2\x80\xAE x\x7f");
    auto text = format(error("found '\x1b]0;t\x07'", "write '\xC2\x85'", range_in(file, 2)));
    EXPECT_EQ(text, "a .loop:1:3: error: found ' ]0;t '; write ' '\n [2J     x \n  ^\n");
}

TEST(Diagnostic, SaysHowManyMore) {
    Diagnostics many(103, error("x"));
    auto text = format(many, 100);
    EXPECT_NE(text.find("3 more"), std::string::npos);
    EXPECT_EQ(format(Diagnostics{error("x")}, 100), "error: x\n");
}

TEST(Diagnostic, WarningsAreNoErrors) {
    Diagnostics d(1);
    d[0].severity = Severity::Warning;
    EXPECT_FALSE(has_errors(d));
    d.push_back(error("x"));
    EXPECT_TRUE(has_errors(d));
}

TEST(Diagnostic, SuggestsOnlyNearNames) {
    std::vector<std::string> names = {"gray", "blur_x", "blur_y", "out"};
    EXPECT_EQ(nearest_name("grey", names), "gray");
    EXPECT_EQ(nearest_name("blru_x", names), "blur_x");
    EXPECT_EQ(nearest_name("histogram", names), "");
    // All names of one letter are one edit apart: that alone does not make them alike.
    EXPECT_EQ(nearest_name("Z", {"C", "c2"}), "");
    EXPECT_EQ(nearest_name("z", {"C", "Z"}), "Z");
    EXPECT_EQ(nearest_name("kk", {"i", "k"}), "k");
}

TEST(Result, HoldsAValueOrTheReasons) {
    Result<int> good(3);
    ASSERT_TRUE(good);
    EXPECT_EQ(*good, 3);
    Result<int> bad(error("no"));
    EXPECT_FALSE(bad);
    EXPECT_EQ(bad.errors().size(), 1u);
    EXPECT_THROW(bad.value(), std::logic_error);
}

} // namespace
} // namespace loopscope
