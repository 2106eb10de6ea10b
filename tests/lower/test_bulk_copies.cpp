// Copies that the threads of a block make together become bulk copies of the tensor memory
// accelerator (TMA), where its boxes allow it.
#include "lower_support.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace test_bulk_copies {

using ::testing::HasSubstr;
using ::testing::Not;

const char* const kPipeline = R"(
program p
input A: f16[64, 256]
output C: f16[64, 256]
launch C on device (A, C) {
    bound block.x for b in 0..2 {
        bound thread.x for t in 0..32 {
            allocate s: f16[2, 32, 64] in shared
            acquire s.copies  @ s/@compute
            bound threads for i in 0..32 {
                bound threads for k in 0..8 {
                    vectorised for v in 0..8 {
                        copy s.copies s[0, i, k*8 + v] = A[b*32 + i, k*8 + v]  @ s/@compute
                    }
                }
            }
            commit s.copies  @ s/@compute
            for ko in 0..4 {
                wait s.copies 0
                barrier block
                if ko < 3 {
                    bound threads for i_1 in 0..32 {
                        bound threads for k_1 in 0..64 {
                            copy s.copies s[(ko + 1)%2, i_1, k_1] = A[b*32 + i_1, (ko + 1)*64 + k_1]
                        }
                    }
                }
                commit s.copies
                C[b*32 + t, ko*64] = s[ko%2, t, 0]
                release s.copies
            }
        }
    }
}
)";

Program bulk(const std::string& text, bool has_engine = true) {
    TargetInfo target;
    target.bulk_tensor_copies = has_engine;
    auto program = bulk_copies(test::parsed(text), target);
    auto errors = verify(program);
    EXPECT_TRUE(errors.empty()) << format(errors) << to_text(program);
    return program;
}

std::string with(std::string what, std::string by) {
    std::string text = kPipeline;
    std::size_t found = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
        text.replace(at, what.size(), by);
        ++found;
    }
    EXPECT_GT(found, 0u) << what;
    return text;
}

const std::string kSwizzled =
    with("f16[2, 32, 64] in shared", "f16[2, 32, 64] in shared align 1024 swizzle 128");

TEST(BulkCopies, BoxesAreOneRequest) {
    EXPECT_EQ("\n" + to_text(bulk(kPipeline)), R"(
program p
input A: f16[64, 256]
output C: f16[64, 256]
launch C on device (A, C) {
    bound block.x for b in 0..2 {
        bound thread.x for t in 0..32 {
            allocate s.copies.arrivals: u64[2] in shared
            allocate s: f16[2, 32, 64] in shared
            acquire s.copies
            bulk copy s.copies s[0, 0, 0] = A[b*32, 0] of [32, 64] by s.copies.arrivals
            commit s.copies by s.copies.arrivals
            for ko in 0..4 {
                wait s.copies 0 by s.copies.arrivals
                barrier block
                if ko < 3 {
                    bulk copy s.copies s[(ko + 1)%2, 0, 0] = A[b*32, (ko + 1)*64] of [32, 64] by s.copies.arrivals
                }
                commit s.copies by s.copies.arrivals
                C[b*32 + t, ko*64] = s[ko%2, t, 0]
                release s.copies
            }
        }
    }
}
)");
}

TEST(BulkCopies, LoopsOfOneIterationWalkThroughNothing) {
    const std::string copied =
        "copy s.copies s[(ko + 1)%2, i_1, k_1] = A[b*32 + i_1, (ko + 1)*64 + k_1]";
    for (const auto* by : {"", " + one"}) { // not in any index; in one
        const auto text = to_text(bulk(
            with(copied, "bound threads for one in 0..1 {\ncopy s.copies s[(ko + 1)%2, i_1, k_1] "
                         "= A[b*32 + i_1" +
                             std::string(by) + ", (ko + 1)*64 + k_1]\n}")));
        EXPECT_THAT(text, HasSubstr("bulk copy s.copies s[(ko + 1)%2, 0, 0]")) << by;
    }
}

TEST(BulkCopies, TheTextIsReadBack) {
    for (const auto& one : {std::string(kPipeline), kSwizzled}) {
        const auto program = bulk(one);
        const auto text = to_text(program);
        EXPECT_EQ(to_text(test::parsed(text)), text);
        const auto with_origins = to_text_with_origins(program);
        EXPECT_EQ(to_text_with_origins(test::parsed(with_origins)), with_origins);
    }
}

// The TMA permutes by itself: the pass that does it for the threads' accesses leaves the copies.
TEST(BulkCopies, RowsAsLongAsAPatternAreSwizzled) {
    const auto text = to_text(swizzle(bulk(kSwizzled), {}));
    EXPECT_THAT(text,
                HasSubstr("bulk copy s.copies s[0, 0, 0] = A[b*32, 0] of [32, 64] swizzle 128 "
                          "by s.copies.arrivals"));
}

// Rows of two patterns: the panels are requests of their own, and the barrier in front of them
// still stands for both.
TEST(BulkCopies, LongRowsAreARequestForEachPanel) {
    auto text = with("k_1 in 0..64", "k_1 in 0..128");
    const auto edit = [&](const std::string& what, const std::string& by) {
        const auto at = text.find(what);
        ASSERT_NE(at, std::string::npos) << what;
        text.replace(at, what.size(), by);
    };
    edit("f16[2, 32, 64] in shared", "f16[2, 32, 128] in shared align 1024 swizzle 128");
    edit("k in 0..8", "k in 0..16");
    edit("(ko + 1)*64", "(ko + 1)*32");
    const auto program = bulk(text);
    const auto made = to_text(program);
    EXPECT_THAT(made, HasSubstr("s[0, 0, 0] = A[b*32, 0] of [32, 64] swizzle 128"));
    EXPECT_THAT(made, HasSubstr("s[0, 0, 64] = A[b*32, 64] of [32, 64] swizzle 128"));
    EXPECT_THAT(made, HasSubstr("s[(ko + 1)%2, 0, 64] = A[b*32, (ko + 1)*32 + 64] of [32, 64]"));
    const auto whole = to_text(barriers(divide_work(program, {}), {}));
    EXPECT_THAT(whole, HasSubstr("arrivals\n                barrier block"));
    EXPECT_THAT(to_text(swizzle(program, {})),
                HasSubstr("s[1, (ko + 1)%2, 0, 0] = A[b*32, (ko + 1)*32 + 64] of [32, 64]"));
}

TEST(BulkCopies, TheSourceKeepsItsCoordinates) {
    const auto text = to_text(flatten(bulk(kPipeline), {}));
    EXPECT_THAT(text, HasSubstr("= A[b*32, "));
    EXPECT_THAT(text, HasSubstr("bulk copy s.copies s[(ko + 1)%2*2048] = A["));
}

// The barrier in front of a copy stands for all that the box overwrites.
TEST(BulkCopies, BarriersAreWhereTheyWere) {
    for (const bool has_engine : {false, true}) {
        auto program = barriers(divide_work(bulk(kPipeline, has_engine), {}), {});
        const auto text = to_text(program);
        std::size_t count = 0;
        for (auto at = text.find("barrier block"); at != std::string::npos;
             at = text.find("barrier block", at + 1))
            ++count;
        EXPECT_EQ(count, 1u) << text;
        EXPECT_THAT(text, HasSubstr(has_engine ? "arrivals\n                barrier block"
                                               : "0\n                barrier block"));
    }
}

TEST(BulkCopies, AnotherTargetHasNone) {
    EXPECT_EQ(to_text(bulk(kPipeline, false)), to_text(test::parsed(kPipeline)));
}

TEST(BulkCopies, OthersStayTheThreads) {
    const std::pair<const char*, std::string> cases[] = {
        {"rows with a gap", with("s: f16[2, 32, 64]", "s: f16[2, 32, 72]")},
        {"an element has a condition", with("k_1] = A", "k_1 where ko < t] = A")},
        {"zeros for some", with("(ko + 1)*64 + k_1]", "(ko + 1)*64 + k_1 where k_1 < 8]")},
        {"turned", with("s[(ko + 1)%2, i_1, k_1] = A[b*32 + i_1, (ko + 1)*64 + k_1]",
                        "s[(ko + 1)%2, i_1, k_1] = A[b + k_1, (ko + 1)*32 + i_1]")},
        {"every other column", with("(ko + 1)*64 + k_1]", "(ko + 1)*64 + k_1*2]")},
        {"a diagonal", with("A[b*32 + i_1,", "A[k_1 + i_1,")},
        {"rows of the array at no multiple of 16 bytes",
         with("A: f16[64, 256]", "A: f16[64, 257]")},
        {"a box that begins inside", with("s[(ko + 1)%2, i_1,", "s[(ko + 1)%2, 31 - i_1,")},
    };
    for (const auto& [what, text] : cases) {
        SCOPED_TRACE(what);
        EXPECT_THAT(to_text(bulk(text)), Not(HasSubstr("bulk")));
    }
}

// No barrier orders what threads write and what the TMA reads.
TEST(BulkCopies, WhatTheLaunchWritesStaysTheThreads) {
    auto text = with("= A[b*32 + i, k*8 + v]", "= D[b*32 + i, k*8 + v]");
    const std::string copies = "= A[b*32 + i_1, (ko + 1)*64 + k_1]";
    text.replace(text.find(copies), copies.size(), "= D[b*32 + i_1, (ko + 1)*64 + k_1]");
    const std::string arguments = "launch C on device (A, C) {";
    text.replace(text.find(arguments), arguments.size(),
                 "buffer D: f16[64, 256]\nlaunch C on device (A, D, C) {");
    EXPECT_THAT(to_text(bulk(text)), HasSubstr("bulk copy"));
    const std::string acquired = "            acquire s.copies  @ s/@compute\n";
    text.replace(text.find(acquired), 0, "            D[b*32 + t, 0] = 1.0f16\n");
    EXPECT_THAT(to_text(bulk(text)), Not(HasSubstr("bulk copy")));
}

TEST(BulkCopies, TheVerifierKnowsTheirRules) {
    auto wrong = [](const std::string& what, const std::string& by) {
        auto text = to_text(bulk(kPipeline));
        const auto at = text.find(what);
        EXPECT_NE(at, std::string::npos) << what << "\n" << text;
        text.replace(at, what.size(), by);
        auto program = parse_program(text);
        return program ? format(verify(*program)) : format(program.errors());
    };
    EXPECT_THAT(wrong("of [32, 64]", "of [32]"), HasSubstr("other dimensions than A"));
    EXPECT_THAT(wrong("arrivals: u64", "arrivals: u32"), HasSubstr("has no mbarriers"));
    EXPECT_THAT(wrong("input A: f16", "input A: f32"), HasSubstr("a bulk copy of f32 to s"));
    EXPECT_THAT(wrong("if ko < 3", "if t < 3"), HasSubstr("not all threads reach"));
    EXPECT_THAT(wrong("= A[b*32, 0] of", "= A[b*32] of"), HasSubstr("other dimensions"));
    EXPECT_THAT(wrong("bulk copy s.copies s[0, 0, 0]", "bulk copy s.copies s[0]"),
                HasSubstr("by 1 indices"));
}

} // namespace test_bulk_copies
} // namespace loopscope::lower
