// A part that a value may lack: what it holds is its value's own, and what is absent says so.
#include "core/base/part.h"

#include <gtest/gtest.h>

#include <string>

namespace loopscope {
namespace test_part {

TEST(Part, WhatIsAbsentIsAFaultToAskFor) {
    const Part<std::string> none, emptied = std::nullopt;
    EXPECT_FALSE(none);
    EXPECT_FALSE(emptied);
    EXPECT_THROW(none->size(), std::logic_error);
    EXPECT_THROW(*none, std::logic_error);
    Part<std::string> some = std::string("a");
    some = std::nullopt;
    EXPECT_THROW(*some, std::logic_error);
}

TEST(Part, ACopyIsItsOwn) {
    Part<std::string> a = std::string("a"), b = a;
    *b = "b";
    EXPECT_EQ(*a, "a");
    EXPECT_EQ(*b, "b");
    const auto& same = a;
    a = same;
    EXPECT_EQ(*a, "a");
}

TEST(Part, AreEqualByWhatTheyHold) {
    const Part<std::string> none, a = std::string("a"), again = std::string("a"),
                                  b = std::string("b");
    EXPECT_EQ(none, Part<std::string>());
    EXPECT_EQ(a, again);
    EXPECT_NE(a, b);
    EXPECT_NE(a, none);
}

} // namespace test_part
} // namespace loopscope
