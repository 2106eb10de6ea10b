// Products of a warpgroup that run on into a loop's next iteration.
#include "lower_support.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace test_overlap_products {

using ::testing::HasSubstr;
using ::testing::Not;

// What readers do with a pipeline that others load; `body` is that of the launch's threads.
std::string kernel(const std::string& body, int rooms = 3) {
    const auto n = std::to_string(rooms);
    return "\nprogram p\ninput A: f16[4096]\noutput C: f32[64, 128]\nlaunch p on device (A, C) {\n"
           "    bound thread.x for t in 0..160 {\n"
           "        allocate T.releases: u64[" +
           n + "] in shared\n        allocate T.arrivals: u64[" + n +
           "] in shared\n"
           "        allocate a: f16[" +
           n +
           ", 64, 64] in shared align 1024\n        allocate b: f16[2, 64, 64] in shared align "
           "1024\n"
           "        threads 0..128 {\n            allocate d: f32[2, 64] in register\n" +
           body +
           "        }\n        threads 128..129 {\n            for g in 0..8 {\n"
           "                acquire T by T.releases\n"
           "                bulk copy T a[g%" +
           n +
           ", 0, 0] = A[g*64] of [64] by T.arrivals\n"
           "                commit T by T.arrivals\n            }\n        }\n    }\n}\n";
}

std::string product(const std::string& sums, const std::string& room = "k%3") {
    return "intrinsic wgmma_m64n128k16_f16 " + sums + ", a[" + room +
           ", 0, 0] matrix 64, 16 along 1 of 128, b[0, 0, 0] matrix 16, 128 along 1 of 128 every "
           "8192, " +
           sums + "\n";
}

std::string group(const std::string& sums, const std::string& in, const char* end = "end",
                  const std::string& room = "k%3") {
    return in + "intrinsic wgmma_begin_64 " + sums + "\n" + in + product(sums, room) + in +
           "intrinsic wgmma_" + end + "_64 " + sums + "\n";
}

const std::string kStep(16, ' ');
const std::string kWait = kStep + "wait T 0 by T.arrivals\n";
const std::string kRelease = "release T by T.releases\n";

std::string turns(const std::string& inside) {
    return "            for k in 0..8 {\n" + inside + "            }\n";
}

std::string overlapped(const std::string& text) { return test::after(overlap_products, text); }

TEST(OverlapProducts, AwaitedAndReleasedOneIterationLater) {
    EXPECT_EQ(overlapped(kernel(turns(kWait + group("d[0, 0]", kStep) + kStep + kRelease))),
              kernel(turns(kWait + group("d[0, 0]", kStep, "leave") + kStep + "if k != 0 {\n    " +
                           kStep + kRelease + kStep + "}\n") +
                     "            intrinsic wgmma_end_64 d[0, 0]\n            " + kRelease));
}

// The first iteration of all loops alone releases nothing.
TEST(OverlapProducts, LoopsOneInTheOther) {
    const std::string in(20, ' ');
    const auto text =
        overlapped(kernel("            for r in 0..2 {\n                for k in 0..4 {\n" + in +
                          "wait T 0 by T.arrivals\n" + group("d[0, 0]", in, "end", "(r*4 + k)%3") +
                          in + kRelease + "                }\n            }\n"));
    EXPECT_THAT(text, HasSubstr(group("d[0, 0]", in, "leave", "(r*4 + k)%3") + in +
                                "if r != 0 or k != 0 {\n"));
    EXPECT_THAT(text, HasSubstr("                }\n            }\n            intrinsic "
                                "wgmma_end_64 d[0, 0]\n            " +
                                kRelease));
}

// Names of what does not change are no statements.
TEST(OverlapProducts, LetsAreNoStatements) {
    const auto text = overlapped(kernel(turns(kWait + kStep + "let room = k%3 {\n" +
                                              group("d[0, 0]", kStep + "    ", "end", "room") +
                                              kStep + "}\n" + kStep + kRelease)));
    EXPECT_THAT(text, HasSubstr(group("d[0, 0]", kStep, "leave")));
}

TEST(OverlapProducts, WhatIsNeverChangedNeedsNoRooms) {
    const auto text = overlapped(kernel(turns(group("d[0, 0]", kStep, "end", "0"))));
    EXPECT_THAT(text, HasSubstr(turns(group("d[0, 0]", kStep, "leave", "0")) +
                                "            intrinsic wgmma_end_64 d[0, 0]\n"));
}

TEST(OverlapProducts, OthersStayAsTheyAre) {
    const auto whole = kWait + group("d[0, 0]", kStep) + kStep + kRelease;
    auto stays = [](const std::string& text) {
        EXPECT_EQ(overlapped(text), "\n" + to_text(test::parsed(text)));
    };
    // What stands beside the group may touch its sums.
    stays(kernel(turns(whole + kStep + "C[0, t] = d[0, 0]\n")));
    // With one slot the next group would wait for itself, with two the next load for the one
    // before.
    stays(kernel(turns(whole), 1));
    stays(kernel(turns(whole), 2));
    // Another iteration has other sums; a loop around has, or what stores them asks for them by a
    // number: then they lie in memory.
    stays(kernel(turns(kWait + group("d[k%2, 0]", kStep) + kStep + kRelease)));
    stays(kernel("            for i in 0..2 {\n" +
                 turns(kWait + group("d[i, 0]", kStep) + kStep + kRelease) + "            }\n"));
    stays(
        kernel(turns(whole) +
               "            for i in 0..64 {\n                C[i, t] = d[0, i]\n            }\n"));
    // A slot that nobody gives back in this loop; one that is given back before the products.
    stays(kernel(turns(kWait + group("d[0, 0]", kStep))));
    stays(kernel(turns(kWait + kStep + kRelease + group("d[0, 0]", kStep))));
    // One iteration has no next one.
    stays(kernel("            for k in 0..1 {\n" + whole + "            }\n"));
}

std::string wrong(const std::string& lines) {
    auto program = parse_program(kernel(lines));
    EXPECT_TRUE(program) << format(program.errors());
    return program ? format(verify(*program)) : "";
}

TEST(OverlapProducts, TheVerifierWantsThemAwaited) {
    const auto left = turns(kWait + group("d[0, 0]", kStep, "leave") + kStep + kRelease);
    const std::string end = "            intrinsic wgmma_end_64 d[0, 0]\n";
    const std::string use = "            C[0, t] = d[0, 0]\n";
    EXPECT_EQ(wrong(left + end + use), "");
    EXPECT_THAT(wrong(left), HasSubstr("are under way at the end"));
    EXPECT_THAT(wrong(left + use + end), HasSubstr("are touched while they are under way"));
    EXPECT_THAT(wrong(left + "            intrinsic wgmma_end_64 d[1, 0]\n"),
                HasSubstr("does not await all sums"));
    EXPECT_THAT(wrong(left + group("d[1, 0]", "            ", "leave", "0") + end),
                HasSubstr("which nothing awaits"));
    // In the next iteration, and on one side of a condition.
    EXPECT_THAT(wrong(turns(kStep + "C[0, t] = d[0, 0]\n" + kWait +
                            group("d[0, 0]", kStep, "leave") + kStep + kRelease) +
                      end),
                HasSubstr("are touched while they are under way"));
    // What they read, and sums of one side of a condition alone.
    EXPECT_THAT(wrong(left + "            b[0, t/2, t%2] = 0.0f16\n" + end),
                HasSubstr("which products under way may still read"));
    EXPECT_THAT(wrong("            if t < 300 {\n" + left + "            }\n" + use + end),
                HasSubstr("are touched while they are under way"));
    EXPECT_THAT(wrong(left + "            if t < 300 {\n    " + end + "            }\n" + use),
                HasSubstr("are touched while they are under way"));
}

} // namespace test_overlap_products
} // namespace loopscope::lower
