// Faults of kernels, planted one at a time in what is lowered: the interpreter of SIMT programs
// finds each, and finds nothing in the program without it.

#include "tests/fuzz/gpu_lines.h"
#include "tests/fuzz/planted_bugs.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>

#include <iostream>

using namespace loopscope;
using namespace loopscope::fuzz;

namespace test_planted_device {

constexpr std::uint64_t kPairs = 1000;

struct Hidden {
    PlantedBug fault;
    int planted = 0; // in so many pairs that show nothing
};

std::vector<Hidden> all_faults() {
    std::vector<Hidden> out;
    for (const auto& faults : {planted_step_faults(), planted_kernel_faults()})
        for (const auto& fault : faults)
            out.push_back({fault});
    return out;
}

TEST(PlantedFaults, EachIsFoundWithin1000Pairs) {
    LOOPSCOPE_TEST_IN_TURN(2, 3);
    auto hidden = all_faults();
    ASSERT_GE(hidden.size(), 30U);
    for (std::uint64_t seed = 1; seed <= kPairs && !hidden.empty(); ++seed) {
        const auto pair = random_gpu_pair(seed);
        JudgeOptions options;
        options.on_device = true;
        std::vector<std::string> found;
        options.also = [&](const lower::Program& program, const ScheduleTree& tree,
                           const auto& judge) {
            std::erase_if(hidden, [&](Hidden& each) {
                auto faulty = program;
                if (!each.fault.final(faulty, tree))
                    return false;
                const auto verdict = judge(faulty);
                // That a broken program could not be run would say nothing of the interpreter.
                if (verdict.outcome != Outcome::Mismatch && verdict.outcome != Outcome::Hazard) {
                    ++each.planted;
                    return false;
                }
                found.push_back(each.fault.name);
                std::cout << each.fault.name << ": found at pair " << seed << ", " << verdict.kind
                          << ", after " << each.planted << " that did not show it" << std::endl;
                return true;
            });
        };
        const auto clean = judge(pair, options);
        EXPECT_FALSE(clean.bad()) << report(pair, clean);
    }
    for (const auto& each : hidden)
        ADD_FAILURE() << each.fault.name << " was not found within " << kPairs
                      << " pairs, planted in " << each.planted;
}

} // namespace test_planted_device
