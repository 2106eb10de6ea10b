#include "model_support.h"

using namespace loopscope;
using namespace loopscope::test;

namespace {

TEST(Footprint, StencilsInATile) {
    auto tree =
        tree_of(kBlur, "out.tile(y, x, yo, xo, yi, xi, 16, 32)\nblur_x.compute_at(out, xo)\n");
    ASSERT_TRUE(tree);
    auto nodes = model::count(*tree).nodes;
    auto at = [&](const NodeId& id, const char* buffer) {
        return nodes.at(id).footprint_bytes.at(buffer);
    };
    EXPECT_EQ(at({"blur_x", -1, "@storage"}, "blur_x"), 18 * 32 * 2);
    EXPECT_EQ(at({"blur_x", -1, "@stage"}, "img"), 18 * 34 * 2);
    EXPECT_EQ(at({"out", 0, "xo"}, "img"), 18 * 130 * 2)
        << "all tiles of a row: their halos overlap";
    EXPECT_EQ(at({"out", 0, "yi"}, "blur_x"), 18 * 32 * 2);
    EXPECT_EQ(at({"out", 0, "xi"}, "blur_x"), 3 * 32 * 2);
    EXPECT_EQ(at({"out", 0, "yo"}, "blur_x"), 18 * 32 * 2) << "the same memory in every tile";
    EXPECT_EQ(at({"out", 0, "yo"}, "out"), 64 * 128 * 2);
    EXPECT_EQ(at({"out", 0, "@compute"}, "blur_x"), 3 * 2);
}

TEST(Footprint, AGatherTouchesAtMostWhatItsRangeHolds) {
    auto tree = tree_of(R"(pipeline table
input a[y, x]: u8[64, 64]
input lut[v]: f32[256]
stage S[y, x]: f32 = lut[i32(a[y, x])]
output S: [64, 64]
)");
    ASSERT_TRUE(tree);
    auto nodes = model::count(*tree).nodes;
    EXPECT_EQ((nodes[{"S", 0, "x"}].footprint_bytes["lut"]), 64 * 4) << "a row reads 64 values";
    EXPECT_EQ((nodes[{"S", 0, "y"}].footprint_bytes["lut"]), 256 * 4);
    expect_counts_hold(*tree);
}

// What data decide lies within its range of what they do not: the elements near x, whatever they
// say.
TEST(Footprint, AGatherNearAPlaceStaysNearIt) {
    for (const char* shift :
         {"clamp(i32(m[y, x]), -4, 4)", "i32(round(4.0*f[y, x]))", "near[y, x]"}) {
        auto tree = tree_of(std::string(R"(pipeline shifted
input a[y, x]: u8[64, 64]
input m[y, x]: u8[64, 64]
stage f[y, x]: f32 = f32(m[y, x])*(2.0/256) - 1.0
stage widest[y] = max[x in 0..64](f[y, x]*4.0)
stage near[y, x]: i32 = i32(round(min(widest[y], 4.0)*f[y, x]))
stage S[y, x]: u8 = (let d = )") +
                                shift + R"( in
    max(a[y, clamp(x + d, 0, 63)], a[y, clamp(x + d + 1, 0, 63)]))
output S: [64, 64]
)",
                            "f.compute_root()\nS.split(x, xo, xi, 8)\n");
        ASSERT_TRUE(tree) << shift;
        auto nodes = model::count(*tree).nodes;
        EXPECT_LE((nodes[{"S", 0, "xi"}].footprint_bytes["a"]), 8 + 8 + 1 + 8) << shift;
        EXPECT_EQ((nodes[{"S", 0, "y"}].footprint_bytes["a"]), 64 * 64) << shift;
        expect_counts_hold(*tree);
    }
}

TEST(Footprint, LinesOfAColumnAreWhole) {
    auto tree = tree_of(kMatmul);
    ASSERT_TRUE(tree);
    auto work = model::flatten(*tree);
    auto all = model::footprints(work, 64);
    for (std::size_t n = 0; n < work.nodes.size(); ++n) {
        if (work.nodes[n].node->id.name != "k")
            continue;
        for (const auto& touch : all[n].all.touches) {
            const auto& name = work.buffers[static_cast<std::size_t>(touch.buffer)].name;
            // 64 floats in a row, in a column, one
            double lines = name == "A" ? 4 : name == "B" ? 64 : 1;
            EXPECT_EQ(touch.lines, lines * 64) << name;
        }
    }
}

// Which index is contiguous decides how many lines a walk along the other touches.
TEST(Footprint, LinesFollowTheLayout) {
    const char* transpose = "pipeline t\ninput a[y, x]: f32[64, 64]\nstage b[y, x]: f32 = a[y, x] "
                            "* 2.0\nstage c[y, x]: f32 = b[x, y]\noutput c: [64, 64]\n";
    auto lines = [&](const char* script) {
        auto tree = tree_of(transpose, script);
        EXPECT_TRUE(tree);
        auto work = model::flatten(*tree);
        auto all = model::footprints(work, 64);
        for (std::size_t n = 0; n < work.nodes.size(); ++n)
            if (work.nodes[n].node->id.text() == "c/x")
                for (const auto& touch : all[n].all.touches)
                    if (work.buffers[static_cast<std::size_t>(touch.buffer)].name == "b")
                        return touch.lines / 64;
        return 0.0;
    };
    EXPECT_EQ(lines(""), 64) << "down a column";
    EXPECT_EQ(lines("b.reorder_storage(x, y)\n"), 4);
    EXPECT_EQ(lines("b.pad_storage(x, 16)\n"), 64);
    auto tree = tree_of(transpose, "b.reorder_storage(x, y)\nb.pad_storage(y, 16)\n");
    ASSERT_TRUE(tree);
    auto nodes = model::count(*tree).nodes;
    EXPECT_EQ(nodes.at({"b", -1, "@storage"}).footprint_bytes.at("b"), 64 * 80 * 4);
    EXPECT_EQ(nodes.at({"c", 0, "y"}).footprint_bytes.at("b"), 64 * 64 * 4);
    expect_counts_hold(*tree);
}

TEST(Footprint, DefaultAndFusedLoopsTouchTheSame) {
    auto plain = tree_of(kScale),
         fused = tree_of(kScale, "out.fuse(y, x, f)\nout.split(f, fo, fi, 128)\n");
    ASSERT_TRUE(plain && fused);
    EXPECT_EQ((model::count(*plain).nodes[{"out", 0, "x"}].footprint_bytes["img"]), 512);
    EXPECT_EQ((model::count(*fused).nodes[{"out", 0, "fi"}].footprint_bytes["img"]), 512);
    EXPECT_EQ((model::count(*fused).nodes[{"out", 0, "fo"}].footprint_bytes["img"]), 64 * 512);
}

TEST(Footprint, TenDimensions) {
    auto tree = tree_of(R"(pipeline many
input a[p, q, r, s, t, u, v, w, x, y]: f32[2, 3, 2, 2, 2, 2, 2, 2, 2, 3]
stage S[p, q, r, s, t, u, v, w, x, y]: f32 = a[p, q, r, s, t, u, v, w, x, y]
stage T[p, q, r, s, t, u, v, w, x, y]: f32 = S[p, q, r, s, t, u, v, w, x, y]
output T: [2, 3, 2, 2, 2, 2, 2, 2, 2, 3]
)",
                        "S.compute_at(T, q)\n");
    ASSERT_TRUE(tree);
    auto nodes = model::count(*tree).nodes;
    EXPECT_EQ((nodes[{"T", 0, "q"}].footprint_bytes["a"]), 3 * 128 * 3 * 4);
    EXPECT_EQ((nodes[{"T", 0, "p"}].footprint_bytes["a"]), 6 * 128 * 3 * 4);
    expect_counts_hold(*tree);
}

} // namespace
