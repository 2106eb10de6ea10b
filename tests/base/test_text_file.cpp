// Files read within limits, and what is no file.
#include "core/base/number_text.h"
#include "core/base/text_file.h"
#include "tests/support/comma_locale.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include <sys/stat.h>

namespace loopscope {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& path, const TextFileLimits& limits) {
    auto read = read_text_file(path, limits);
    return read ? "" : format(read.errors());
}

TEST(TextFile, IsReadUpToItsLimit) {
    const auto path = test::scratch_folder() + "/t";
    std::ofstream(path) << "0123456789";
    auto read = read_text_file(path, {10, "make it shorter"});
    ASSERT_TRUE(read);
    EXPECT_EQ((*read)->text(), "0123456789");
    EXPECT_EQ((*read)->name(), path);
    EXPECT_THAT(refusal(path, {9, "make it shorter"}),
                HasSubstr("is larger than 9 bytes; make it shorter"));
    EXPECT_THAT(refusal("/dev/zero", {1 << 20, ""}), HasSubstr("is larger than 1 MiB"));
    EXPECT_THAT(refusal(path + ".not", {}), HasSubstr("No such file"));
}

// A pipe that nobody writes: a file that names it must not hold who reads it.
TEST(TextFile, APipeIsNoRegularFile) {
    const auto path = test::scratch_folder() + "/pipe";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    TextFileLimits regular;
    regular.kind = FileKind::Regular;
    EXPECT_THAT(refusal(path, regular), HasSubstr("it is not a regular file"));
    EXPECT_THAT(refusal("/dev/zero", regular), HasSubstr("it is not a regular file"));
    EXPECT_THAT(refusal(test::scratch_folder(), regular), HasSubstr("is a folder"));
}

TEST(NumberText, HasAPointInEveryLocale) {
    const test::CommaLocale german;
    if (!german.made())
        GTEST_SKIP() << "no locale with a decimal comma can be made here (package locales)";
    EXPECT_EQ(general_text(1.5, 6), "1.5");
    EXPECT_EQ(fixed_text(0.25, 2), "0.25");
    EXPECT_EQ(exponent_text(0.015, 1), "1.5e-02");
    EXPECT_EQ(number_from("0.5"), 0.5);
}

TEST(NumberText, IsPrintfsInTheLocaleC) {
    EXPECT_EQ(general_text(1.5, 6), "1.5");
    EXPECT_EQ(general_text(1e-7, 3), "1e-07");
    EXPECT_EQ(general_text(123456, 3), "1.23e+05");
    EXPECT_EQ(fixed_text(2.0, 4), "2.0000");
    EXPECT_EQ(fixed_text(1e300, 0).size(), 301u);
    EXPECT_EQ(exponent_text(0.015, 1), "1.5e-02");
    EXPECT_EQ(number_from("0.5x"), 0.5);
}

} // namespace
} // namespace loopscope
