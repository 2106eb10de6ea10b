// A matrix product as a good schedule lowers it: a register tile, a packed panel, parallel over the
// panels.
#include "tests/codegen/host_support.h"

#include <cmath>

namespace loopscope::test {
namespace {

constexpr auto kF32 = ScalarType::F32;

struct Tile {
    int rows = 4, vectors = 2, lanes = 8;
    int columns() const { return vectors * lanes; }
};

// C[i, j] = sum over k of A[i, k] * B[k, j], sizes divisible by the tile; the accumulators live in
// C itself.
lower::Program tiled_matmul(int m, int n, int k, Tile tile) {
    auto row = [&](int r) { return var("io") * number(tile.rows) + number(r); };
    auto column = [&](int v) {
        return var("jo") * number(tile.columns()) + number(v * tile.lanes);
    };
    auto vector = [&](ExprPtr at) { return ramp(at, number(1), tile.lanes); };
    auto c_at = [&](int r, int v) { return vector(row(r) * number(n) + column(v)); };
    auto panel_at = [&](const std::string& step, int v) {
        return vector(var(step) * number(tile.columns()) + number(v * tile.lanes));
    };
    std::vector<lower::StatementPtr> pack, init, step;
    for (int v = 0; v < tile.vectors; ++v)
        pack.push_back(put("panel", panel_at("kp", v),
                           load("B", kF32, {vector(var("kp") * number(n) + column(v))})));
    for (int r = 0; r < tile.rows; ++r)
        for (int v = 0; v < tile.vectors; ++v) {
            init.push_back(put("C", c_at(r, v), broadcast(constant_float(kF32, 0), tile.lanes)));
            step.push_back(
                put("C", c_at(r, v),
                    fma(broadcast(get("A", kF32, row(r) * number(k) + var("k")), tile.lanes),
                        load("panel", kF32, {panel_at("k", v)}), load("C", kF32, {c_at(r, v)}))));
        }
    auto rows = serial("io", m / tile.rows,
                       lower::block({lower::block(init), serial("k", k, lower::block(step))}));
    auto body =
        parallel("jo", n / tile.columns(),
                 lower::allocate({}, "panel", kF32, {Extent(k), Extent(tile.columns())}, {"host"},
                                 lower::block({serial("kp", k, lower::block(pack)), rows})));
    return program({in("A", kF32, std::int64_t{m} * k), in("B", kF32, std::int64_t{k} * n),
                    out("C", kF32, std::int64_t{m} * n)},
                   body);
}

void fill(Array<float>& a, int seed) {
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = static_cast<float>(
                   static_cast<int>((i * 7919 + static_cast<std::size_t>(seed)) % 251) - 125) /
               64.0f;
}

TEST(Matmul, RegisterTileGivesTheReferencesBits) {
    for (Tile tile : {Tile{4, 2, 8}, Tile{8, 2, 16}, Tile{3, 1, 4}}) {
        int m = tile.rows * 5, n = tile.columns() * 3, k = 77;
        Array<float> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n)),
            c(static_cast<std::size_t>(m * n));
        fill(a, 1);
        fill(b, 2);
        for (int threads : {1, 2}) {
            run(tiled_matmul(m, n, k, tile), {a.data(), b.data(), c.data()}, threads);
            for (int i = 0; i < m; ++i)
                for (int j = 0; j < n; ++j) {
                    float sum = 0;
                    for (int p = 0; p < k; ++p)
                        sum = std::fma(a[static_cast<std::size_t>(i * k + p)],
                                       b[static_cast<std::size_t>(p * n + j)], sum);
                    ASSERT_TRUE(same_bits(c[static_cast<std::size_t>(i * n + j)], sum))
                        << i << ", " << j;
                }
            ASSERT_TRUE(c.intact());
        }
    }
}

// The innermost loop holds nothing but multiply-adds and loads: the tile stays in registers.
TEST(Matmul, TheInnerLoopStoresNothing) {
    auto host = compiled(tiled_matmul(16, 64, 32, Tile{4, 2, 8}), true);
    ASSERT_TRUE(host);
    const auto& text = host->ir_optimized().text;
    auto begin = text.find("\nk:");
    ASSERT_NE(begin, std::string::npos) << text;
    auto end = text.find("br i1", begin);
    auto loop = text.substr(begin, end - begin);
    EXPECT_EQ(loop.find("store"), std::string::npos) << loop;
    EXPECT_NE(loop.find("@llvm.fma.v8f32"), std::string::npos) << loop;
}

} // namespace
} // namespace loopscope::test
