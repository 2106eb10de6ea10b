// JSON from outside: what is too deep, too wide, no JSON, or too large a number.
#include "core/base/json_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace loopscope {
namespace {

using testing::HasSubstr;

std::string fault(const std::string& text, const JsonLimits& limits = {}) {
    auto found = json_fault(text, limits);
    return found ? found->message : "";
}

std::string nested(std::size_t depth, const std::string& open, const std::string& close) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i)
        text += open;
    for (std::size_t i = 0; i < depth; ++i)
        text += close;
    return text;
}

TEST(JsonText, DepthHasALimitWhateverTheContainer) {
    EXPECT_EQ(fault(nested(64, "[", "]")), "");
    EXPECT_EQ(fault(nested(65, "[", "]")), "more than 64 lists and objects in one another");
    EXPECT_THAT(fault("{\"a\":" + nested(64, "[", "]") + "}"), HasSubstr("in one another"));
    EXPECT_THAT(fault(nested(100'000, "{\"a\":", "}")), HasSubstr("in one another"));
    EXPECT_EQ(fault("[" + nested(3, "[", "]") + "," + nested(3, "[", "]") + "]", {4, 100}), "")
        << "depth is of one place, not of all";
}

// Without a bracket that closes it: what is too deep is seen before the end is missed.
TEST(JsonText, ManyOpenBracketsEndAtOnce) {
    EXPECT_THAT(fault(std::string(30'000'000, '[')), HasSubstr("in one another"));
}

TEST(JsonText, ValuesHaveALimit) {
    std::string zeros = "[0";
    for (int i = 0; i < 10; ++i)
        zeros += ",0";
    zeros += "]";
    EXPECT_EQ(fault(zeros, {8, 12}), "");
    EXPECT_EQ(fault(zeros, {8, 11}), "more than 11 values");
}

TEST(JsonText, FaultsHavePlaces) {
    const auto text = std::make_shared<SourceFile>("f.json", "{\"a\": 1,\n \"b\": }");
    auto read = read_json(text, "write an object");
    ASSERT_FALSE(read);
    EXPECT_THAT(format(read.errors()),
                HasSubstr("f.json:2:7: error: not a JSON text; write an object"));
    EXPECT_EQ(fault("[1e999]"), "the number 1e999 is too large");
    EXPECT_EQ(fault("\"\xff\""), "not a JSON text");
    EXPECT_EQ(fault(""), "not a JSON text");
}

TEST(JsonText, WholeNumbersAreThoseThat64BitsHold) {
    EXPECT_EQ(whole_number(nlohmann::json::parse("9223372036854775807")), INT64_MAX);
    EXPECT_EQ(whole_number(nlohmann::json::parse("-9223372036854775808")), INT64_MIN);
    EXPECT_FALSE(whole_number(nlohmann::json::parse("9223372036854775808")));
    EXPECT_FALSE(whole_number(nlohmann::json::parse("18446744073709551615")));
    EXPECT_FALSE(whole_number(nlohmann::json::parse("1.0")));
    EXPECT_FALSE(whole_number(nlohmann::json::parse("\"1\"")));
}

TEST(JsonText, MembersOfAnotherTypeAreAsGoodAsMissing) {
    const auto object = nlohmann::json::parse(R"({"t": 5, "l": {}})");
    EXPECT_EQ(text_or(object, "t", "none"), "none");
    EXPECT_TRUE(list_or_none(object, "l").empty());
    EXPECT_EQ(text_or(nlohmann::json::array(), "t", "none"), "none");
    EXPECT_EQ(json_or_null("{"), nlohmann::json());
}

TEST(JsonText, TheLibrarysWordsComeWithoutItsNumbers) {
    try {
        nlohmann::json::array().at("a");
        FAIL();
    } catch (const nlohmann::json::exception& reason) {
        EXPECT_EQ(words_of(reason), "cannot use at() with array");
    }
}

} // namespace
} // namespace loopscope
