// What a check found, in words that need no knowledge of how it works.

#include "app/session/verdict_words.h"

#include "tests/support/must.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace loopscope::session::test {

namespace test_verdict_words {

using nlohmann::json;

json output(const char* status) {
    return {{"name", "C"},      {"type", "f32"},      {"extents", {8, 16}},
            {"status", status}, {"allowed", json()},  {"unbounded", 0},
            {"different", 0},   {"max_abs_error", 0}, {"max_ulp", 0}};
}

json answer(const char* status, const json& checked) {
    return {{"status", status},   {"seed", 1},    {"method", "n u sum|terms|"},
            {"max_abs_error", 0}, {"max_ulp", 0}, {"outputs", json::array({checked})}};
}

std::string words_of(const json& of) {
    return verdict_words(loopscope::test::must(measure::check_from_json(of))).toStdString();
}

TEST(VerdictWords, EqualBitsAreSaidToBe) {
    const auto words = words_of(answer("right", output("equal")));
    EXPECT_EQ(words,
              "All 128 elements compared are the reference's, bit for bit, on random inputs.");
}

TEST(VerdictWords, ABoundIsSaidWithWhatWasSeen) {
    auto checked = output("within bound");
    checked["allowed"] = 1.4e-5;
    checked["max_abs_error"] = 3e-6;
    auto whole = answer("right", checked);
    whole["reassociates"] = true;
    whole["whole_numbers"] = "equal";
    auto words = words_of(whole);
    for (const char* part :
         {"another order", "C may then differ from the reference by up to 1.4e-05",
          "the greatest difference seen is 3e-06", "On small whole numbers"})
        EXPECT_NE(words.find(part), std::string::npos) << part << " is not in: " << words;
    EXPECT_EQ(words.find("sum|terms|"), std::string::npos) << words;
    whole["outputs"][0]["unbounded"] = 5;
    whole["windows"] = true;
    whole["conclusive"] = false;
    words = words_of(whole);
    EXPECT_EQ(words.find("3e-06"), std::string::npos) << "it may be an element's without bounds";
    for (const char* part :
         {"5 of 128 elements were not compared", "Only parts", "could have passed"})
        EXPECT_NE(words.find(part), std::string::npos) << part << " is not in: " << words;
}

TEST(VerdictWords, AWrongElementHasItsCoordinates) {
    auto checked = output("WRONG");
    checked["different"] = 12;
    auto wrong = answer("wrong", checked);
    wrong["first_difference"] = "C, element 51 of that part: 9, the reference has 6";
    wrong["difference"] = {{"array", "C"}, {"at", {3, 3}}, {"is", "9"}, {"reference", "6"}};
    EXPECT_EQ(words_of(wrong),
              "C[3, 3] is 9 and should be 6, bit for bit. Of 128 elements 12 differ.");
    wrong["outputs"][0]["allowed"] = 1e-5;
    wrong["outputs"][0]["max_abs_error"] = 3;
    EXPECT_EQ(words_of(wrong), "C[3, 3] is 9 and should be 6. Rounding explains a difference of up "
                               "to 1e-05; the greatest is 3.");
    wrong["whole_numbers"] = "differ";
    EXPECT_EQ(words_of(wrong),
              "On small whole numbers, which no order rounds, C[3, 3] is 9 and should be 6.");
    wrong.erase("difference");
    EXPECT_EQ(words_of(wrong), "Elements of C are others than the reference's.");
}

} // namespace test_verdict_words
} // namespace loopscope::session::test
