#include "tests/programs/compared.h"

#include "tests/programs/program_fixture.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace loopscope::test {

namespace fs = std::filesystem;

namespace {

std::set<std::string>& compared() {
    static std::set<std::string> files;
    return files;
}

std::set<std::string> shipped_files() {
    std::set<std::string> files;
    for (const auto& entry : fs::directory_iterator(source_path("resources/pipelines")))
        if (entry.path().filename() != "programs.json") // their index
            files.insert(entry.path().filename().string());
    return files;
}

class EveryFileIsCompared : public testing::Environment {
    void TearDown() override {
        // A part of the tests, as of a filter or a shard, compares a part of the files.
        const auto& tests = *testing::UnitTest::GetInstance();
        if (tests.test_to_run_count() + tests.disabled_test_count() < tests.total_test_count())
            return;
        for (const auto& file : shipped_files())
            if (!compared().contains(file))
                ADD_FAILURE() << "resources/pipelines/" << file
                              << " is not compared with independent code";
    }
};
// GoogleTest owns it.
[[maybe_unused]] const auto* registered =
    testing::AddGlobalTestEnvironment(new EveryFileIsCompared);

TEST(BundledFiles, ProgramsAndSchedulesBelongTogether) {
    const auto files = shipped_files();
    for (const auto& file : files) {
        const fs::path path(file);
        if (path.extension() == ".loop") {
            EXPECT_TRUE(files.contains(shipped_schedule(path.stem().string())))
                << file << " has no schedule";
        } else {
            EXPECT_EQ(path.extension(), ".sched") << file;
            EXPECT_TRUE(files.contains(file.substr(0, file.find('.')) + ".loop"))
                << file << " has no program";
        }
    }
}

} // namespace

void note_compared(const std::string& file) { compared().insert(file); }

} // namespace loopscope::test
