// Copies that blocks of a cluster share: where they follow, and what the verifier finds.
#include "lower_support.h"

#include "compiler/lower/gpu/multicast.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A product's loads: As of rows that depend on cluster.y, Bs of columns that depend on cluster.x.
std::string loads(const std::string& clusters = "2, 2", const std::string& a = "(by*2 + cy)*64",
                  const std::string& turns = "8") {
    const auto y = clusters.substr(0, 1), x = clusters.substr(3);
    return R"(program p
input A: f16[512, 512]
input B: f16[512, 512]
output C: f16[4096]
launch p on device (A, B, C) {
    bound block.y for by in 0..2 {
        bound block.x for bx in 0..2 {
            bound cluster.y for cy in 0..)" +
           y + R"( {
                bound cluster.x for cx in 0..)" +
           x + R"( {
                    bound thread.x for t in 0..96 {
                        allocate done: u64[2] in shared
                        allocate here: u64[2] in shared
                        allocate As: f16[2, 64, 64] in shared
                        allocate Bs: f16[2, 64, 64] in shared
                        threads 0..64 {
                            for k in 0..)" +
           turns + R"( {
                                wait T 0 by here
                                C[t] = As[k%2, t, 0] + Bs[k%2, t, 0]
                                release T by done
                            }
                        }
                        threads 64..65 {
                            for g in 0..)" +
           turns + R"( {
                                acquire T by done
                                bulk copy T As[g%2, 0, 0] = A[)" +
           a + R"(, g*64] of [64, 64] by here
                                bulk copy T Bs[g%2, 0, 0] = B[g*64, (bx*2 + cx)*64] of [64, 64] by here
                                commit T by here
                            }
                        }
                    }
                }
            }
        }
    }
}
)";
}

std::string shared(const std::string& text) {
    const auto program = multicast_copies(test::parsed(text), {});
    const auto out = to_text(program);
    EXPECT_EQ(format(verify(program)), "") << out;
    const auto again = parse_program(out);
    EXPECT_TRUE(again && equal(*again, program)) << out;
    return out;
}

TEST(MulticastCopies, FollowFromWhatABoxDependsOn) {
    const auto text = shared(loads());
    EXPECT_THAT(text, HasSubstr("g*64] of [64, 64] by here over cluster.x\n")) << text;
    EXPECT_THAT(text, HasSubstr("(bx*2 + cx)*64] of [64, 64] by here over cluster.y\n"));
    EXPECT_THAT(text, HasSubstr("release T by done over cluster\n"));
    EXPECT_THAT(text, HasSubstr("barrier cluster\n                        threads 0..64 {"));
    EXPECT_THAT(text, HasSubstr("commit T by here\n                            }\n"
                                "                        }\n"
                                "                        barrier cluster\n"));
}

TEST(MulticastCopies, ABoxOfAllBlocksIsEverybodys) {
    EXPECT_THAT(shared(loads("2, 2", "0")),
                HasSubstr("A[0, g*64] of [64, 64] by here over cluster\n"));
    const auto row = shared(loads("1, 2")); // As does not depend on cluster.x, Bs does
    EXPECT_THAT(row, HasSubstr("g*64] of [64, 64] by here over cluster.x\n"));
    EXPECT_THAT(row, HasSubstr("cx)*64] of [64, 64] by here\n"));
}

TEST(MulticastCopies, WhatDependsOnTheBlockIsItsOwn) {
    EXPECT_EQ(shared(loads("1, 1")), to_text(test::parsed(loads("1, 1")))) << "no clusters";
    // One block would come to a step more often than others.
    for (const auto* turns : {"cx + 4", "cy + 4"}) {
        const auto text = loads("2, 2", "0", turns);
        EXPECT_EQ(shared(text), to_text(test::parsed(text)));
    }
    // Half a pattern of rows would be each block's part.
    auto swizzled = loads("1, 8");
    for (auto at = swizzled.find("] by here\n"); at != std::string::npos;
         at = swizzled.find("] by here\n", at + 1))
        swizzled.insert(at + 1, " swizzle 128");
    EXPECT_THAT(shared(swizzled), HasSubstr("over cluster.x"));
    for (auto at = swizzled.find("[64, 64] swizzle"); at != std::string::npos;
         at = swizzled.find("[64, 64] swizzle", at + 1))
        swizzled.replace(at, 8, "[32, 64]");
    EXPECT_THAT(shared(swizzled), Not(HasSubstr("over")));
}

// Each of these lets a block overwrite what another one still reads, or write to memory that is not
// its any more.
TEST(MulticastCopies, PlantedFaultsAreFound) {
    const auto right = shared(loads());
    auto fault = [&](const std::string& from, const std::string& to, std::size_t number = 0) {
        auto text = right;
        auto at = text.find(from);
        while (number-- > 0)
            at = text.find(from, at + 1);
        text.replace(at, from.size(), to);
        const auto program = parse_program(text);
        EXPECT_TRUE(program) << format(program.errors());
        return format(verify(*program));
    };
    EXPECT_EQ(fault("barrier cluster", "barrier cluster"), "");
    EXPECT_THAT(fault("barrier cluster", "barrier block"), HasSubstr("not all have begun"));
    EXPECT_THAT(fault("barrier cluster", "barrier block", 1), HasSubstr("some may have ended"));
    EXPECT_THAT(fault("by done over cluster", "by done"),
                HasSubstr("a release of the pipeline T that not all blocks count"));
    EXPECT_THAT(fault("over cluster.x", "over cluster.y"),
                HasSubstr("blocks along cluster.y do not share the bulk copy to As"));
    EXPECT_THAT(fault("over cluster.x", "over cluster"), HasSubstr("do not share"));
    EXPECT_THAT(fault("for g in 0..8", "for g in 0..8 + cx*0"), HasSubstr("do not share"));
}

} // namespace
} // namespace loopscope::lower
