// What the SIMT interpreter finds in memory: races, reads of what nobody wrote, accesses outside.
#include "tests/simt/simt_support.h"

namespace loopscope {
namespace {

using namespace test;

// A block of `threads`: each writes its element of s, then BETWEEN, then reads INDEX.
std::string exchange(int threads, const std::string& between, const std::string& index,
                     const std::string& write = "s[t] = t  @ S/@compute") {
    auto n = std::to_string(threads);
    return "program p\noutput out: i32[" + n + "]\nlaunch p on device (out) {\n" +
           "bound block.x for b in 0..1 {\nbound thread.x for t in 0.." + n + " {\n" +
           "allocate s: i32[" + n + "] in shared\n" + write + "\n" + between + "\n" +
           "out[t] = s[" + index + "]  @ C/@compute\n}\n}\n}\n";
}

TEST(SimtRaces, BetweenWarps) {
    expect_only(run(exchange(64, "", "(t + 32) % 64")), Kind::Race, "C/@compute S/@compute",
                "with no barrier between them");
    EXPECT_TRUE(run(exchange(64, "barrier block", "(t + 32) % 64")).findings.empty());
    // A warp's barrier orders no other warp.
    expect_only(run(exchange(64, "barrier warp", "(t + 32) % 64")), Kind::Race,
                "C/@compute S/@compute", "no barrier");
}

TEST(SimtRaces, InsideAWarpLockstepOrdersNothing) {
    auto result = run(exchange(32, "", "31 - t"));
    expect_only(
        result, Kind::Race, "C/@compute S/@compute",
        "s[31] is written by thread 31 and read by thread 0 of block 0 with no barrier between "
        "them");
    EXPECT_EQ(result.findings[0].count, 32u);
    EXPECT_TRUE(run(exchange(32, "barrier warp", "31 - t")).findings.empty());
    EXPECT_TRUE(run(exchange(32, "barrier block", "31 - t")).findings.empty());
    EXPECT_TRUE(run(exchange(32, "", "t")).findings.empty());
}

TEST(SimtRaces, StoresOfTheSameValueRace) {
    expect_only(run(exchange(32, "barrier block", "0", "s[0] = 1  @ S/@compute")), Kind::Race,
                "S/@compute S/@compute", "s[0] is written by thread 0 and written by thread 1");
    expect_only(run(exchange(64, "barrier block", "t % 32", "s[t % 32] = 1  @ S/@compute")),
                Kind::Race, "S/@compute S/@compute", "");
}

TEST(SimtRaces, AWriteBehindReadsNeedsABarrierToo) {
    const std::string text = on_device("output out: i32[64]", R"(    bound thread.x for t in 0..64 {
        allocate s: i32[64] in shared
        for k in 0..4 {
            s[t] = t + k  @ S/@compute
            barrier block
            out[t] = s[63 - t]  @ C/@compute
            barrier block  @ C/k
        }
    }
)");
    EXPECT_TRUE(run(text).findings.empty());
    expect_only(run(replaced(text, "            barrier block  @ C/k\n", "")), Kind::Race,
                "C/@compute S/@compute", "");
}

TEST(SimtRaces, ManyReadersAndALateWriter) {
    // Every thread reads s[0]; one of them, of the last warp, writes it in the same epoch.
    expect_only(run(exchange(128, "barrier block\nif t == 100 {\ns[0] = 5  @ W/@compute\n}", "0")),
                Kind::Race, "C/@compute W/@compute", "written by thread 100");
    // Only the writer itself reads it.
    EXPECT_TRUE(run(exchange(128, "barrier block\nif t == 100 {\ns[100] = 5  @ W/@compute\n}", "t"))
                    .findings.empty());
}

TEST(SimtRaces, BetweenBlocks) {
    const std::string text = R"(
program p
buffer T: i32[64]
output out: i32[64]
launch first on device (T) {
    bound block.y for c in 0..2 {
        bound block.x for b in 0..2 {
            bound thread.x for t in 0..16 {
                T[32*c + 16*b + t] = t  @ T/@compute
            }
        }
    }
}
launch second on device (T, out) {
    bound block.y for f in 0..2 {
        bound block.x for e in 0..2 {
            bound thread.x for u in 0..16 {
                out[32*f + 16*e + u] = T[63 - 32*f - 16*e - u]  @ C/@compute
            }
        }
    }
}
)";
    EXPECT_TRUE(run(text).findings.empty());
    auto same = run(replaced(text, "T[32*c + 16*b + t] = t", "T[32*c + t] = t + b"));
    EXPECT_TRUE(has(same, Kind::Race, "T/@compute T/@compute"));
    // What leaves the same, whoever comes last, is none: a tile that moves inwards stores points
    // once more.
    auto repeated = run(replaced(text, "T[32*c + 16*b + t] = t", "T[32*c + t] = t"));
    EXPECT_FALSE(has(repeated, Kind::Race, "T/@compute T/@compute"));
    EXPECT_TRUE(has(same, Kind::UninitializedRead, "C/@compute ")); // of the other half
    auto one_launch = replaced(text, "}\nlaunch second on device (T, out) {", "");
    one_launch = replaced(one_launch, "(T)", "(T, out)");
    one_launch =
        replaced(one_launch, R"(            }
        }
    }

    bound block.y for f in 0..2 {
        bound block.x for e in 0..2 {
            bound thread.x for u in 0..16 {
                out[32*f + 16*e + u] = T[63 - 32*f - 16*e - u]  @ C/@compute
)",
                 "                barrier block\n"
                 "                out[32*c + 16*b + t] = T[63 - 32*c - 16*b - t]  @ C/@compute\n");
    auto result = run(one_launch);
    expect_only(result, Kind::Race, "C/@compute T/@compute", "of block (");
    EXPECT_EQ(result.findings[0].count, 64u);
}

TEST(SimtRaces, AtomicStores) {
    auto with = [](const std::string& first, const std::string& second) {
        return run(
            "program p\noutput out: i32[1]\nlaunch zero on device (out) {\nbound thread.x for "
            "z in 0..1 {\nout[0] = 0\n}\n}\nlaunch p on device (out) {\nbound block.x for b in "
            "0..3 {\nbound thread.x for t in 0..64 {\n" +
            first + "  @ A/@compute\n" + second + "  @ B/@compute\n}\n}\n}\n");
    };
    auto result = with("atomic out[0] += 1", "atomic out[0] += t");
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    EXPECT_EQ(values<std::int32_t>(result, "out").at(0), 3 * 64 + 3 * 63 * 32);
    expect_only(with("atomic out[0] += 1", "atomic out[0] max= t"), Kind::Race,
                "B/@compute A/@compute", "updated by thread");
    expect_only(with("atomic out[0] += 1", "evaluate out[0]"), Kind::Race, "B/@compute A/@compute",
                "read by thread");
    // The plain stores of several blocks race with each other too, which need not be told.
    auto plain = with("atomic out[0] += 1", "if t == 3 {\nout[0] = 1  @ P/@compute\n}\nevaluate 0");
    EXPECT_TRUE(has(plain, Kind::Race, "P/@compute A/@compute")) << format(plain.findings);
    for (const auto& f : plain.findings)
        EXPECT_EQ(f.kind, Kind::Race);
}

TEST(SimtRaces, OneFaultIsNotTwo) {
    // Whichever warp is first, the read of what may not be there yet is the race, and no read of
    // what nobody wrote.
    auto result = run(exchange(64, "", "63 - t"));
    expect_only(result, Kind::Race, "C/@compute S/@compute", "");
}

TEST(SimtUninitialized, SharedMemory) {
    expect_only(run(exchange(32, "barrier block", "t", "if t < 31 {\ns[t] = t\n}")),
                Kind::UninitializedRead, "C/@compute",
                "thread 31 of block 0 reads s[31], which nothing has written");
    // A thread that writes after it reads does not race with itself.
    expect_only(run(exchange(32, "", "t", "evaluate s[t]  @ E/@compute\ns[t] = t")),
                Kind::UninitializedRead, "E/@compute", "thread 0");
}

TEST(SimtUninitialized, EachBlockBeginsAnew) {
    auto text = replaced(exchange(32, "barrier block", "t", "if b == 0 {\ns[t] = t\n}"),
                         "for b in 0..1", "for b in 0..2");
    text = replaced(replaced(text, "out: i32[32]", "out: i32[64]"), "out[t]", "out[32*b + t]");
    expect_only(run(text), Kind::UninitializedRead, "C/@compute", "of block 1 reads s[0]");
}

TEST(SimtUninitialized, MemoryOfThreads) {
    auto result = run(on_device("output out: i32[32]", R"(    bound thread.x for t in 0..32 {
        for k in 0..2 {
            allocate r: i32[2] in local
            if t > 3 {
                r[k] = t
            }
            out[t] = r[k]  @ C/@compute
            evaluate r[1]  @ E/@compute
        }
    }
)"));
    ASSERT_EQ(result.findings.size(), 2u) << format(result.findings);
    EXPECT_EQ(result.findings[0].count, 2u * 4);
    EXPECT_EQ(result.findings[0].message,
              "thread 0 of block 0 reads r[0], which nothing has written");
    // In the first iteration nobody has written r[1]; in the second the first's r[0] would be gone.
    EXPECT_EQ(result.findings[1].count, 32u + 4);
}

TEST(SimtUninitialized, BuffersOfTheDeviceAndOutputs) {
    const std::string text = R"(
program p
buffer T: i32[32]
output out: i32[32]
launch first on device (T) {
    bound thread.x for t in 0..32 {
        T[t] = t
    }
}
launch second on device (T, out) {
    bound thread.x for u in 0..32 {
        out[u] = T[31 - u]  @ C/@compute
    }
}
)";
    EXPECT_TRUE(run(text).findings.empty());
    expect_only(run(replaced(text, "for t in 0..32", "for t in 0..20")), Kind::UninitializedRead,
                "C/@compute", "reads T[31], which nothing has written");
    expect_only(run(replaced(text, "for u in 0..32", "for u in 0..20")), Kind::UninitializedRead,
                "", "out[20] of the output was never written");
}

TEST(SimtUninitialized, BuffersThatShareTheirRoom) {
    const std::string text = R"(
program p
buffer T: i32[32] at 0
buffer U: i32[32] at 128
output out: i32[32]
launch first on device (T) {
    bound thread.x for t in 0..32 {
        T[t] = t
    }
}
launch second on device (U) {
    bound thread.x for u in 0..32 {
        U[u] = u
    }
}
launch third on device (T, U, out) {
    bound thread.x for v in 0..32 {
        out[v] = T[v] + U[v]  @ C/@compute
    }
}
)";
    EXPECT_TRUE(run(text).findings.empty());
    expect_only(run(replaced(text, "at 128", "at 124")), Kind::UninitializedRead, "C/@compute",
                "reads T[0], which nothing has written since U took its place");
}

TEST(SimtBounds, AccessesOutsideAreLeftOut) {
    auto result = run(
        on_device("input A: i32[4, 8]\noutput out: i32[64]", R"(    bound block.x for b in 0..2 {
        bound thread.x for t in 0..33 {
            out[32*b + t where t < 32 or b == 1] = A[t/8, t % 9]  @ C/@compute
        }
    }
)"),
        {{"A", random(T::I32, {4, 8})}}, true);
    ASSERT_EQ(result.findings.size(), 2u) << format(result.findings);
    for (const auto& f : result.findings)
        EXPECT_EQ(f.kind, Kind::OutOfBounds);
    auto text = format(result.findings);
    EXPECT_NE(text.find("C/@compute thread 8 of block "), std::string::npos);
    EXPECT_NE(text.find(" reads A[1, 8], whose extents are [4, 8] (8 times)"), std::string::npos);
    EXPECT_NE(text.find("thread 32 of block 1 writes out[64], whose extents are [64] (1 time)"),
              std::string::npos);
}

} // namespace
} // namespace loopscope
