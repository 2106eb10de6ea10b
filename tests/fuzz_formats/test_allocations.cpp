// Readers of files from outside where memory runs out at any moment: they end by std::bad_alloc or
// by an error that says so, and take nothing for something else.
#include "tests/document/failing_allocations.h"
#include "tests/fuzz_formats/corpus.h"
#include "tests/support/random_run.h"

#include <gtest/gtest.h>

namespace loopscope::fuzz {
namespace {

using test::FailingAllocations;

constexpr std::size_t kMostAllocations = 20'000; // of an example: each of some is made to fail
constexpr std::size_t kMostTried = 50;           // of an example's
constexpr int kMostExamples = 2;

bool says_so(const std::string& text) {
    return text.find("out of memory") != std::string::npos ||
           text.find("not enough memory") != std::string::npos;
}

class Starved : public testing::TestWithParam<Format> {};

TEST_P(Starved, EndsInOrder) {
    const auto read = GetParam().read;
    const std::string_view format = GetParam().name;
    const bool without_json =
        format == "loop" || format == "sched" || format == "npy" || format == "png";
    int tried = 0;
    for (const auto& [name, bytes] : corpus(GetParam())) {
        const auto expected = read(bytes);
        std::size_t count = 0;
        {
            const FailingAllocations counting;
            (void)read(bytes);
            count = counting.count();
        }
        if (count == 0 || count > kMostAllocations)
            continue;
        const auto step = 1 + count / kMostTried;
        for (auto number = 1 + test::RandomRun::first_seed() % step; number <= count;
             number += step) {
            bool failed = false;
            const auto found =
                test::starved_process(number, false, failed, [&] { return read(bytes); });
            ASSERT_TRUE(found == expected || says_so(found) ||
                        (found == "terminated" && !without_json))
                << name << ", allocation " << number << ": " << found.substr(0, 1000);
        }
        if (++tried == kMostExamples)
            break;
    }
    EXPECT_GT(tried, 0);
}

INSTANTIATE_TEST_SUITE_P(Formats, Starved, testing::ValuesIn(formats()),
                         [](const auto& one) { return std::string(one.param.name); });

} // namespace
} // namespace loopscope::fuzz
