// Producer warpgroups that load what a pipeline uses: from the hint to two parts of a block.
#include "lower_support.h"

#include "compiler/lower/gpu/producers.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A pipeline as `build` leaves it, of so many iterations.
std::string hinted(int iterations, const std::string& loaded = "A[32*k + i]") {
    const auto n = std::to_string(iterations);
    return R"(
program p
input A: f32[)" +
           std::to_string(32 * iterations) +
           R"(]
output C: f32[64]
launch C on device (A, C) {
    bound block.x for b in 0..4 {
        bound thread.x for t in 0..64 {
            allocate sum: f32[] in register
            sum[] = 0.0
            for k in 0..)" +
           n + R"( {
                allocate As: f32[32] in shared rotate 3 producers 1  @ As/@storage
                bound threads for i in 0..32 {
                    As[i] = )" +
           loaded +
           R"(  @ As/@compute
                }
                sum[] = sum[] + As[t/2]
            }
            C[t] = sum[]
        }
    }
}
)";
}

Result<Program> until(const std::string& text, const char* pass, bool has_engine = true) {
    LowerOptions options;
    options.verify_each = true;
    options.stop_after = pass;
    options.target.bulk_tensor_copies = has_engine;
    return run_passes(test::parsed(text), device_passes(), options);
}

std::string text_until(const std::string& text, const char* pass, bool has_engine = true) {
    const auto program = until(text, pass, has_engine);
    EXPECT_TRUE(program) << format(program.errors());
    return program ? "\n" + to_text(*program) : "";
}

TEST(SpecializeWarps, OneThreadAsksAndTheOthersUse) {
    EXPECT_EQ(text_until(hinted(30), "specialize_warps"), R"(
program p
input A: f32[960]
output C: f32[64]
launch C on device (A, C) {
    bound block.x for block_x in 0..4 {
        bound thread.x for thread_x in 0..192 {
            allocate As.copies.releases: u64[3] in shared at 512
            allocate As.copies.arrivals: u64[3] in shared at 384
            allocate As: f32[3, 32] in shared at 0
            threads 0..64 {
                allocate sum: f32[] in register
                sum[] = 0.0
                allocate sum.register_1: f32[1] in register {
                    sum.register_1[0] = sum[]
                    for k in 0..30 {
                        wait As.copies 0 by As.copies.arrivals
                        sum.register_1[0] = sum.register_1[0] + As[k%3, thread_x/2]
                        release As.copies by As.copies.releases
                    }
                    sum[] = sum.register_1[0]
                }
                C[thread_x] = sum[]
            }
            threads 64..65 {
                for k_1 in 0..30 {
                    acquire As.copies by As.copies.releases
                    bulk copy As.copies As[k_1%3, 0] = A[k_1*32] of [32] by As.copies.arrivals
                    commit As.copies by As.copies.arrivals
                }
            }
        }
    }
}
)");
}

// Slots begin anew with the loop's first iteration; groups count on.
TEST(SpecializeWarps, GroupsAreAMultipleOfTheRooms) {
    const auto text = text_until(hinted(31), "specialize_warps");
    auto count = [&](const std::string& what) {
        int found = 0;
        for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
            ++found;
        return found;
    };
    EXPECT_EQ(count("acquire As.copies by"), 3) << "one in the loop, two behind it\n" << text;
    EXPECT_EQ(count("commit As.copies by"), 3);
    EXPECT_EQ(count("wait As.copies 0 by"), 3);
    EXPECT_EQ(count("release As.copies by"), 3);
    EXPECT_EQ(count("bulk copy"), 1);
}

TEST(SpecializeWarps, WithoutATmaItIsAPipelineOfAll) {
    const auto text = text_until(hinted(30), "renew_barriers", false);
    EXPECT_THAT(text, Not(HasSubstr("producers")));
    EXPECT_THAT(text, HasSubstr("wait As.copies 1\n"));
    EXPECT_THAT(text_until(hinted(30), "specialize_warps", false), Not(HasSubstr("threads 0..")));
}

TEST(SpecializeWarps, NothingLiesWhereTheyLoad) {
    auto text = hinted(30);
    const std::string stores = "            C[t] = sum[]\n";
    text.replace(text.find(stores), stores.size(),
                 "            allocate own: f32[64] in shared\n            own[t] = sum[]\n"
                 "            C[t] = own[63 - t]\n");
    const auto lowered = text_until(text, "specialize_warps");
    EXPECT_THAT(lowered, HasSubstr("allocate As: f32[3, 32] in shared at 0"));
    EXPECT_THAT(lowered, Not(HasSubstr("allocate own: f32[64] in shared at 0\n")));
    EXPECT_THAT(lowered, HasSubstr("barrier block\n")) << "of the readers";
}

TEST(SpecializeWarps, WhatTheEngineCannotBringIsRefused) {
    const auto program = until(hinted(30, "A[(32*k + i)/2]"), "specialize_warps");
    ASSERT_FALSE(program);
    EXPECT_EQ(program.errors()[0].code, kCodeNoProducers);
    EXPECT_THAT(
        format(program.errors()),
        HasSubstr(
            "As cannot be loaded by producer warpgroups: the TMA brings boxes of "
            "arrays, and it is no box of A, as of what a boundary other than zeros folds back "
            "into it; copy whole boxes"));
    EXPECT_EQ(program.errors().size(), 1u) << format(program.errors());
}

// The TMA fills in zeros alone: another value outside of an array is the threads' work.
TEST(SpecializeWarps, OtherValuesThanZeroOutsideAreRefused) {
    const auto program =
        until(hinted(30, "select(32*k + i < 900, A[32*k + i], 1.0)"), "specialize_warps");
    ASSERT_FALSE(program);
    EXPECT_EQ(program.errors()[0].code, kCodeNoProducers);
    EXPECT_THAT(format(program.errors()), HasSubstr("elements of As are computed"));
}

TEST(SpecializeWarps, WhatTheLaunchComputesIsRefused) {
    const auto checked = [](const std::string& line) {
        return check_producers(test::parsed(R"(
program p
input A: f32[64]
output C: f32[64]
buffer D: f32[64]
launch C on device (A, D, C) {
    bound thread.x for t in 0..64 {
        allocate As.releases: u64[2] in shared
        allocate As.arrivals: u64[2] in shared
        allocate As: f32[2, 32] in shared
        allocate n: i32[] in local
        n[] = 0
        D[t] = 0.0
        for k in 0..2 {
            acquire T producers 1 by As.releases
)" + line + R"(
            commit T by As.arrivals
            wait T 0 by As.arrivals
            C[t] = As[k, t/2]
            release T by As.releases
        }
    }
}
)"));
    };
    EXPECT_TRUE(checked("bulk copy T As[k, 0] = A[32*k] of [32] by As.arrivals"));
    const auto own =
        checked("bulk copy T As[k, 0] = D[32*k] of [32] by As.arrivals  @ As/@compute");
    ASSERT_FALSE(own);
    EXPECT_THAT(format(own.errors()),
                HasSubstr("As cannot be loaded by producer warpgroups: D, which "
                          "it is a copy of, is computed by the same launch"));
    const auto where =
        checked("bulk copy T As[k, 0] = A[32*n[]] of [32] by As.arrivals  @ As/@compute");
    ASSERT_FALSE(where);
    EXPECT_THAT(format(where.errors()), HasSubstr("n, on which depends what is copied"));
}

TEST(SpecializeWarps, TextReadsBack) {
    for (const auto* pass :
         {"plan_pipelines", "synchronize_pipelines", "bulk_copies", "specialize_warps"}) {
        const auto program = until(hinted(31), pass);
        ASSERT_TRUE(program);
        const auto again = parse_program(to_text_with_origins(*program));
        ASSERT_TRUE(again) << format(again.errors());
        EXPECT_TRUE(equal(*program, *again)) << to_text(*again);
    }
}

TEST(SpecializeWarps, PartsAreWholeWarps) {
    const auto errors = [](const std::string& range) {
        const auto program =
            parse_program("program p\noutput C: f32[96]\nlaunch C on device (C) {\n"
                          "    bound thread.x for t in 0..96 {\n        threads " +
                          range + " {\n            C[t] = 0.0\n        }\n    }\n}\n");
        EXPECT_TRUE(program) << format(program.errors());
        return program ? format(verify(*program)) : "";
    };
    EXPECT_EQ(errors("0..64"), "");
    EXPECT_EQ(errors("64..65"), "");
    EXPECT_THAT(errors("0..16"), HasSubstr("no whole warps"));
    EXPECT_THAT(errors("16..48"), HasSubstr("no whole warps"));
    EXPECT_THAT(errors("64..128"), HasSubstr("no whole warps"));
}

} // namespace
} // namespace loopscope::lower
