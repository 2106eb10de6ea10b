#include "core/base/hash.h"
#include "core/base/source.h"

#include <gtest/gtest.h>

namespace loopscope {
namespace {

TEST(SourceFile, FindsLinesAndColumns) {
    SourceFile file("f", "ab\r\ncd\n");
    EXPECT_EQ(file.line_count(), 3);
    EXPECT_EQ(file.line(1), "ab");
    EXPECT_EQ(file.line(2), "cd");
    EXPECT_EQ(file.line(3), "");
    EXPECT_EQ(file.line(0), "");
    auto p = file.position(5);
    EXPECT_EQ(p.line, 2);
    EXPECT_EQ(p.column, 2);
    auto end = file.position(1000);
    EXPECT_EQ(end.line, 3);
    EXPECT_EQ(end.column, 1);
}

TEST(SourceFile, CountsCharactersNotBytes) {
    SourceFile file("f", "aπb");
    EXPECT_EQ(file.position(1).column, 2);
    EXPECT_EQ(file.position(2).column, 2); // inside the character
    EXPECT_EQ(file.position(3).column, 3);
}

TEST(Hash, IsStableAndSensitive) {
    EXPECT_EQ(hash_of("abc"), hash_of("abc"));
    EXPECT_NE(hash_of("abc"), hash_of("abd"));
    EXPECT_NE(hash_of(std::string_view("a\0", 2)), hash_of("a"));
    EXPECT_NE(combine(combine(1, 2), 3), combine(combine(1, 3), 2));
}

} // namespace
} // namespace loopscope
