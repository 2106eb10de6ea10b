// rfactor: the two stages that it makes, as text; what goes with it; what it refuses.
#include "tests/schedule/scheduling.h"

#include "core/language/loop_parser.h"

namespace loopscope::test {
namespace test_rfactor {

PipelinePtr loaded(const std::string& text) { return parsed("pipeline p\n" + text); }

ScheduleTreePtr tree_of(const PipelinePtr& pipeline, const std::string& lines) {
    return test::tree_of(scheduled(pipeline, lines));
}

// The derived program's computed stages and updates, a line each.
std::string derived(const PipelinePtr& pipeline, const std::string& lines) {
    auto tree = tree_of(pipeline, lines);
    std::string text = to_text(*tree->derived), out;
    for (std::size_t begin = 0; begin < text.size();) {
        auto end = text.find('\n', begin);
        auto line = text.substr(begin, end - begin);
        if (line.rfind("stage", 0) == 0 || line.rfind("update", 0) == 0)
            out += line + "\n";
        begin = end + 1;
    }
    return out;
}

std::vector<std::string> reassociating(const Applied& applied) {
    std::vector<std::string> names;
    for (const auto& stage : applied.state.stages)
        for (std::size_t d = 0; d < stage->definitions.size(); ++d)
            if (stage->definitions[d].reassociates)
                names.push_back(stage->name + "/" + std::to_string(d));
    return names;
}

const char* const kSum = R"(input A[i, k]: f32[8, 96]
stage S[i] = sum[k in 0..96](A[i, k] * 2.0)
output S: [8]
)";

TEST(RFactor, OfAnAxis) {
    auto p = loaded("input A[i, k, l]: f32[8, 12, 5]\n"
                    "stage S[i] = sum[k in 2..12, l in 0..5 where k < i + l](A[i, k, l])\n"
                    "output S: [8]\n");
    EXPECT_EQ(derived(p, "R = S.rfactor(k)\n"),
              "stage R[k, i]: f32 = sum[l in 0..5 where k + 2 < i + l](A[i, k + 2, l])\n"
              "stage S[i]: f32 = sum[k in 0..10](R[k, i])\n");
    EXPECT_EQ(derived(p, "R = S.rfactor(l)\n"),
              "stage R[l, i]: f32 = sum[k in 0..10 where k + 2 < i + l](A[i, k + 2, l])\n"
              "stage S[i]: f32 = sum[l in 0..5](R[l, i])\n");
}

TEST(RFactor, OfPartsOfASplit) {
    auto p = loaded(kSum);
    EXPECT_EQ(derived(p, "S.split(k, ko, ki, 8)\nR = S.rfactor(ki)\n"),
              "stage R[ki, i]: f32 = sum[ko in 0..12](A[i, ko*8 + ki]*2.0)\n"
              "stage S[i]: f32 = sum[ki in 0..8](R[ki, i])\n");
    // Where the factor does not divide: a condition, and a minimum that keeps the box of A.
    EXPECT_EQ(derived(p, "S.split(k, ko, ki, 10)\nR = S.rfactor(ko)\n"),
              "stage R[ko, i]: f32 = sum[ki in 0..10 where ko*10 + ki < 96]"
              "(A[i, min(ko*10 + ki, 95)]*2.0)\n"
              "stage S[i]: f32 = sum[ko in 0..10](R[ko, i])\n");
    EXPECT_EQ(tree_of(p, "S.split(k, ko, ki, 10)\nR = S.rfactor(ko)\n")->input_boxes.at("A")[1],
              (Interval{0, 95}));
    // A tail within a tail.
    EXPECT_EQ(derived(p, "S.split(k, ko, ki, 10)\nS.split(ko, koo, koi, 4)\nR = S.rfactor(koo)\n"),
              "stage R[koo, i]: f32 = sum[koi in 0..4, ki in 0..10 where koo*4 + koi < 10 and "
              "min(koo*4 + koi, 9)*10 + ki < 96]"
              "(A[i, min(min(koo*4 + koi, 9)*10 + ki, 95)]*2.0)\n"
              "stage S[i]: f32 = sum[koo in 0..3](R[koo, i])\n");
}

TEST(RFactor, OfAFusedLoop) {
    auto p = loaded("input A[i, k, l]: f32[8, 12, 5]\n"
                    "stage S[i] = max[k in 0..12, l in 0..5](A[i, k, l])\noutput S: [8]\n");
    EXPECT_EQ(derived(p, "S.fuse(k, l, f)\nS.split(f, fo, fi, 6)\nR = S.rfactor(fi)\n"),
              "stage R[fi, i]: f32 = max[fo in 0..10](A[i, (fo*6 + fi)/5, (fo*6 + fi)%5])\n"
              "stage S[i]: f32 = max[fi in 0..6](R[fi, i])\n");
}

TEST(RFactor, OfTheOnlyLoopLeavesAPureStage) {
    auto p = loaded("input A[i, k]: i32[8, 9]\n"
                    "stage S[i] = prod[k in 0..9 where k != i](A[i, k])\noutput S: [8]\n");
    EXPECT_EQ(derived(p, "R = S.rfactor(k)\n"), "stage R[k, i]: i32 = select(k != i, A[i, k], 1)\n"
                                                "stage S[i]: i32 = prod[k in 0..9](R[k, i])\n");
    // … which may be inlined again.
    EXPECT_EQ(derived(p, "R = S.rfactor(k)\nR.inline()\n"),
              "stage S[i]: i32 = prod[k in 0..9](select(k != i, A[i, k], 1))\n");
}

TEST(RFactor, OfAnUpdate) {
    auto p = loaded("input img[r, c]: u8[6, 8]\nstage H[i]: i32 = 7\n"
                    "update H[i32(img[r, c])] += 1 over r in 0..6, c in 0..8\noutput H: [256]\n");
    EXPECT_EQ(derived(p, "R = H.update(0).rfactor(r)\n"),
              "stage R[r, i]: i32 = 0\n"
              "update R[r, i32(img[r, c])] += 1 over c in 0..8\n"
              "stage H[i]: i32 = 7\n"
              "update H[i] += R[r, i] over r in 0..6\n");
    auto applied = scheduled(p, "R = H.update(0).rfactor(r)\nR.update(0).parallel(r)\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(nest(applied, "R", 1), "r=parallel c!");
    EXPECT_EQ(nest(applied, "H", 1), "i r!") << "H's update has a free variable now";
    EXPECT_EQ(derived(p, "R = H.update(0).rfactor(c)\n"),
              "stage R[c, i]: i32 = 0\n"
              "update R[c, i32(img[r, c])] += 1 over r in 0..6\n"
              "stage H[i]: i32 = 7\n"
              "update H[i] += R[c, i] over c in 0..8\n");
}

TEST(RFactor, DependencesOfWhatIsLeftOfAnUpdate) {
    std::string factored = "R = H.update(0).rfactor(r)\n";
    EXPECT_EQ(refusal(histogram(), factored + "H.update(0).split(r, ro, ri, 2)\n"
                                              "H.update(0).vectorize(i)\n"
                                              "H.update(0).reorder(ri, ro)\n"),
              "applied");
    EXPECT_EQ(refusal(histogram(), factored + "H.update(0).parallel(r)\n"),
              "2:22 H.update(0).r cannot be parallel: H[i], written at r = 0, is written again at "
              "r = 1, at a distance of (1); legal to run in parallel: i; after "
              "H.update(0).atomic() iterations may collide; R = H.update(0).rfactor(r) makes them "
              "independent in R");
    EXPECT_EQ(refusal(histogram(), factored + "H.update(0).atomic()\n"
                                              "H.update(0).parallel(r)\n"),
              "applied");
}

TEST(RFactor, AnUpdatesNeutralElementChangesNothing) {
    auto neutral = [](const std::string& op, const std::string& type) {
        auto p = loaded("input a[i]: " + type + "[8]\nstage S[i]: " + type +
                        " = a[i]\nupdate S[i] " + op + " a[r] over r in 0..8\noutput S: [8]\n");
        auto text = derived(p, "R = S.update(0).rfactor(r)\n");
        return text.substr(0, text.find('\n'));
    };
    EXPECT_EQ(neutral("+=", "f32"), "stage R[r, i]: f32 = -0.0") << "-0 + 0 would be 0";
    EXPECT_EQ(neutral("+=", "i16"), "stage R[r, i]: i16 = 0i16");
    EXPECT_EQ(neutral("*=", "f64"), "stage R[r, i]: f64 = 1.0f64");
    EXPECT_EQ(neutral("max=", "f32"), "stage R[r, i]: f32 = -inf");
    EXPECT_EQ(neutral("min=", "u8"), "stage R[r, i]: u8 = 255u8");
}

TEST(RFactor, TheNests) {
    auto applied = scheduled(matmul(), "C.split(j, jo, ji, 8)\nC.vectorize(ji)\n"
                                       "C.split(k, ko, ki, 25)\nC.reorder(ko, i, l, jo, ki, ji)\n"
                                       "R = C.rfactor(ko)\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(nest(applied, "C"), "ko! i jo ji=vectorised") << "its free loops are as they were";
    EXPECT_EQ(nest(applied, "R"), "ko i j l! ki!") << "the reduction loops in the nest's order";
    EXPECT_EQ(placed(applied, "R"), "root");
    EXPECT_EQ(applied.state.index_of("R") + 1, applied.state.index_of("C"));
    EXPECT_EQ(applied.state.find("R")->factor_of, "C");
}

TEST(RFactor, TheStageTakesEveryDirective) {
    auto lines = "R = C.rfactor(k)\nR.split(k, ko, ki, 4)\nR.vectorize(ki)\nR.parallel(ko)\n"
                 "As = R.cache_read(A, local)\nAs.compute_at(R, ko)\nQ = R.rfactor(l)\n";
    EXPECT_EQ(refusal(matmul(), lines), "7:15 R cannot be factored: As is computed at its "
                                        "loop ko, and would be read by Q, outside of "
                                        "it; write this line before As.compute_at(R, "
                                        "ko), and that one as As.compute_at(Q, …)");
    auto applied = scheduled(matmul(), "R = C.rfactor(k)\nR.compute_at(C, i)\nR.vectorize(j, 8)\n"
                                       "C.compute_at(out, i)\nC.parallel(j)\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(placed(applied, "R"), "C.i");
}

TEST(RFactor, Again) {
    auto p = loaded("input A[i, k, l]: f32[8, 12, 5]\n"
                    "stage S[i] = sum[k in 0..12, l in 0..5](A[i, k, l])\noutput S: [8]\n");
    EXPECT_EQ(derived(p, "R = S.rfactor(k)\nQ = R.rfactor(l)\n"),
              "stage Q[l, k, i]: f32 = A[i, k, l]\n"
              "stage R[k, i]: f32 = sum[l in 0..5](Q[l, k, i])\n"
              "stage S[i]: f32 = sum[k in 0..12](R[k, i])\n");
    EXPECT_EQ(derived(p, "R = S.rfactor(k)\nS.split(k, ko, ki, 4)\nQ = S.rfactor(ko)\n"),
              "stage R[k, i]: f32 = sum[l in 0..5](A[i, k, l])\n"
              "stage Q[ko, i]: f32 = sum[ki in 0..4](R[ko*4 + ki, i])\n"
              "stage S[i]: f32 = sum[ko in 0..3](Q[ko, i])\n");
}

TEST(RFactor, OfArgmaxKeepsRanks) {
    auto p = loaded("input A[i, k]: f32[8, 20]\n"
                    "stage S[i] = argmax[k in 0..20](A[i, k])\noutput S: [8]\n");
    auto tree = tree_of(p, "S.split(k, ko, ki, 5)\nR = S.rfactor(ko)\n");
    ASSERT_TRUE(tree);
    const auto& factor = tree->find_stage("R")->stage;
    EXPECT_EQ(factor.types, (std::vector<ScalarType>{ScalarType::F32, ScalarType::I32}));
    EXPECT_EQ(factor.definitions[0].reduction, ReductionOp::ArgMax);
    EXPECT_EQ(to_text(factor.definitions[0].values[1]), "ko*5 + ki") << "the rank in the whole";
    const auto& combined = tree->find_stage("S")->stage.definitions[0];
    for (int c : {0, 1}) {
        const auto& value = combined.values[static_cast<std::size_t>(c)];
        EXPECT_EQ(value->kind, ExprKind::Load);
        EXPECT_EQ(value->name, "R");
        EXPECT_EQ(value->component, c);
        EXPECT_EQ(value->type, factor.types[static_cast<std::size_t>(c)]);
    }
    EXPECT_FALSE(tree->reassociates()) << "the first of equals wins in any order";
}

TEST(RFactor, CopiesMadeBeforeServeTheFactor) {
    auto p = loaded(kSum);
    EXPECT_EQ(derived(p, "As = S.cache_read(A, local)\nR = S.rfactor(k)\n"),
              "stage As[i, k]: f32 = A[i, k]\n"
              "stage R[k, i]: f32 = As[i, k]*2.0\n"
              "stage S[i]: f32 = sum[k in 0..96](R[k, i])\n");
    auto applied =
        scheduled(p, "As = S.cache_read(A, local)\nR = S.rfactor(k)\nAs.compute_at(R, i)\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(applied.state.find("As")->copy_readers,
              (std::set<std::pair<std::string, int>>{{"R", 0}}));
    EXPECT_EQ(refusal(p, "R = S.rfactor(k)\nAs = S.cache_read(A, local)\n"),
              "2:19 S does not read A; it reads R");
    EXPECT_EQ(derived(p, "R = S.rfactor(k)\nRs = S.cache_read(R, local)\n"),
              "stage R[k, i]: f32 = A[i, k]*2.0\n"
              "stage Rs[k, i]: f32 = R[k, i]\n"
              "stage S[i]: f32 = sum[k in 0..96](Rs[k, i])\n");
}

// A copy of what was factored has one definition, whatever the stage had before.
TEST(RFactor, ACopyOfWhatWasFactoredIsOnlyACopy) {
    auto p = loaded("input img[r, c]: u8[6, 8]\nstage H[i]: i32 = 7\n"
                    "update H[i32(img[r, c])] += 1 over r in 0..6, c in 0..8\n"
                    "stage T[i]: i32 = H[i]*2\noutput T: [256]\n");
    auto tree = tree_of(p, "R = H.update(0).rfactor(r)\nHs = T.cache_read(H, local)\n");
    ASSERT_TRUE(tree);
    EXPECT_TRUE(tree->derived->find("H")->original);
    const auto* copy = tree->derived->find("Hs");
    ASSERT_TRUE(copy);
    EXPECT_EQ(copy->definitions.size(), 1u);
    EXPECT_FALSE(copy->original) << "its ranges are those of what it loads";
}

TEST(RFactor, InlinedStagesGoWithTheTerm) {
    auto p = loaded("input A[i, k]: f32[8, 96]\nstage t[i, k] = A[i, k] + 1.0\n"
                    "stage S[i] = sum[k in 0..96](t[i, k])\noutput S: [8]\n");
    auto expected = "stage R[k, i]: f32 = A[i, k] + 1.0\n"
                    "stage S[i]: f32 = sum[k in 0..96](R[k, i])\n";
    EXPECT_EQ(derived(p, "t.inline()\nR = S.rfactor(k)\n"), expected);
    EXPECT_EQ(derived(p, "R = S.rfactor(k)\nt.inline()\n"), expected);
}

// A let of the pipeline may bear the name that a split gave to a loop.
TEST(RFactor, LetsDoNotCatchLoops) {
    auto p = loaded("input A[i, k]: i32[8, 12]\n"
                    "stage S[i] = sum[k in 0..12](let ko = A[i, 0] in ko + A[i, k])\n"
                    "output S: [8]\n");
    EXPECT_EQ(derived(p, "S.split(k, ko, ki, 4)\nR = S.rfactor(ko)\n"),
              "stage R[ko, i]: i32 = sum[ki in 0..4](let ko.R = A[i, 0] in ko.R + A[i, ko*4 + "
              "ki])\n"
              "stage S[i]: i32 = sum[ko in 0..3](R[ko, i])\n");
}

TEST(RFactor, ContractionIsOfTheWhole) {
    auto flags = [](const std::string& lines) {
        auto applied = scheduled(loaded(kSum), lines);
        EXPECT_EQ(refusal(applied), "applied");
        std::string text;
        for (const auto& stage : applied.state.stages)
            text += stage->name + (stage->definitions.back().contract ? "+" : "") +
                    (stage->definitions.back().fast_math ? "!" : "") + " ";
        return text;
    };
    std::string split = "S.split(k, ko, ki, 8)\n";
    EXPECT_EQ(flags(split + "S.contract()\nR = S.rfactor(ko)\n"), "R+ S+ ");
    EXPECT_EQ(flags(split + "R = S.rfactor(ko)\nS.contract()\n"), "R+ S+ ");
    EXPECT_EQ(flags(split + "R = S.rfactor(ko)\nR.contract()\n"), "R+ S+ ");
    EXPECT_EQ(flags(split + "R = S.rfactor(ko)\nQ = R.rfactor(ki)\nQ.contract()\n"), "Q+ R+ S+ ");
    EXPECT_EQ(flags(split + "R = S.rfactor(ko)\nQ = S.rfactor(ko)\nQ.contract()\n"), "R+ Q+ S+ ");
    EXPECT_EQ(flags(split + "R = S.rfactor(ko)\nR.fast_math()\n"), "R! S! ");
    // The product is fused where it is accumulated: in R.
    auto tree = tree_of(loaded(kSum), split + "S.contract()\nR = S.rfactor(ko)\n");
    EXPECT_TRUE(tree->find_stage("R")->fused_step[0]);
    EXPECT_FALSE(tree->find_stage("S")->fused_step[0]);
}

TEST(RFactor, MarksFloatSumsAndProducts) {
    using Names = std::vector<std::string>;
    auto marked = [](ReductionOp op, ScalarType type) {
        return reassociating(scheduled(reduction(op, type), "R = M.rfactor(k)\n"));
    };
    EXPECT_EQ(marked(ReductionOp::Sum, ScalarType::F32), Names{"M/0"});
    EXPECT_EQ(marked(ReductionOp::Product, ScalarType::F64), Names{"M/0"});
    EXPECT_EQ(marked(ReductionOp::Sum, ScalarType::I32), Names{});
    EXPECT_EQ(marked(ReductionOp::Min, ScalarType::F32), Names{});
    EXPECT_EQ(marked(ReductionOp::Max, ScalarType::F32), Names{});
    // Later directives leave the mark, and may add R's.
    EXPECT_EQ(reassociating(scheduled(matmul(), "R = C.rfactor(l)\nC.parallel(i)\n")),
              Names{"C/0"});
    EXPECT_EQ(reassociating(scheduled(matmul(), "R = C.rfactor(l)\nR.vectorize(k, 4)\n")),
              (Names{"R/0", "C/0"}));
    auto sum = update({{v("y"), v("r")}, UpdateOp::Add, input_at({v("r"), v("c")}), nullptr});
    EXPECT_EQ(reassociating(scheduled(sum, "R = S.update(0).rfactor(c)\n")), Names{"S/1"});
    auto most = update({{v("y"), v("r")}, UpdateOp::Max, input_at({v("r"), v("c")}), nullptr});
    EXPECT_EQ(reassociating(scheduled(most, "R = S.update(0).rfactor(c)\n")), Names{});
}

// The minimum that a tail writes into indices does not hide from legality that they are affine.
TEST(RFactor, TailsStayAffineForLegality) {
    auto p = loaded("input a[i]: i32[100]\nstage S[i]: i32 = 0\n"
                    "update S[r] += a[r] * c over r in 0..100, c in 0..3\noutput S: [100]\n");
    EXPECT_EQ(refusal(p, "S.update(0).split(r, ro, ri, 8)\nR = S.update(0).rfactor(c)\n"
                         "R.update(0).parallel(ro)\nR.update(0).vectorize(ri)\n"),
              "applied");
}

// What is known of the values of S, by which lut is read, must not widen what lut computes.
TEST(RFactor, KeepsTheBoxesOfOthers) {
    auto p = loaded("input a[i, k]: u8[8, 100]\nstage lut[i]: f32 = f32(i)\n"
                    "stage S[i]: i32 = min[k in 0..100](i32(a[i, k]))\n"
                    "stage out[i] = lut[S[i]]\noutput out: [8]\n");
    EXPECT_EQ(refusal(p, "S.split(k, ko, ki, 10)\nR = S.rfactor(ko)\n"), "applied");
    for (std::string lines : {"S.split(k, ko, ki, 8)\nR = S.rfactor(ko)\n",
                              "S.split(k, ko, ki, 8)\nR = S.rfactor(ki)\nQ = R.rfactor(ko)\n"}) {
        EXPECT_EQ(refusal(p, lines), "applied") << lines;
        EXPECT_EQ(tree_of(p, lines)->find_stage("lut")->box[0], (Interval{0, 255})) << lines;
    }
}

// The index that an argmax finds is one of its range, however its parts are made.
TEST(RFactor, OfAnArgmaxWhoseIndexIsAnIndex) {
    auto p = loaded("input s[n, c]: f32[33, 10]\nstage t[n, c] = s[n, c] * 2.0\n"
                    "stage best[n] = argmax[c in 0..10](t[n, c])\n"
                    "stage again[n] = s[n, best[n].1]\noutput again: [33]\n");
    for (std::string lines :
         {"R = best.rfactor(c)\n", "best.split(c, co, ci, 1)\nR = best.rfactor(co)\n",
          "best.split(c, co, ci, 5)\nR = best.rfactor(ci)\n",
          "best.split(c, co, ci, 4)\nR = best.rfactor(ci)\nt.inline()\n",
          "t.inline()\nbest.split(c, co, ci, 4)\nR = best.rfactor(co)\nQ = R.rfactor(ci)\n"
          "R.compute_at(best, n)\n"}) {
        EXPECT_EQ(refusal(p, lines), "applied") << lines;
        EXPECT_EQ(tree_of(p, lines)->input_boxes.at("s"), (Box{{0, 32}, {0, 9}})) << lines;
    }
}

// Each component combines by itself.
TEST(RFactor, OfAnUpdateOfATuple) {
    auto p = loaded("input a[i]: f32[9]\nstage l[i] = (0.0, 0)\n"
                    "update l[i] += (a[k], k) over k in 0..9\noutput l: [4]\n");
    EXPECT_THAT(refusal(p, "l.update(0).parallel(k)\n"),
                testing::EndsWith("R = l.update(0).rfactor(k) makes them independent in R"));
    EXPECT_EQ(derived(p, "R = l.update(0).rfactor(k)\n"),
              "stage R[k, i]: (f32, i32) = (-0.0, 0)\n"
              "update R[k, i] += (a[k], k)\n"
              "stage l[i]: (f32, i32) = (0.0, 0)\n"
              "update l[i] += (R[k, i].0, R[k, i].1) over k in 0..9\n");
    EXPECT_EQ(refusal(p, "R = l.update(0).rfactor(k)\nR.update(0).parallel(k)\n"), "applied");
    EXPECT_EQ(reassociating(scheduled(p, "R = l.update(0).rfactor(k)\n")),
              std::vector<std::string>{"l/1"});
}

TEST(RFactor, Refusals) {
    auto p = loaded(kSum);
    auto refused = [&](const std::string& lines) { return refusal(p, lines); };
    EXPECT_EQ(refused("S.rfactor(k)\n"),
              "1:1 rfactor makes a stage, which needs a name; write result = S.rfactor(loop)");
    EXPECT_EQ(refused("A = S.rfactor(k)\n"),
              "1:1 the name A is taken; choose one that no stage or input has");
    EXPECT_EQ(refused("R = S.rfactor(kk)\n"),
              "1:15 S has no loop kk; its loops are i, k; did you mean k?");
    EXPECT_EQ(refused("R = S.rfactor(i)\n"),
              "1:15 S.i cannot be factored: it runs over a free variable, whose iterations are "
              "independent already; the reduction loops of S: k");
    EXPECT_EQ(refused("R = T.rfactor(k)\n"), "1:5 there is no stage T; `show` lists the stages");
    EXPECT_EQ(refused("R = A.rfactor(k)\n"),
              "1:5 A is an input: it is given, not computed; a copy takes directives: B = "
              "S.cache_read(A, local)");
    EXPECT_EQ(refused("As = S.cache_read(A, local)\nR = As.rfactor(k)\n"),
              "2:5 As cannot be factored: it is a copy, which computes each of its elements once; "
              "rfactor is for reductions, and for updates by +=, *=, max= and min= that do not "
              "read their stage");
    EXPECT_THAT(refusal(chain(), "R = out.rfactor(y)\n"),
                testing::StartsWith("1:5 out cannot be factored: it computes each of its elements "
                                    "once; rfactor is for"));
    auto assigns =
        update({{v("y"), v("r")}, UpdateOp::Assign, input_at({v("r"), v("c")}), nullptr});
    EXPECT_THAT(refusal(assigns, "R = S.update(0).rfactor(c)\n"),
                testing::StartsWith("1:5 S.update(0) cannot be factored: it assigns, and of "
                                    "iterations that meet the last one counts; "));
    auto scan =
        update({{v("y"), v("r")}, UpdateOp::Add, self({v("y"), plus(v("r"), -1)}), nullptr});
    EXPECT_THAT(
        refusal(scan, "R = S.update(0).rfactor(r)\n"),
        testing::StartsWith("1:5 S.update(0) cannot be factored: it reads S itself, so that "
                            "its iterations follow from each other; "));
}

TEST(RFactor, NamesOfIndices) {
    EXPECT_EQ(
        refusal(matmul(), "C.split(i, io, ii, 8)\nC.split(k, i, ki, 10)\n"
                          "R = C.rfactor(i)\n"),
        "3:15 C cannot be factored: its reduction loop i bears the name of an index of C, and "
        "R would have both; a split gives a loop other names: C.split(i, …)");
    // An over axis in place of a variable of the same name.
    auto p = loaded("input a[x]: i32[9]\nstage S[x]: i32 = 0\n"
                    "update S[x] += a[x] * z over x in 0..9, z in 0..3\noutput S: [9]\n");
    EXPECT_EQ(derived(p, "R = S.update(0).rfactor(z)\n"),
              "stage R[z, x]: i32 = 0\n"
              "update R[z, x] += a[x]*z over x in 0..9\n"
              "stage S[x]: i32 = 0\n"
              "update S[x] += R[z, x] over z in 0..3\n");
    EXPECT_THAT(refusal(p, "R = S.update(0).rfactor(x)\n"),
                testing::HasSubstr("its reduction loop x bears the name of an index of S"));
}

TEST(RFactor, NotWhereSomethingIsComputed) {
    auto p = loaded("input A[i, k]: f32[8, 96]\nstage t[i, k] = A[i, k] + 1.0\n"
                    "stage S[i] = sum[k in 0..96](t[i, k])\noutput S: [8]\n");
    EXPECT_EQ(refusal(p, "t.compute_at(S, k)\nR = S.rfactor(k)\n"),
              "2:15 S cannot be factored: t is computed at its loop k, and would be read by R, "
              "outside of it; write this line before t.compute_at(S, k), and that one as "
              "t.compute_at(R, …)");
    EXPECT_THAT(refusal(p, "t.compute_at(S, i)\nR = S.rfactor(k)\n"),
                testing::HasSubstr("t is computed at its loop i"));
    EXPECT_EQ(refusal(p, "R = S.rfactor(k)\nt.compute_at(R, i)\n"), "applied");
    auto stored = loaded("input A[i, k]: f32[8, 96]\nstage u[i, k] = A[i, k] + 1.0\n"
                         "stage t[i, k] = u[i, k] * 2.0\n"
                         "stage S[i] = sum[k in 0..96](t[i, k])\noutput S: [8]\n");
    EXPECT_EQ(refusal(stored, "S.split(k, ko, ki, 8)\nt.compute_at(S, ki)\n"
                              "u.compute_at(t, k)\nu.store_at(S, ko)\n"
                              "R = S.rfactor(ko)\n"),
              "5:15 S cannot be factored: u is stored at its loop ko, and would be read by R, "
              "outside of it; write this line before u.store_at(S, ko), and that one as "
              "u.store_at(R, …)");
    EXPECT_EQ(refusal(stored, "S.split(k, ko, ki, 8)\nR = S.rfactor(ko)\n"
                              "t.compute_at(R, ki)\nu.compute_at(t, k)\n"
                              "u.store_at(R, ko)\n"),
              "applied");
}

TEST(RFactor, EmptyReductions) {
    auto p = loaded("input A[i, k]: i32[8, 9]\n"
                    "stage S[i] = sum[k in 0..9, l in 3..3](A[i, k] * l)\noutput S: [8]\n");
    EXPECT_EQ(derived(p, "R = S.rfactor(l)\n"),
              "stage R[l, i]: i32 = sum[k in 0..9](A[i, k]*(l + 3))\n"
              "stage S[i]: i32 = sum[l in 0..0](R[l, i])\n");
}

TEST(RFactor, RoundTrip) {
    expect_round_trip("R = S.rfactor(k)");
    expect_round_trip("R = S.update(0).rfactor(ko)");
}

} // namespace test_rfactor
} // namespace loopscope::test
