// The estimate's counts against the judge: on random schedules FLOPs, stores and distinct bytes
// equal what the loop-program interpreter counts in the program as built, or the documented bound
// holds (never below).

#include "compiler/lower/build.h"
#include "compiler/run/loop_interpreter/loop_interpreter.h"
#include "compiler/run/random_inputs.h"
#include "tests/fuzz/judge.h"
#include "tests/support/turns.h"
#include "tuner/model/estimate.h"

#include <gtest/gtest.h>

#include <iostream>

using namespace loopscope;
using namespace loopscope::fuzz;

namespace test_counts {

std::map<std::string, Buffer> inputs_of(const lower::Program& program, std::uint64_t seed) {
    std::map<std::string, Buffer> out;
    for (const auto& argument : program.arguments)
        if (argument.role == lower::Role::Input) {
            out[argument.buffer] =
                random_buffer(argument.type, hints(argument.extents), seed++, RandomMode::Reals)
                    .value();
        }
    return out;
}

struct Tally {
    int schedules = 0, exact_flops = 0, exact_stores = 0, exact_bytes = 0, bounds = 0;
};

void compare_counts(const ScheduleTree& tree, const lower::Program& program, std::uint64_t seed,
                    Tally& tally) {
    auto run = run_loop_program(program, inputs_of(program, seed));
    ASSERT_TRUE(run.ok()) << format(run.errors());
    auto counts = model::count(tree);
    auto flops = static_cast<double>(run->total.flops),
         stores = static_cast<double>(run->total.stores);
    ++tally.schedules;
    if (counts.flops_exact) {
        EXPECT_EQ(counts.flops, flops);
        ++tally.exact_flops;
    } else {
        EXPECT_GE(counts.flops, flops);
    }
    if (counts.stores_exact) {
        EXPECT_EQ(counts.stores, stores);
        ++tally.exact_stores;
    } else {
        EXPECT_GE(counts.stores, stores);
    }
    for (const auto& [buffer, bytes] : counts.distinct_bytes) {
        double touched = 0; // a tuple's components are buffers of their own
        for (const auto& [name, counted] : run->by_buffer)
            if (name == buffer ||
                (name.starts_with(buffer + ".") &&
                 name.find_first_not_of("0123456789", buffer.size() + 1) == std::string::npos))
                touched += static_cast<double>(counted.distinct.touched);
        auto exact = counts.distinct_exact.find(buffer);
        if (exact != counts.distinct_exact.end() && exact->second) {
            EXPECT_EQ(bytes, touched) << buffer;
            ++tally.exact_bytes;
        } else {
            EXPECT_GE(bytes, touched) << buffer;
            ++tally.bounds;
        }
    }
}

TEST(Counts, EqualTheInterpretersOnRandomSchedules) {
    Tally tally;
    constexpr std::uint64_t kParts = 4; // of 500 schedules; each commit tries one
    const int wanted = test::exhaustive() ? 500 : 500 / kParts;
    for (std::uint64_t seed = 100000; tally.schedules < wanted; ++seed) {
        if (!test::has_turn(seed, kParts))
            continue;
        auto pair = random_pair(seed);
        JudgeOptions options;
        options.passes = options.compiled = false; // counts are of the program as built
        options.inspect = [&](const ScheduleTree& tree, const lower::Program& built) {
            compare_counts(tree, built, seed, tally);
        };
        auto verdict = judge(pair, options);
        ASSERT_FALSE(verdict.bad()) << report(pair, verdict);
        ASSERT_FALSE(HasFailure()) << report(pair, {});
    }
    std::cout << tally.schedules << " schedules: FLOPs exact in " << tally.exact_flops
              << ", stores exact in " << tally.exact_stores << "; distinct bytes exact "
              << tally.exact_bytes << " times, bounded " << tally.bounds << " times\n";
    // The bound is the exception: a model that called everything inexact would pass without saying
    // anything.
    EXPECT_GT(tally.exact_flops, 0.7 * tally.schedules);
    EXPECT_GT(tally.exact_stores, 0.7 * tally.schedules);
    EXPECT_GT(tally.exact_bytes, tally.bounds);
}

} // namespace test_counts
