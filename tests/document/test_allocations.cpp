// A document where memory runs out at any moment: nothing that was committed is lost, nothing opens
// as something else, and it goes on as soon as there is memory again.
#include "tests/document/afternoon.h"
#include "tests/document/document_support.h"
#include "tests/document/failing_allocations.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>

namespace loopscope::session::test {
namespace {

using loopscope::test::FailingAllocations;
using loopscope::test::starved_process;

// What `call` gives where one allocation fails: its own answer, or that memory ran out. `failed`:
// whether it came to that allocation.
template <typename Call>
auto starved(std::size_t number, bool for_good, bool& failed, Call call) -> decltype(call()) {
    {
        const FailingAllocations failing(number, for_good);
        try {
            auto answer = call();
            failed = failing.failed();
            return answer;
        } catch (const std::bad_alloc&) {
            failed = true;
        }
    }
    return Diagnostics{error("out of memory")};
}

// Does one of the afternoon's steps in the document `bytes`, where one allocation fails, or all
// from it on; false: none of it failed.
bool fail_a_step(const std::string& bytes, const Step& step, std::size_t number, bool for_good) {
    const auto path = loopscope::test::scratch_folder() + "/d.loopscope";
    std::ofstream(path, std::ios::binary) << bytes;
    auto made = Document::open(path);
    EXPECT_TRUE(made) << format(made.errors());
    const auto before = work_in(**made);
    bool failed = false;
    const auto status = starved(number, for_good, failed, [&] { return step(**made); });
    EXPECT_TRUE(status || failed) << format(status.errors());
    EXPECT_TRUE(status || work_in(**made) == before) << "in memory as on the disk";
    const auto after = (*made)->add_revision("afterwards", "afterwards", "");
    EXPECT_TRUE(after) << number << ": " << format(after.errors());
    const auto work = work_in(**made);
    made = Diagnostics{};
    auto opened = Document::open(path);
    EXPECT_TRUE(opened) << format(opened.errors());
    if (opened) {
        EXPECT_EQ(work_in(**opened), work) << number;
    }
    return failed;
}

TEST(FailingAllocations, AStepLosesNothing) {
    const auto path = made_document();
    for (const auto& step : afternoon()) {
        const auto bytes = loopscope::test::read_file(path);
        for (const bool for_good : {false, true}) {
            std::size_t number = 1;
            while (fail_a_step(bytes, step, number, for_good) && !testing::Test::HasFailure())
                number += 1 + number / 12; // nearer to one another where a step begins
            EXPECT_GT(number, 10u);
        }
        auto made = Document::open(path);
        ASSERT_TRUE(made);
        ASSERT_TRUE(step(**made));
    }
}

// It opens as what it is, or says that memory is short: it is never taken for damaged.
TEST(FailingAllocations, OpeningTellsNothingUntrue) {
    const auto path = made_document();
    {
        auto made = Document::open(path);
        ASSERT_TRUE(made);
        for (const auto& step : afternoon())
            ASSERT_TRUE(step(**made));
    }
    const auto work = [&] {
        auto opened = Document::open(path);
        return opened ? work_in(**opened) : format(opened.errors());
    };
    const auto whole = work();
    for (const bool for_good : {false, true}) { // this one, or all from this one on
        std::size_t number = 1;
        for (bool failed = true; failed && !testing::Test::HasFailure();
             number += 1 + number / 40) {
            const auto found = starved_process(number, for_good, failed, work);
            EXPECT_TRUE(found == whole || found == "terminated" ||
                        found.find("out of memory") != std::string::npos)
                << number << ": " << found;
            EXPECT_EQ(work(), whole) << number;
        }
        EXPECT_GT(number, 100u);
    }
}

// What is made once for a process is made right, or again.
TEST(FailingAllocations, TheFirstOpeningOfAProcessMayFail) {
    // In a process of its own no document was opened before: this program run again, with a number.
    const auto path = made_document();
    for (int number = 1; number < 1000; number += 1 + number / 8) {
        const auto command = loopscope::test::program_path("test_document") +
                             " --gtest_filter=FailingAllocations.DISABLED_Opens "
                             "--gtest_also_run_disabled_tests --gtest_output= >/dev/null";
        ::setenv("LOOPSCOPE_DOCUMENT", path.c_str(), 1);
        ::setenv("LOOPSCOPE_FAILS", std::to_string(number).c_str(), 1);
        ASSERT_EQ(std::system(command.c_str()), 0) << number;
    }
}

TEST(FailingAllocations, DISABLED_Opens) {
    const std::string path = std::getenv("LOOPSCOPE_DOCUMENT");
    bool failed = false;
    (void)starved(loopscope::test::setting("LOOPSCOPE_FAILS", 1), false, failed,
                  [&] { return Document::open(path); });
    auto opened = Document::open(path);
    ASSERT_TRUE(opened) << format(opened.errors());
}

// A name keeps what it had until the copy is complete.
TEST(FailingAllocations, SavingElsewhereLosesNothing) {
    std::size_t number = 1;
    const auto first = work_in(**Document::open(made_document()));
    for (bool failed = true; failed && !testing::Test::HasFailure(); number += 1 + number / 20) {
        const auto path = made_document(), other = made_document();
        auto made = Document::open(path);
        ASSERT_TRUE(made);
        ASSERT_TRUE((*made)->add_revision("newer", "newer", ""));
        const auto copied = work_in(**made);
        const auto saved = starved(number, false, failed, [&] { return (*made)->save_as(other); });
        EXPECT_TRUE(saved || failed) << format(saved.errors());
        ASSERT_TRUE((*made)->add_revision("afterwards", "afterwards", "")) << number;
        const auto at = (*made)->path(), work = work_in(**made);
        made = Diagnostics{};
        auto mine = Document::open(at);
        ASSERT_TRUE(mine) << number << ": " << format(mine.errors());
        EXPECT_EQ(work_in(**mine), work);
        mine = Diagnostics{};
        auto named = Document::open(other);
        ASSERT_TRUE(named) << number << ": " << format(named.errors());
        if (!saved) {
            EXPECT_TRUE(work_in(**named) == first || work_in(**named) == copied) << number;
        }
        for (const auto& entry :
             std::filesystem::directory_iterator(std::filesystem::path(other).parent_path()))
            EXPECT_EQ(entry.path().string().find(".new-"), std::string::npos) << entry.path();
    }
    EXPECT_GT(number, 100u);
}

} // namespace
} // namespace loopscope::session::test
