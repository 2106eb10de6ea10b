// Copies that some threads ask for and others use: who waits for whom, and what is found where a
// step is missing.
#include "tests/simt/simt_support.h"

#include <tuple>

namespace loopscope {
namespace test_simt_handovers {

using namespace test;

// Slots of 32 elements, of which groups use one after the other; each of two warps of readers sums
// its own half of a slot.
const std::string kPipeline = R"(
program p flat
input A: f32[8, 32]
output out: f32[512]
launch p on device (A, out) {
    bound block.x for b in 0..2 {
        bound thread.x for t in 0..96 {
            allocate done: u64[3] in shared
            allocate here: u64[3] in shared
            allocate s: f32[96] in shared
            threads 0..64 {
                for k in 0..8 {
                    wait tok 0 by here  @ C/wait
                    if t < 32 {
                        out[b*256 + k*32 + t] = s[k % 3 * 32 + t]  @ C/@compute
                    }
                    barrier block  @ C/barrier
                    release tok by done  @ C/release
                }
            }
            threads 64..65 {
                for g in 0..8 {
                    acquire tok by done  @ As/acquire
                    bulk copy tok s[g % 3 * 32] = A[g, 0] of [1, 32] by here  @ As/@compute
                    commit tok by here  @ As/commit
                }
            }
        }
    }
}
)";

SimtRun piped(const std::string& text, bool right = true) {
    return run(text, {{"A", random(T::F32, {8, 32})}}, right);
}

std::string without(const std::string& step) {
    const auto begin = kPipeline.find(step);
    EXPECT_NE(begin, std::string::npos) << step;
    return replaced(kPipeline, kPipeline.substr(begin, kPipeline.find('\n', begin) - begin), "");
}

TEST(SimtHandovers, ReadersGetWhatOthersAskedFor) {
    const auto result = piped(kPipeline);
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    const auto a = random(T::F32, {8, 32});
    for (std::size_t i = 0; i < 256; ++i) {
        EXPECT_EQ(values<float>(result, "out").at(i), a.as<float>()[i]);
        EXPECT_EQ(values<float>(result, "out").at(256 + i), a.as<float>()[i]);
    }
    EXPECT_EQ(counts_of(result, "As/@compute").asynchronous_bytes, 2u * 8 * 128);
    EXPECT_EQ(counts_of(result, "C/barrier").barriers, 2u * 8) << "of two warps of three";
}

// Products that an iteration leaves under way read their slot until the next iteration awaits them.
const std::string kProducts = R"(
program p flat
input A: f16[256, 16]
input B: f16[16, 64]
output C: f32[4096]
launch p on device (A, B, C) {
    bound thread.x for t in 0..160 {
        allocate done: u64[2] in shared
        allocate here: u64[2] in shared
        allocate a: f16[2048] in shared align 1024
        allocate b: f16[1024] in shared align 1024
        for n in 0..1024 {
            if t == 0 {
                b[n/64*64 + (n%64/8 ^ n/64%8)*8 + n%8] = B[n]
            }
        }
        barrier block
        threads 0..128 {
            allocate d: f32[32] in register
            for n_1 in 0..32 {
                d[n_1] = 0.0
            }
            for k in 0..4 {
                wait tok 0 by here
                intrinsic wgmma_begin_32 d[0]
                intrinsic wgmma_m64n64k16_f16 d[0], a[k%2*1024] matrix 64, 16 along 1 of 32, b[0] matrix 16, 64 along 1 of 128, d[0]  @ C/@compute
                intrinsic wgmma_leave_32 d[0]
                if k != 0 {
                    release tok by done  @ C/release
                }
            }
            intrinsic wgmma_end_32 d[0]
            release tok by done
            for n_2 in 0..32 {
                C[(t/32*16 + t%32/4 + n_2/2%2*8)*64 + t%4*2 + n_2%2 + n_2/4*8] = d[n_2]
            }
        }
        threads 128..129 {
            for g in 0..4 {
                acquire tok by done
                bulk copy tok a[g%2*1024] = A[g*64, 0] of [64, 16] swizzle 32 by here
                commit tok by here
            }
        }
    }
}
)";

SimtRun products(const std::string& text, bool right = true) {
    return run(text, {{"A", random(T::F16, {256, 16}, 1)}, {"B", random(T::F16, {16, 64}, 2)}},
               right);
}

TEST(SimtHandovers, ARoomOfProductsIsReleasedOneIterationLater) {
    const auto later = products(kProducts);
    EXPECT_TRUE(later.findings.empty()) << format(later.findings);
    const std::string guard = "                if k != 0 {\n                    release tok by "
                              "done  @ C/release\n                }\n";
    // With every group awaited where it ends, at once.
    auto awaited = replaced(kProducts, "wgmma_leave_32", "wgmma_end_32");
    awaited = replaced(awaited, guard, "                release tok by done\n");
    awaited = replaced(
        awaited, "            intrinsic wgmma_end_32 d[0]\n            release tok by done\n", "");
    const auto at_once = products(awaited);
    EXPECT_TRUE(at_once.findings.empty()) << format(at_once.findings);
    EXPECT_EQ(values<float>(later, "C"), values<float>(at_once, "C"));

    auto early = replaced(kProducts, guard, "                release tok by done  @ C/release\n");
    early = replaced(early,
                     "            intrinsic wgmma_end_32 d[0]\n            release tok by done\n",
                     "            intrinsic wgmma_end_32 d[0]\n");
    const auto found = products(early);
    ASSERT_FALSE(found.findings.empty());
    EXPECT_EQ(found.findings[0].kind, Kind::ReadBeforeArrival);
    EXPECT_NE(found.findings[0].message.find(
                  "releases a slot of a while products of its group are under way"),
              std::string::npos)
        << found.findings[0].message;
}

// The verifier refuses it as well.
TEST(SimtHandovers, SumsUnderWayAreInNoRegister) {
    const auto result =
        products(replaced(kProducts, "            intrinsic wgmma_end_32 d[0]\n", ""), false);
    ASSERT_EQ(result.findings.size(), 2u) << format(result.findings);
    EXPECT_EQ(result.findings[0].kind, Kind::ReadBeforeArrival) << "the last room";
    EXPECT_EQ(result.findings[1].kind, Kind::UninitializedRead);
}

// Before warps are parted all threads do both.
TEST(SimtHandovers, AllThreadsMayDoBoth) {
    const auto result = piped(R"(
program p flat
input A: f32[8, 32]
output out: f32[256]
launch p on device (A, out) {
    bound thread.x for t in 0..64 {
        allocate done: u64[2] in shared
        allocate here: u64[2] in shared
        allocate s: f32[64] in shared
        for k in 0..8 {
            acquire tok producers 1 by done
            bulk copy tok s[k % 2 * 32] = A[k, 0] of [1, 32] by here
            commit tok by here
            wait tok 0 by here
            if t < 32 {
                out[k*32 + t] = s[k % 2 * 32 + t]
            }
            release tok by done
        }
    }
}
)");
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
}

TEST(SimtHandovers, WithoutAWaitNothingIsHeld) {
    const auto result = piped(without("wait tok 0"));
    ASSERT_FALSE(result.findings.empty());
    EXPECT_EQ(result.findings[0].kind, Kind::ReadBeforeArrival);
    EXPECT_NE(result.findings[0].message.find("the thread holds no group"), std::string::npos);
}

TEST(SimtHandovers, WithoutAReleaseNobodyGoesOn) {
    const auto result = piped(without("release tok"), true);
    ASSERT_EQ(result.findings.size(), 1u) << format(result.findings);
    EXPECT_EQ(result.findings[0].kind, Kind::Deadlock);
    EXPECT_NE(result.findings[0].message.find("waits at a step acquire (As/acquire)"),
              std::string::npos)
        << result.findings[0].message;
}

TEST(SimtHandovers, WithoutACommitNobodyGoesOn) {
    const auto result = piped(without("commit tok"));
    ASSERT_FALSE(result.findings.empty());
    EXPECT_EQ(result.findings.back().kind, Kind::Deadlock) << format(result.findings);
}

// However late the readers are: nobody has said that the slot is free.
TEST(SimtHandovers, AGroupThatNoRoomWasAcquiredFor) {
    auto text = replaced(
        kPipeline, "for g in 0..8 {\n                    acquire tok by done  @ As/acquire\n",
        "for g in 0..8 {\n                    if g < 7 {\n                        acquire tok by "
        "done  @ As/acquire\n                    }\n");
    const auto result = piped(text);
    EXPECT_TRUE(std::any_of(result.findings.begin(), result.findings.end(), [](const auto& f) {
        return f.kind == Kind::ReadBeforeArrival && f.origin.text() == "As/@compute" &&
               f.message.find("no slot has been acquired for") != std::string::npos;
    })) << format(result.findings);
}

TEST(SimtHandovers, ARoomThatIsStillRead) {
    const auto result = piped(replaced(kPipeline, "s[g % 3 * 32] = A", "s[g % 2 * 32] = A"));
    ASSERT_FALSE(result.findings.empty());
    EXPECT_EQ(result.findings[0].kind, Kind::ReadBeforeArrival);
}

TEST(SimtHandovers, AReadBehindTheRelease) {
    const auto result =
        piped(replaced(kPipeline, "release tok by done  @ C/release\n",
                       "release tok by done  @ C/release\n                    if t == 0 {\n"
                       "                        out[b*256] = s[k % 3 * 32]  @ C/late\n"
                       "                    }\n"));
    expect_only(result, Kind::ReadBeforeArrival, "C/late", "holds no group");
}

TEST(SimtHandovers, AReadOfAnotherRoom) {
    const auto result =
        piped(replaced(kPipeline, "= s[k % 3 * 32 + t]", "= s[(k + 1) % 3 * 32 + t]"));
    ASSERT_FALSE(result.findings.empty());
    for (const auto& finding : result.findings)
        EXPECT_TRUE(finding.kind == Kind::ReadBeforeArrival ||
                    finding.kind == Kind::UninitializedRead)
            << format(result.findings);
}

TEST(SimtHandovers, AWriteToWhatOthersLoad) {
    const auto result =
        piped(replaced(kPipeline, "barrier block  @ C/barrier\n",
                       "barrier block  @ C/barrier\n"
                       "                    s[k % 3 * 32 + t/2] = 0.0  @ C/write\n"));
    expect_only(result, Kind::ReadBeforeArrival, "C/write", "producer warpgroups load it");
}

// No program may have an allocation at the place of one that producers load, or fewer mbarriers on
// one side.
TEST(SimtHandovers, RoomsAndObjectsAreTheirOwn) {
    auto refused = [](const std::string& text) {
        const auto program = lower::parse_program(text);
        EXPECT_TRUE(program) << format(program.errors());
        return program ? format(lower::verify(*program)) : std::string();
    };
    EXPECT_NE(refused(replaced(kPipeline, "here: u64[3]", "here: u64[2]"))
                  .find("mbarriers done, and 2 mbarriers here"),
              std::string::npos);
    const auto planned =
        replaced(replaced(kPipeline, "s: f32[96] in shared", "s: f32[96] in shared at 128"),
                 "done: u64[3] in shared", "done: u64[3] in shared at 504");
    EXPECT_NE(refused(planned).find("the buffer done lies where s does"), std::string::npos)
        << refused(planned);
    EXPECT_EQ(refused(replaced(planned, "at 504", "at 512")), "");
}

// Readers of one warp release, and the slot is not free before the other one's does.
TEST(SimtHandovers, AReleaseOfSomeWarpsAlone) {
    const auto result = piped(replaced(kPipeline, "release tok by done  @ C/release",
                                       "if t < 32 {\n                        release tok by done  "
                                       "@ C/release\n                    }"),
                              false);
    EXPECT_TRUE(std::any_of(result.findings.begin(), result.findings.end(), [](const auto& f) {
        return f.kind == Kind::Deadlock;
    })) << format(result.findings);
}

// Blocks run one after another: that they ask for the same box is proven of the program, or it does
// not run.
TEST(SimtHandovers, BlocksOfAClusterShareCopies) {
    const std::string text = on_device("input A: f32[8, 32]\noutput out: f32[512]",
                                       R"(    bound cluster.x for b in 0..2 {
        bound thread.x for t in 0..96 {
            allocate done: u64[2] in shared
            allocate here: u64[2] in shared
            allocate s: f32[128] in shared
            barrier cluster
            threads 0..64 {
                for k in 0..4 {
                    wait tok 0 by here
                    out[b*256 + k*64 + t] = s[k % 2 * 64 + t]
                    release tok by done over cluster
                }
            }
            threads 64..65 {
                for g in 0..4 {
                    acquire tok by done
                    bulk copy tok s[g % 2 * 64] = A[g*2, 0] of [2, 32] by here over cluster.x
                    commit tok by here
                }
            }
            barrier cluster
        }
    }
)");
    const auto a = random(T::F32, {8, 32});
    const auto result = run(text, {{"A", a}});
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    for (std::size_t i = 0; i < 512; ++i)
        EXPECT_EQ(values<float>(result, "out").at(i), a.as<float>()[i % 256]);
    for (const auto& [from, to, said] :
         {std::tuple("A[g*2, 0]", "A[g*2 - b, 0]", "do not share the bulk copy to s"),
          std::tuple("done over cluster", "done", "a release of the pipeline tok that not all"),
          std::tuple("barrier cluster", "", "some may have ended")}) {
        const auto program = parsed(replaced(text, from, to), false);
        const auto refused = run_simt_program(program, {{"A", a}}, {});
        ASSERT_FALSE(refused) << from;
        EXPECT_NE(format(refused.errors()).find(said), std::string::npos)
            << format(refused.errors());
    }
}

} // namespace test_simt_handovers
} // namespace loopscope
