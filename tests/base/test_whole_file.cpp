// Files that are written whole or not at all, and what of the old one stays.
#include "core/base/whole_file.h"

#include "core/base/text_file.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace loopscope {
namespace test_whole_file {

namespace fs = std::filesystem;

std::string text_at(const std::string& path) {
    const auto text = read_text_file(path, {});
    return text ? (*text)->text() : format(text.errors());
}

std::size_t files_in(const std::string& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(WholeFile, ALinkIsFollowedAndPermissionsAreKept) {
    const auto folder = loopscope::test::scratch_folder();
    const auto file = folder + "/kept.txt", link = folder + "/link.txt";
    ASSERT_TRUE(write_whole(file, {"old"}));
    const auto own = fs::perms::owner_read | fs::perms::owner_write;
    fs::permissions(file, own);
    fs::create_symlink(file, link);
    ASSERT_TRUE(write_whole(link, {"new, ", "in two parts"}));
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(text_at(file), "new, in two parts");
    EXPECT_EQ(fs::status(file).permissions(), own);
    EXPECT_EQ(files_in(folder), 2u) << "nothing is left beside it";
}

TEST(WholeFile, WhatCannotBeWrittenSaysWhyAndLeavesNothing) {
    const auto folder = loopscope::test::scratch_folder();
    const auto gone = write_whole(folder + "/gone/file.txt", {"text"});
    ASSERT_FALSE(gone);
    EXPECT_NE(gone.errors().front().message.find("its folder is not there"), std::string::npos);
    const auto place = write_whole(folder, {"text"});
    ASSERT_FALSE(place);
    EXPECT_NE(place.errors().front().message.find("it is a folder"), std::string::npos);
    EXPECT_EQ(files_in(folder), 0u);
}

} // namespace test_whole_file
} // namespace loopscope
