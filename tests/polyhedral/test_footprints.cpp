#include "core/ir/box.h"
#include "core/language/loop_parser.h"
#include "core/polyhedral/footprints.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace loopscope::polyhedral {
namespace {

Accesses over(std::vector<Axis> axes) {
    Accesses out;
    out.axes = std::move(axes);
    return out;
}

TEST(Footprint, OfStridesAndDivisions) {
    auto accesses = over({{"x", 0, 10, false}});
    Access strided{false, {Affine{1, {{0, 3}}}}, "a[3*x + 1]"};
    auto strides = footprint(accesses, strided, {{0, 9}});
    ASSERT_TRUE(strides.has_value());
    EXPECT_EQ(strides->box[0], (Interval{1, 28}));
    EXPECT_EQ(strides->elements, 10) << "fewer than the box holds";
    accesses.divisions = {{Affine{0, {{0, 1}}}, 4}};
    Access divided{false, {Affine{0, {{1, 1}}}}, "a[x / 4]"};
    EXPECT_EQ(footprint(accesses, divided, {{-1, 9}})->box[0], (Interval{-1, 2}))
        << "division floors";
    EXPECT_EQ(footprint(accesses, divided, {{-1, 9}})->elements, 4);
    EXPECT_EQ(footprint(accesses, Access{false, {std::nullopt}, ""}, {{0, 9}}), std::nullopt);
    EXPECT_EQ(footprint(accesses, strided, {{0, 9'999'999}})->elements, std::nullopt)
        << "too many to count";
}

TEST(Footprint, OfATriangle) {
    auto accesses = over({{"r", 0, 8, false}, {"c", 0, 8, false}});
    accesses.conditions = {Affine{-1, {{0, 1}, {1, -1}}}}; // c < r
    Access element{true, {Affine{0, {{0, 1}}}, Affine{0, {{1, 1}}}}, "L[r, c]"};
    auto touched = footprint(accesses, element, {{0, 7}, {0, 7}});
    EXPECT_EQ(touched->box, (std::vector<Interval>{{1, 7}, {0, 6}}));
    EXPECT_EQ(touched->elements, 28);
}

// The boxes that the front end and the tree work with, against the exact image.
TEST(Footprint, JudgesBoxes) {
    std::mt19937 random(3);
    auto pick = [&](int low, int high) {
        return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    int tight = 0, compared = 0;
    for (int n = 0; n < 60; ++n) {
        auto index = [&] {
            auto term = [&](const char* axis) {
                auto text =
                    std::to_string(pick(0, 3)) + "*" + axis + " + " + std::to_string(pick(-4, 4));
                switch (pick(0, 3)) {
                case 0: return "(" + text + ")/" + std::to_string(pick(2, 5));
                case 1: return "(" + text + ")%" + std::to_string(pick(2, 5));
                default: return "(" + text + ")";
                }
            };
            return pick(0, 1) ? term("y") + " + " + term("x") : pick(0, 1) ? term("y") : term("x");
        };
        auto text = "pipeline p\ninput src[a, b]: f32[64, 64] boundary zero\nstage s[y, x] = src[" +
                    index() + ", " + index() + "]\noutput s: [9, 7]\n";
        auto pipeline = load_pipeline(std::make_shared<SourceFile>("p.loop", text));
        ASSERT_TRUE(pipeline.ok()) << format(pipeline.errors());
        const auto& stage = *pipeline->pipeline->find("s");
        auto boxes = boxes_read(*pipeline->pipeline, stage, stage.definitions[0],
                                {{"y", {0, 8}}, {"x", {0, 6}}});
        ASSERT_TRUE(boxes.ok());
        auto accesses = over({{"y", 0, 9, false}, {"x", 0, 7, false}});
        Access access{false, {}, ""};
        for (const auto& e : stage.definitions[0].values[0]->args)
            access.indices.push_back(affine_of(e, accesses.axes, accesses.divisions));
        auto exact = footprint(accesses, access, {{0, 8}, {0, 6}});
        ASSERT_TRUE(exact.has_value()) << text;
        for (std::size_t d = 0; d < 2; ++d) {
            EXPECT_TRUE((*boxes)["src"][d].contains(exact->box[d])) << text;
            tight += (*boxes)["src"][d] == exact->box[d];
            ++compared;
        }
    }
    EXPECT_GT(tight * 2, compared) << "boxes are mostly exact";
}

} // namespace
} // namespace loopscope::polyhedral
