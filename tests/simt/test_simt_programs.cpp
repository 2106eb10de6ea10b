// Right programs of a device: their results are those of plain loops, whatever the order, and
// nothing is found.
#include "core/ir/half.h"
#include "tests/simt/simt_support.h"

#include <cmath>
#include <regex>

namespace loopscope {
namespace {

using namespace test;

TEST(SimtPrograms, CopyWithATail) {
    auto input = random(T::F32, {100});
    auto result = run(
        on_device("input A: f32[100]\noutput out: f32[100]", R"(    bound block.x for b in 0..4 {
        bound thread.x for t in 0..32 {
            let i = 32*b + t
            if i < 100 {
                out[i] = A[i] + 1.0  @ C/@compute
            }
        }
    }
)"),
        {{"A", input}});
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(values<float>(result, "out")[static_cast<std::size_t>(i)],
                  input.as<float>()[i] + 1);
    ASSERT_EQ(result.launches.size(), 1u);
    EXPECT_EQ(result.launches[0].blocks, 4);
    EXPECT_EQ(result.launches[0].threads, 32);
    EXPECT_EQ(result.launches[0].total.flops, 100u);
    EXPECT_EQ(counts_of(result, "C/@compute").flops, 100u);
}

// Each block once, by its place among the clusters and in its own; findings number blocks as
// devices do.
TEST(SimtPrograms, Clusters) {
    const std::string text =
        on_device("output out: i32[2, 3, 2, 4]", R"(    bound block.y for by in 0..2 {
        bound block.x for bx in 0..3 {
            bound cluster.y for cy in 0..2 {
                bound cluster.x for cx in 0..4 {
                    out[by, bx, cy, cx] = ((by*3 + bx)*2 + cy)*4 + cx
                }
            }
        }
    }
)");
    auto result = run(text);
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    ASSERT_EQ(result.launches.size(), 1u);
    EXPECT_EQ(result.launches[0].blocks, 2 * 3 * 2 * 4);
    const auto out = values<std::int32_t>(result, "out");
    for (std::size_t i = 0; i < out.size(); ++i)
        EXPECT_EQ(out[i], static_cast<std::int32_t>(i));
    auto outside = text;
    const std::string place = "out[by, bx, cy, cx] =";
    outside.replace(outside.find(place), place.size(), "out[by, bx + 1, cy, cx] =");
    result = run(outside);
    ASSERT_FALSE(result.findings.empty());
    EXPECT_TRUE(std::regex_search(format(result.findings),
                                  std::regex("block \\((8|9|10|11), [0-3]\\) writes")))
        << format(result.findings);
}

TEST(SimtPrograms, AllDimensionsAndPartialWarps) {
    auto result =
        run(on_device("output out: i32[2, 3, 2, 2, 3, 5]", R"(    bound block.z for bz in 0..2 {
        bound block.y for by in 0..3 {
            bound block.x for bx in 0..2 {
                bound thread.z for tz in 0..2 {
                    bound thread.y for ty in 0..3 {
                        bound thread.x for tx in 0..5 {
                            out[bz, by, bx, tz, ty, tx] = ((((bz*3 + by)*2 + bx)*2 + tz)*3 + ty)*5 + tx
                        }
                    }
                }
            }
        }
    }
)"));
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    auto out = values<std::int32_t>(result, "out");
    for (std::size_t i = 0; i < out.size(); ++i)
        EXPECT_EQ(out[i], static_cast<std::int32_t>(i));
}

const char* const kTiledMatmul = R"(
program matmul
input A: f32[64, 64]
input B: f32[64, 64]
output C: f32[64, 64]
launch matmul on device (A, B, C) {
    bound block.y for by in 0..4 {
        bound block.x for bx in 0..4 {
            bound thread.y for ty in 0..16 {
                bound thread.x for tx in 0..16 {
                    allocate As: f32[16, 16] in shared
                    allocate Bs: f32[16, 16] in shared
                    allocate acc: f32[1] in register
                    acc[0] = 0.0
                    for ko in 0..4 {  @ C/ko
                        As[ty, tx] = A[16*by + ty, 16*ko + tx]  @ As/@compute
                        Bs[ty, tx] = B[16*ko + ty, 16*bx + tx]  @ Bs/@compute
                        barrier block  @ C/ko
                        for ki in 0..16 {  @ C/ki
                            acc[0] = acc[0] + As[ty, ki]*Bs[ki, tx]  @ C/@compute
                        }
                        barrier block  @ C/k
                    }
                    C[16*by + ty, 16*bx + tx] = acc[0]  @ C/@store
                }
            }
        }
    }
}
)";

TEST(SimtPrograms, TiledMatrixProduct) {
    auto a = random(T::F32, {64, 64}, 1), b = random(T::F32, {64, 64}, 2);
    auto result = run(kTiledMatmul, {{"A", a}, {"B", b}});
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    const auto* c = result.outputs.at("C").as<float>();
    for (int i = 0; i < 64; ++i)
        for (int j = 0; j < 64; ++j) {
            float sum = 0;
            for (int k = 0; k < 64; ++k)
                sum = sum + a.as<float>()[i * 64 + k] * b.as<float>()[k * 64 + j];
            ASSERT_EQ(c[i * 64 + j], sum) << i << " " << j;
        }
    const auto& total = result.launches[0].total;
    EXPECT_EQ(total.flops, 2u * 64 * 64 * 64);
    EXPECT_EQ(result.launches[0].shared_bytes, 2 * 16 * 16 * 4);
    EXPECT_EQ(total.barriers, 16u * 4 * 2);
    // Two rows of 16 elements for each warp: 4 sectors.
    EXPECT_EQ(total.global_loads, 16u * 8 * 4 * 2);
    EXPECT_EQ(total.global_load_sectors, 4 * total.global_loads);
    EXPECT_EQ(total.global_load_bytes, 128 * total.global_loads);
    // Two rows of As in one bank's reach of each other share no bank; a column's word is read by
    // many.
    EXPECT_EQ(total.shared_passes, total.shared_passes_least);
}

TEST(SimtPrograms, ReductionOfABlock) {
    auto input = random(T::I32, {512});
    auto result =
        run(on_device("input A: i32[512]\noutput out: i32[2]", R"(    bound block.x for b in 0..2 {
        bound thread.x for t in 0..256 {
            allocate s: i32[256] in shared
            s[t] = A[256*b + t]
            for step in 0..8 {
                let half = 128 >> step
                barrier block
                if t < half {
                    s[t] = s[t] + s[t + half]
                }
            }
            if t == 0 {
                out[b] = s[0]
            }
        }
    }
)"),
            {{"A", input}});
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    for (std::size_t b = 0; b < 2; ++b) {
        std::int32_t sum = 0;
        for (std::size_t i = 0; i < 256; ++i)
            sum += input.as<std::int32_t>()[b * 256 + i];
        EXPECT_EQ(values<std::int32_t>(result, "out").at(b), sum);
    }
}

TEST(SimtPrograms, HistogramByAtomicStores) {
    auto input = random(T::U8, {1024}, 3, RandomMode::FullRange);
    auto result = run(R"(
program p
input A: u8[1024]
output out: i32[16]
launch clear on device (out) {
    bound thread.x for t in 0..16 {
        out[t] = 0
    }
}
launch count on device (A, out) {
    bound block.x for b in 0..4 {
        bound thread.x for u in 0..64 {
            allocate s: i32[16] in shared
            if u < 16 {
                s[u] = 0
            }
            barrier block
            for i in 0..4 {
                atomic s[i32(A[256*b + 64*i + u])/16] += 1  @ H/@compute
            }
            barrier block
            if u < 16 {
                atomic out[u] += s[u]  @ H/@store
            }
        }
    }
}
)",
                      {{"A", input}});
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    std::vector<std::int32_t> expected(16, 0);
    for (int i = 0; i < 1024; ++i)
        ++expected[input.as<std::uint8_t>()[i] / 16];
    EXPECT_EQ(values<std::int32_t>(result, "out"), expected);
    ASSERT_EQ(result.launches.size(), 2u);
    EXPECT_EQ(result.launches[1].total.atomics, 1024u + 64u);
}

TEST(SimtPrograms, LaterLaunchesReadWhatEarlierOnesWrote) {
    auto result = run(R"(
program p
buffer T: i32[64]
output out: i32[64]
launch first on device (T) {
    bound block.x for b in 0..2 {
        bound thread.x for t in 0..32 {
            T[32*b + t] = 32*b + t
        }
    }
}
launch second on device (T, out) {
    bound block.x for c in 0..2 {
        bound thread.x for u in 0..32 {
            out[32*c + u] = T[63 - 32*c - u]
        }
    }
}
)");
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    EXPECT_EQ(values<std::int32_t>(result, "out")[5], 58);
}

// Loops and branches that differ between threads, in each other; the arithmetic of 16-bit floats
// and of functions.
TEST(SimtPrograms, DivergentControlFlow) {
    auto input = random(T::F16, {64}, 5, RandomMode::Reals);
    auto result = run(on_device("input A: f16[64]\noutput out: i32[64]\noutput e: f32[64]",
                                R"(    bound thread.x for t in 0..64 {
        allocate n: i32[1] in register
        n[0] = 0
        for i in t % 5..+t % 7 {
            for j: i64 in 0i64..+i64(i) {
                if (i + i32(j)) % 3 == t % 3 {
                    let square = i*i
                    n[0] = n[0] + square
                } else {
                    if t % 2 == 0 {
                        n[0] = n[0] + 1
                    }
                }
            }
        }
        out[t] = n[0]
        e[t] = exp(f32(A[t]*A[63 - t]))
    }
)"),
                      {{"A", input}});
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    for (int t = 0; t < 64; ++t) {
        int n = 0;
        for (int i = t % 5; i < t % 5 + t % 7; ++i)
            for (int j = 0; j < i; ++j)
                n += (i + j) % 3 == t % 3 ? i * i : t % 2 == 0;
        EXPECT_EQ(values<std::int32_t>(result, "out")[static_cast<std::size_t>(t)], n) << t;
        float product =
            static_cast<float>(f16_value(f16_bits(f16_value(input.as<std::uint16_t>()[t]) *
                                                  f16_value(input.as<std::uint16_t>()[63 - t]))));
        EXPECT_NEAR(values<float>(result, "e")[static_cast<std::size_t>(t)], std::exp(product),
                    1e-5 * std::exp(product));
    }
}

TEST(SimtPrograms, VectorsOfAThread) {
    auto input = random(T::I32, {256});
    auto result = run(R"(
program p flat
input A: i32[256]
output out: i32[256]
launch p on device (A, out) {
    bound thread.x for t in 0..32 {
        allocate v: i32[8] in register
        v[ramp(0, 1, 8)] = A[ramp(8*t, 1, 8)]
        let w = v[ramp(7, -1, 8)]
        out[ramp(8*t, 1, 8) where ramp(0, 1, 8) < broadcast(t, 8)] = w*broadcast(t, 8) + ramp(t, 2*t, 8)
        out[ramp(8*t, 1, 8) where ramp(0, 1, 8) >= broadcast(t, 8)] = A[ramp(t, 3, 8) where ramp(0, 1, 8) != broadcast(5, 8)]
    }
}
)",
                      {{"A", input}});
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    const auto* a = input.as<std::int32_t>();
    for (int t = 0; t < 32; ++t)
        for (int l = 0; l < 8; ++l) {
            int expected = l < t ? a[8 * t + 7 - l] * t + t + 2 * t * l : l != 5 ? a[t + 3 * l] : 0;
            EXPECT_EQ(values<std::int32_t>(result, "out")[static_cast<std::size_t>(8 * t + l)],
                      expected)
                << t << " " << l;
        }
}

TEST(SimtPrograms, SymbolsAndWindows) {
    SimtOptions options;
    options.symbols["N"] = 40;
    auto result = run(parsed(R"(
program p
symbol N = 64
output out: i32[N + 2] from [-1] window [N]
launch p on device (out) {
    bound block.x for b in 0..2 {
        bound thread.x for t in 0..32 {
            let i = i64(32*b + t)
            if i < N + 2 {
                out[i] = i32(i)
            }
        }
    }
}
)"),
                      {}, options);
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    auto out = values<std::int32_t>(result, "out");
    ASSERT_EQ(out.size(), 40u);
    EXPECT_EQ(out[0], 1);
    EXPECT_EQ(out[39], 40);
}

} // namespace
} // namespace loopscope
