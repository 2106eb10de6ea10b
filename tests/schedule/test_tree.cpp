// The tree: where nodes stand, their regions, identities, hashes, JSON and differences.

#include "tests/schedule/scheduling.h"

#include <nlohmann/json.hpp>

using namespace loopscope;
using loopscope::test::parsed;

namespace {

Result<ScheduleTreePtr> try_tree(const PipelinePtr& p, const std::string& lines) {
    auto schedule = parse_schedule(
        std::make_shared<SourceFile>("p.sched", "schedule for p\n" + lines), p.get());
    if (!schedule)
        return schedule.errors();
    return schedule_tree(p, *schedule, {});
}

ScheduleTreePtr tree(const PipelinePtr& p, const std::string& lines) {
    auto built = try_tree(p, lines);
    EXPECT_TRUE(built.ok()) << (built.ok() ? "" : format(built.errors()));
    return *built;
}

const char* const kBlur = R"(pipeline p
input a: u16[102, 66]
stage h[y, x]: u16 = a[y, x] + a[y, x + 1] + a[y, x + 2]
stage v[y, x]: u16 = h[y, x] + h[y + 1, x] + h[y + 2, x]
output v: [100, 64]
)";

const char* const kMatmul = R"(pipeline p
input A[i, k]: f32[64, 32]
input B[k, j]: f32[32, 48]
stage C[i, j]: f32 = sum[k in 0..32](A[i, k] * B[k, j])
output C: [64, 48]
)";

} // namespace

TEST(Tree, DefaultScheduleKeepsStagesAtRoot) {
    EXPECT_EQ(to_text(*tree(parsed(kBlur), "")), "h storage u16 [102, 64] host\n"
                                                 "h → u16 [102, 64]\n"
                                                 "  y 102\n"
                                                 "    x 64\n"
                                                 "      h pure\n"
                                                 "v output u16 [100, 64] host\n"
                                                 "v → u16 [100, 64]\n"
                                                 "  y 100\n"
                                                 "    x 64\n"
                                                 "      v pure\n");
}

TEST(Tree, InitializationRunsJustBeforeTheOutermostReductionLoop) {
    EXPECT_EQ(to_text(*tree(parsed(kMatmul), "C.tile(i, j, io, jo, ii, ji, 8, 16)\nC.reorder(io, "
                                             "jo, k, ii, ji)\nC.vectorize(ji)\n")),
              "C output f32 [64, 48] host\n"
              "C → f32 [64, 48]\n"
              "  io 8\n"
              "    jo 3\n"
              "      ii 8\n"
              "        ji 16 vectorised\n"
              "          C init\n"
              "      k 32 reduction\n"
              "        ii 8\n"
              "          ji 16 vectorised\n"
              "            C step\n");
}

TEST(Tree, RegionOfAProducerInATileIsItsStencilAndMovesInsideAtTheEnd) {
    // 100 rows in tiles of 32: the last tile would need rows up to 129 of h, which has 102.
    auto t = tree(parsed(kBlur), "v.split(y, yo, yi, 32)\nh.compute_at(v, yo)\n");
    const auto* h = t->find({"h", -1, "@stage"});
    ASSERT_NE(h, nullptr);
    EXPECT_EQ(h->region.dimensions[0].extent, Extent(34));
    EXPECT_EQ(to_text(h->region.dimensions[0].min), "min(v.yo*32, 68)");
    EXPECT_EQ(h->region.dimensions[1].extent, Extent(64));
    EXPECT_EQ(h->compute_level, (NodeId{"v", 0, "yo"}));
    EXPECT_EQ(h->store_level, h->compute_level);
    EXPECT_TRUE(h->region.exact);
    // Where tiles divide, no clamp is needed.
    auto even = tree(parsed(kBlur), "v.split(y, yo, yi, 25)\nh.compute_at(v, yo)\n");
    EXPECT_EQ(to_text(even->find({"h", -1, "@stage"})->region.dimensions[0].min), "v.yo*25");
}

TEST(Tree, RegionUnderDownAndUpsamplingIsCovered) {
    auto p = parsed(R"(pipeline p
input a: f32[200] boundary edge
stage s[x]: f32 = a[x]
stage d[x]: f32 = s[2*x] + s[2*x + 1]
stage u[x]: f32 = d[x/2] + d[(x + 1)/2]
output u: [60]
)");
    auto t = tree(p, "u.split(x, xo, xi, 7)\nd.compute_at(u, xo)\ns.compute_at(u, xo)\n");
    // 7 points of u need at most 5 of d; 5 points of d need 10 of s.
    EXPECT_EQ(t->find({"d", -1, "@stage"})->region.dimensions[0].extent, Extent(5));
    EXPECT_EQ(t->find({"s", -1, "@stage"})->region.dimensions[0].extent, Extent(10));
}

TEST(Tree, GuardsStandWhereTilesDoNotDivide) {
    auto t = tree(parsed(kBlur), "v.split(x, xo, xi, 24)\n");
    const auto* compute = t->find({"v", 0, "@compute"});
    ASSERT_EQ(compute->compute.guards.size(), 1u);
    EXPECT_EQ(to_text(compute->compute.guards[0]), "v.xi + v.xo*24 < 64");
    EXPECT_TRUE(tree(parsed(kBlur), "v.split(x, xo, xi, 16)\n")
                    ->find({"v", 0, "@compute"})
                    ->compute.guards.empty());
}

TEST(Tree, IdentitiesSurviveOtherEdits) {
    auto before = tree(parsed(kBlur), "v.split(y, yo, yi, 32)\n");
    auto after =
        tree(parsed(kBlur),
             "v.split(y, yo, yi, 8)\nv.parallel(yo)\nh.compute_at(v, yo)\nh.vectorize(x, 4)\n");
    for (auto id : {NodeId{"v", 0, "yo"}, NodeId{"v", 0, "yi"}, NodeId{"v", 0, "x"},
                    NodeId{"h", 0, "y"}, NodeId{"h", -1, "@storage"}}) {
        EXPECT_NE(before->find(id), nullptr) << id.text();
        EXPECT_NE(after->find(id), nullptr) << id.text();
        NodeId back;
        EXPECT_TRUE(NodeId::parse(id.text(), back));
        EXPECT_EQ(back, id);
    }
}

TEST(Tree, StructuralHashTellsDepthsApart) {
    auto p = parsed(kBlur);
    auto a = tree(p, "v.split(x, xo, xi, 16)\n"),
         b = tree(p, "v.split(x, xo, xi, 16)\nv.vectorize(xi)\n"),
         again = tree(p, "v.split(x, xo, xi, 16)\n");
    EXPECT_EQ(a->structural_hash(), again->structural_hash());
    EXPECT_NE(a->structural_hash(), b->structural_hash());
    EXPECT_EQ(a->structural_hash(3), b->structural_hash(3)); // they differ in xi, four levels down
    EXPECT_NE(a->structural_hash(4), b->structural_hash(4));
}

TEST(Tree, DifferenceNamesWhatChanged) {
    auto p = parsed(kBlur);
    auto changes = difference(*tree(p, "v.split(y, yo, yi, 32)\n"),
                              *tree(p, "v.split(y, yo, yi, 16)\nh.inline()\n"));
    std::vector<std::string> text;
    for (const auto& c : changes)
        text.push_back(c.id.text() + ": " + c.before + " -> " + c.after);
    EXPECT_EQ(text, (std::vector<std::string>{
                        "h/@storage: h storage u16 [102, 64] host at root -> ",
                        "h/@stage: h → u16 [102, 64] at root -> ",
                        "h/y: y 102 -> ",
                        "h/x: x 64 -> ",
                        "h/@compute: h pure -> ",
                        "v/yo: yo 4 -> yo 7",
                        "v/yi: yi 32 -> yi 16",
                    }));
}

TEST(Tree, JsonHasTheStableKeys) {
    auto json = to_json(*tree(parsed(kMatmul), "C.parallel(i)\n"));
    ASSERT_EQ(json["nodes"].size(), 2u);
    const auto& loop = json["nodes"][1]["children"][0];
    EXPECT_EQ(loop["id"], "C/i");
    EXPECT_EQ(loop["kind"], "loop");
    EXPECT_EQ(loop["axis"], "i");
    EXPECT_EQ(loop["extent"], 64);
    EXPECT_EQ(loop["binding"], "parallel");
    EXPECT_TRUE(loop["children"].is_array());
}

TEST(Tree, AVectorizedLoopHasAMostLanes) {
    auto p = parsed("pipeline p\ninput a: f32[4000]\nstage s[x]: f32 = a[x]\noutput s: [4000]\n");
    auto refused = try_tree(p, "s.vectorize(x)\n");
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(format(refused.errors()).find("4000 lanes, more than 1024"), std::string::npos)
        << format(refused.errors());
    EXPECT_TRUE(try_tree(p, "s.vectorize(x, native)\n").ok());
}

TEST(Tree, InliningAChainThatDoublesIsRefusedBeforeItGrows) {
    std::string text = "pipeline p\ninput a: f32[64] boundary edge\nstage s0[i]: f32 = a[i]\n",
                lines;
    for (int n = 1; n <= 40; ++n) {
        auto before = "s" + std::to_string(n - 1);
        text += "stage s" + std::to_string(n) + "[i]: f32 = " + before + "[3*i % 1009] + " +
                before + "[5*i % 1013]\n";
        lines += before + ".inline()\n";
    }
    auto refused = try_tree(parsed(text + "output s40: [8]\n"), lines);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(format(refused.errors()).find("longer than 8000 operations"), std::string::npos)
        << format(refused.errors());
}

// What only the whole tree shows is told at the line that brings it about, wherever the one stands
// that it speaks of.
TEST(Tree, ErrorsOfTheWholeTreeHaveAPlace) {
    const auto p =
        parsed("pipeline p\ninput a: f32[8, 1000]\nstage h[y, x] = a[y, x] + 1.0\n"
               "stage v[y, x] = h[y, x]*2.0\nstage o[y, x] = v[y, x] - 1.0\noutput o: [8, 1000]\n");
    auto built = try_tree(p, "h.vectorize(x)\nv.parallel(y)\nv.split(x, xo, xi, 600, pad)\n"
                             "v.unroll(xo)\n");
    ASSERT_FALSE(built.ok());
    EXPECT_EQ(format(built.errors()).rfind("p.sched:4:1: error: the vectorised loop x of h", 0), 0u)
        << format(built.errors());
}
