// Streaming stores and prefetches: hints that every pass keeps where they belong.
#include "lower_support.h"

#include "compiler/lower/statements.h"

namespace loopscope::lower {
namespace {

const std::string kHints =
    test::on_host("input A: f32[64, 64]\noutput C: f32[64, 64]", R"(    for i in 0..64 {
        prefetch A[min(i + 2, 63), 0]
        vectorised for j in 0..16 {
            stream C[i, j] = A[i, j]
        }
    }
)");

TEST(Streaming, TextIsReadBack) {
    auto program = test::parsed(kHints);
    EXPECT_EQ("\n" + to_text(program), kHints);
    auto again = parse_program(to_text_with_origins(program));
    ASSERT_TRUE(again.ok());
    EXPECT_TRUE(equal(program, *again));
    // A hint is a part of what is compared.
    auto plain = program;
    plain.launches[0].body = as_streaming(plain.launches[0].body, false);
    EXPECT_FALSE(equal(program, plain));
}

TEST(Streaming, VerifyRefusesWhatCannotBe) {
    auto errors = [](const std::string& line) {
        auto program = parse_program("program p\ninput A: f32[8]\noutput C: f32[8]\n"
                                     "launch p on host (A, C) {\n    " +
                                     line + "\n}\n");
        return program ? format(verify(*program)) : format(program.errors());
    };
    EXPECT_EQ(errors("prefetch A[3]"), "");
    EXPECT_NE(errors("prefetch B[3]").find("unknown buffer 'B'"), std::string::npos);
    EXPECT_NE(errors("prefetch A[ramp(0, 1, 4)]").find("a prefetch of 4 lanes of A"),
              std::string::npos);
    EXPECT_NE(errors("prefetch A[0, 0]").find("A has 1 indices, not 2"), std::string::npos);
}

TEST(Streaming, VectorizeKeepsIt) {
    EXPECT_EQ(test::after(vectorize, kHints),
              test::on_host("input A: f32[64, 64]\noutput C: f32[64, 64]", R"(    for i in 0..64 {
        prefetch A[min(i + 2, 63), 0]
        stream C[i, ramp(0, 1, 16)] = A[i, ramp(0, 1, 16)]
    }
)"));
}

TEST(Streaming, FlattenMakesOneIndex) {
    EXPECT_EQ(test::after(flatten, test::on_host("input A: f32[64, 64]\noutput C: f32[64, 64]",
                                                 R"(    for i in 0..62 {
        prefetch A[i + 2, 16]
        stream C[i, 3] = A[i, 3]
    }
)")),
              R"(
program p flat
input A: f32[64, 64]
output C: f32[64, 64]
launch p on host (A, C) {
    for i in 0..62 {
        prefetch A[i*64 + 144]
        stream C[i*64 + 3] = A[i*64 + 3]
    }
}
)");
}

// What accumulates stays in a register, and streams in the end. The element must not be read from
// memory meanwhile.
TEST(Streaming, AccumulatorsStreamInTheEnd) {
    EXPECT_EQ(
        test::after(promote_accumulators,
                    test::on_host("input A: f32[64, 64]\noutput C: f32[64]", R"(    for i in 0..64 {
        stream C[i] = 0.0
        for k in 0..64 {
            prefetch A[i, min(k + 16, 63)]
            stream C[i] = C[i] + A[i, k]
        }
    }
)")),
        test::on_host("input A: f32[64, 64]\noutput C: f32[64]", R"(    for i in 0..64 {
        allocate C.register_1: f32[1] in register
        C.register_1[0] = 0.0
        for k in 0..64 {
            prefetch A[i, min(k + 16, 63)]
            C.register_1[0] = C.register_1[0] + A[i, k]
        }
        stream C[i] = C.register_1[0]
    }
)"));
}

TEST(Streaming, LanesOfAReductionStreamInTheEnd) {
    auto text =
        test::after(lane_accumulators,
                    test::on_host("input A: f32[64, 64]\noutput C: f32[64]", R"(    for i in 0..64 {
        for ko in 0..8 {
            vectorised for ki in 0..8 {
                stream C[i] = C[i] + A[i, ko*8 + ki]
            }
        }
    }
)"));
    EXPECT_NE(text.find("                C.lanes_1[ki - 0] = C.lanes_1[ki - 0] + "),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("stream C[i] = C[i] + C.lanes_1[ki.last_1]"), std::string::npos) << text;
}

TEST(Streaming, ATileOfRegistersStreamsInTheEnd) {
    auto text =
        test::after(promote_tiles, test::on_host("input A: f32[64, 64]\noutput C: f32[64, 4]",
                                                 R"(    for i in 0..64 {
        for k in 0..64 {
            unrolled for j in 0..4 {
                stream C[i, j] = C[i, j] + A[i, k]
            }
        }
    }
)"));
    EXPECT_EQ(text.find("stream C.tile"), std::string::npos) << text;
    EXPECT_NE(text.find("stream C[i, "), std::string::npos) << text;
}

TEST(Streaming, MergedLanesStream) {
    auto text = test::after(
        merge_lanes, test::on_host("input A: f32[64]\noutput C: f32[64]", R"(    for x in 0..8 {
        stream C[ramp(x*8, 1, 8)] = A[ramp(x*8, 1, 8)]
    }
)"));
    EXPECT_NE(text.find(" stream C[0*8 + x*1] = A[0*8 + x*1]"), std::string::npos) << text;
}

TEST(Streaming, PartitionDoesNotSplitForAPrefetch) {
    auto text = test::on_host("input A: f32[64]\noutput C: f32[64]", R"(    for i in 0..64 {
        prefetch A[min(i + 2, 63)]
        C[i] = A[i]
    }
)");
    EXPECT_EQ(test::after(partition, text), text);
}

// Copies of statements have buffers of their own, and prefetch those.
TEST(Streaming, CopiesPrefetchTheirOwn) {
    auto text = test::after(
        unroll, test::on_host("input A: f32[64]\noutput C: f32[64]", R"(    unrolled for i in 0..2 {
        allocate t: f32[8] in local
        for j in 0..8 {
            t[j] = A[j]
        }
        for j2 in 0..8 {
            prefetch t[j2]
            C[i*8 + j2] = t[j2]
        }
    }
)"));
    EXPECT_NE(text.find("prefetch t[j2]"), std::string::npos) << text;
    EXPECT_NE(text.find("prefetch t_1[j2_1]"), std::string::npos) << text;
}

// A prefetch is no read: what only it asks for is gone, and so is the prefetch.
TEST(Streaming, DeadStoresDoNotCountPrefetches) {
    EXPECT_EQ(test::after(dead_stores, test::on_host("input A: f32[8]\noutput C: f32[8]",
                                                     R"(    allocate t: f32[8] in local
    for i in 0..8 {
        t[i] = A[i]
    }
    for k in 0..8 {
        let ahead = min(k + 2, 7)
        prefetch t[ahead]
        prefetch A[ahead]
        C[k] = A[k]
    }
)")),
              test::on_host("input A: f32[8]\noutput C: f32[8]", R"(    for k in 0..8 {
        let ahead = min(k + 2, 7)
        prefetch A[ahead]
        C[k] = A[k]
    }
)"));
}

} // namespace
} // namespace loopscope::lower
