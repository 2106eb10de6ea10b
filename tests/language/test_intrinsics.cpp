// The declarations of tensor instructions: what they say, and how operands lie in the registers of
// a warp. The values by hand are the PTX ISA's tables "Matrix Fragments for mma…", read for single
// lanes.

#include "core/language/fold.h"
#include "core/language/intrinsics.h"
#include "tests/language/loop_support.h"
#include "tests/support/support.h"

#include "core/device/generic_gpu.h"
#include "core/ir/range.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <set>

namespace loopscope::test {
namespace test_intrinsics {

using testing::ElementsAre;
using testing::HasSubstr;

const Intrinsic& intrinsic(const std::string& name) {
    static const Intrinsic none;
    const auto found = declared_intrinsics().find(name);
    EXPECT_TRUE(found) << name;
    return found ? *found : none; // the table lives as long as the program
}

using Place = std::vector<std::int64_t>;

Place place(const IntrinsicOperand& operand, std::int64_t lane, std::int64_t r) {
    Place out;
    for (const auto& index : operand.layout) {
        const auto value = range_of(index, [&](const std::string& name) -> std::optional<Interval> {
            const auto at = name == "lane" ? lane : r;
            return Interval{at, at};
        });
        EXPECT_TRUE(value && value->extent() == 1);
        out.push_back(value ? value->least : -1);
    }
    return out;
}

std::vector<Place> places(const IntrinsicOperand& operand, std::int64_t lane) {
    std::vector<Place> out;
    for (std::int64_t r = 0; r < operand.registers; ++r)
        out.push_back(place(operand, lane, r));
    return out;
}

std::vector<const IntrinsicOperand*> operands(const Intrinsic& of) {
    std::vector<const IntrinsicOperand*> out;
    for (const auto& operand : of.operands)
        out.push_back(&operand);
    out.push_back(&of.result);
    return out;
}

// By the 128 lanes of a warpgroup, which take factors out of shared memory.
bool is_of_groups(const Intrinsic& of) { return of.name.starts_with("wgmma_"); }

// Whether nobody knows how the operands lie in registers (wmma fragments).
bool is_of_whole_matrices(const Intrinsic& of) { return of.name.starts_with("wmma_"); }

TEST(Intrinsics, EachFileIsOne) {
    std::set<std::string> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(source_path("resources/intrinsics")))
        files.insert(entry.path().stem().string());
    std::set<std::string> names;
    for (const auto& each : declared_intrinsics().all) {
        names.insert(each->name);
        // The text of the build is the file's.
        EXPECT_EQ(each->declaration->source->text(),
                  read_file(source_path("resources/intrinsics/" + each->name + ".loop")));
        EXPECT_TRUE(each->accumulates);
        EXPECT_EQ(each->lanes, is_of_groups(*each) ? 128 : 32);
    }
    EXPECT_EQ(names, files);
    EXPECT_GE(names.size(), 5u);
}

TEST(Intrinsics, AreReadOnce) { EXPECT_EQ(&declared_intrinsics(), &declared_intrinsics()); }

TEST(Intrinsics, AreWhatDevicesList) {
    for (const auto& each : declared_intrinsics().all)
        EXPECT_NE(device::generic_gpu().gpu->has_intrinsic(each->name), is_of_groups(*each))
            << each->name;
}

TEST(Intrinsics, OfGroupsTakeFactorsOutOfSharedMemory) {
    for (const auto& each : declared_intrinsics().all)
        for (const auto& operand : each->operands)
            EXPECT_EQ(operand.shared, is_of_groups(*each)) << each->name;
    const auto& of = intrinsic("wgmma_m64n128k16_f16");
    EXPECT_FALSE(of.result.shared);
    EXPECT_EQ(of.result.registers, 64);
    // PTX ISA, "WGMMA .m64nNk16 register fragment layout for accumulator matrix D".
    const auto of_lane = places(of.result, 37); // the second warp's lane 5
    EXPECT_EQ(of_lane[0], (Place{17, 2}));
    EXPECT_EQ(of_lane[1], (Place{17, 3}));
    EXPECT_EQ(of_lane[2], (Place{25, 2}));
    EXPECT_EQ(of_lane[4], (Place{17, 10}));
    EXPECT_EQ(of_lane[63], (Place{25, 123}));
    EXPECT_EQ(places(of.result, 127)[63], (Place{63, 127}));
}

// PTX ISA, "Matrix Fragments for WMMA": a vector of eight .f16x2 for A and B, of eight .f32 for D.
TEST(Intrinsics, OfWholeMatricesSayHowManyElementsALaneHolds) {
    const auto& of = intrinsic("wmma_m16n16k16_f16");
    EXPECT_EQ(of.operand("A")->registers, 16);
    EXPECT_EQ(of.operand("B")->registers, 16);
    EXPECT_EQ(of.result.registers, 8);
    EXPECT_TRUE(of.result.opaque());
    EXPECT_FALSE(of.result.shared);
    const auto wrong = read_intrinsic(std::make_shared<SourceFile>(
        "own.loop", "pipeline own\ninput A[i, k]: f16[16, 16]\ninput B[k, j]: f16[16, 16]\n"
                    "stage D[i, j]: f32 = sum[k in 0..16](f32(A[i, k])*f32(B[k, j]))\n"
                    "stage D_held[r, lane] = r\n"
                    "output D: [16, 16]\noutput D_held: [32, 8]\n"));
    EXPECT_THAT(format(wrong.errors()), HasSubstr("D_held is no layout: a stage over lane and r "
                                                  "says how many elements a lane holds"));
}

Result<std::shared_ptr<const Intrinsic>> with_lanes(const std::string& rows,
                                                    const std::string& columns) {
    return read_intrinsic(std::make_shared<SourceFile>(
        "own.loop", "pipeline own\ninput A[i, k]: f16[8, 16]\ninput B[k, j]: f16[16, 8]\n"
                    "stage D[i, j]: f32 = sum[k in 0..16](f32(A[i, k])*f32(B[k, j]))\n"
                    "stage D_i[lane, r] = lane/4\nstage D_j[lane, r] = lane%4*2 + r\n"
                    "output D: [8, 8]\noutput D_i: [" +
                        rows + ", 2]\noutput D_j: [" + columns + ", 2]\n"));
}

TEST(Intrinsics, LanesAreAWarpsOrAGroups) {
    EXPECT_TRUE(with_lanes("32", "32"));
    EXPECT_THAT(format(with_lanes("64", "64").errors()),
                HasSubstr("D_i is a layout of 64 lanes: a warp has 32, a warpgroup 128"));
    EXPECT_THAT(format(with_lanes("32", "128").errors()),
                HasSubstr("D_j is a layout of 128 lanes, and others of 32"));
}

TEST(Intrinsics, SayWhatTheyCompute) {
    const auto text = [](const std::string& name) {
        const auto& of = intrinsic(name);
        std::string out = loopscope::name(of.result.type);
        for (const auto& axis : of.axes)
            out += " " + axis.name + (axis.reduction ? "! " : " ") + std::to_string(axis.extent);
        for (const auto& operand : of.operands) {
            out += ", " + operand.name + " " + loopscope::name(operand.type);
            for (std::size_t d = 0; d < operand.axes.size(); ++d)
                out += " " + operand.axes[d] + " " + std::to_string(operand.extents[d]);
        }
        return out + ": " + to_text(of.term());
    };
    EXPECT_EQ(text("mma_m16n8k16_f16"), "f32 i 16 j 8 k! 16, A f16 i 16 k 16, B f16 k 16 j 8: "
                                        "f32(A[i, k])*f32(B[k, j])");
    EXPECT_EQ(text("mma_m16n8k16_bf16"), "f32 i 16 j 8 k! 16, A bf16 i 16 k 16, B bf16 k 16 j 8: "
                                         "f32(A[i, k])*f32(B[k, j])");
    EXPECT_EQ(text("mma_m16n8k32_s8"), "i32 i 16 j 8 k! 32, A i8 i 16 k 32, B i8 k 32 j 8: "
                                       "i32(A[i, k])*i32(B[k, j])");
    EXPECT_EQ(text("wmma_m16n16k16_f16"), "f32 i 16 j 16 k! 16, A f16 i 16 k 16, B f16 k 16 j 16: "
                                          "f32(A[i, k])*f32(B[k, j])");
    EXPECT_THAT(text("mma_m16n8k8_tf32"),
                HasSubstr("f32 i 16 j 8 k! 8, A f32 i 16 k 8, B f32 k 8 j 8: from_bits("));
    for (const auto& each : declared_intrinsics().all)
        EXPECT_EQ(each->rounds, each->name == "mma_m16n8k8_tf32") << each->name;
}

// Each element is in one register of one lane.
TEST(Intrinsics, LayoutsTakeEachElementOnce) {
    int layouts = 0;
    for (const auto& each : declared_intrinsics().all)
        for (const auto* operand : operands(*each)) {
            SCOPED_TRACE(each->name + " " + operand->name);
            if (operand->layout.empty()) {
                EXPECT_EQ(operand->opaque(), is_of_whole_matrices(*each));
                EXPECT_EQ(operand->shared, !operand->opaque());
                EXPECT_EQ(operand->registers > 0, operand->opaque());
                continue;
            }
            ++layouts;
            std::set<Place> taken;
            std::int64_t elements = 1;
            for (auto extent : operand->extents)
                elements *= extent;
            for (std::int64_t lane = 0; lane < each->lanes; ++lane)
                for (const auto& element : places(*operand, lane)) {
                    for (std::size_t d = 0; d < element.size(); ++d)
                        EXPECT_TRUE(element[d] >= 0 && element[d] < operand->extents[d]);
                    EXPECT_TRUE(taken.insert(element).second);
                }
            EXPECT_EQ(static_cast<std::int64_t>(taken.size()), elements);
            EXPECT_EQ(operand->registers * each->lanes, elements);
        }
    EXPECT_EQ(layouts, 4 * 3 + 7); // of warps' instructions, and of groups' results
}

TEST(Intrinsics, LayoutsOf16Bits) {
    for (const char* name : {"mma_m16n8k16_f16", "mma_m16n8k16_bf16"}) {
        const auto& of = intrinsic(name);
        const auto& a = *of.operand("A");
        const auto& b = *of.operand("B");
        EXPECT_THAT(places(a, 0), ElementsAre(Place{0, 0}, Place{0, 1}, Place{8, 0}, Place{8, 1},
                                              Place{0, 8}, Place{0, 9}, Place{8, 8}, Place{8, 9}));
        EXPECT_THAT(places(a, 5),
                    ElementsAre(Place{1, 2}, Place{1, 3}, Place{9, 2}, Place{9, 3}, Place{1, 10},
                                Place{1, 11}, Place{9, 10}, Place{9, 11}));
        EXPECT_THAT(places(a, 31),
                    ElementsAre(Place{7, 6}, Place{7, 7}, Place{15, 6}, Place{15, 7}, Place{7, 14},
                                Place{7, 15}, Place{15, 14}, Place{15, 15}));
        EXPECT_THAT(places(b, 0), ElementsAre(Place{0, 0}, Place{1, 0}, Place{8, 0}, Place{9, 0}));
        EXPECT_THAT(places(b, 5),
                    ElementsAre(Place{2, 1}, Place{3, 1}, Place{10, 1}, Place{11, 1}));
        EXPECT_THAT(places(b, 31),
                    ElementsAre(Place{6, 7}, Place{7, 7}, Place{14, 7}, Place{15, 7}));
    }
}

TEST(Intrinsics, LayoutsOfTf32) {
    const auto& of = intrinsic("mma_m16n8k8_tf32");
    EXPECT_THAT(places(*of.operand("A"), 5),
                ElementsAre(Place{1, 1}, Place{9, 1}, Place{1, 5}, Place{9, 5}));
    EXPECT_THAT(places(*of.operand("A"), 31),
                ElementsAre(Place{7, 3}, Place{15, 3}, Place{7, 7}, Place{15, 7}));
    EXPECT_THAT(places(*of.operand("B"), 5), ElementsAre(Place{1, 1}, Place{5, 1}));
    EXPECT_THAT(places(*of.operand("B"), 30), ElementsAre(Place{2, 7}, Place{6, 7}));
}

TEST(Intrinsics, LayoutsOf8Bits) {
    const auto& of = intrinsic("mma_m16n8k32_s8");
    EXPECT_THAT(places(*of.operand("A"), 5),
                ElementsAre(Place{1, 4}, Place{1, 5}, Place{1, 6}, Place{1, 7}, Place{9, 4},
                            Place{9, 5}, Place{9, 6}, Place{9, 7}, Place{1, 20}, Place{1, 21},
                            Place{1, 22}, Place{1, 23}, Place{9, 20}, Place{9, 21}, Place{9, 22},
                            Place{9, 23}));
    EXPECT_THAT(places(*of.operand("B"), 5),
                ElementsAre(Place{4, 1}, Place{5, 1}, Place{6, 1}, Place{7, 1}, Place{20, 1},
                            Place{21, 1}, Place{22, 1}, Place{23, 1}));
    EXPECT_THAT(places(*of.operand("B"), 31),
                ElementsAre(Place{12, 7}, Place{13, 7}, Place{14, 7}, Place{15, 7}, Place{28, 7},
                            Place{29, 7}, Place{30, 7}, Place{31, 7}));
}

TEST(Intrinsics, LayoutsOfResults) {
    for (const auto& each : declared_intrinsics().all) {
        if (each->result.layout.empty() || is_of_groups(*each))
            continue;
        EXPECT_THAT(places(each->result, 0),
                    ElementsAre(Place{0, 0}, Place{0, 1}, Place{8, 0}, Place{8, 1}));
        EXPECT_THAT(places(each->result, 6),
                    ElementsAre(Place{1, 4}, Place{1, 5}, Place{9, 4}, Place{9, 5}));
        EXPECT_THAT(places(each->result, 31),
                    ElementsAre(Place{7, 6}, Place{7, 7}, Place{15, 6}, Place{15, 7}));
    }
}

// What the declaration makes of an operand.
float rounded(float value) {
    auto term = intrinsic("mma_m16n8k8_tf32").term();
    auto factor = rewrite(term->args[0], [&](const ExprPtr& e) {
        return fold(e->kind == ExprKind::Load ? constant_float(ScalarType::F32, value) : e);
    });
    EXPECT_EQ(factor->kind, ExprKind::Constant);
    return std::bit_cast<float>(static_cast<std::uint32_t>(factor->bits));
}

TEST(Intrinsics, Tf32RoundsToNearestTiesAway) {
    const float step = std::ldexp(1.0f, -10); // of the numbers from 1 to 2
    EXPECT_EQ(rounded(1.0f), 1.0f);
    EXPECT_EQ(rounded(0.0f), 0.0f);
    EXPECT_EQ(rounded(-3.5f), -3.5f);
    EXPECT_EQ(rounded(1.0f + step / 2), 1.0f + step);
    EXPECT_EQ(rounded(std::nextafter(1.0f + step / 2, 0.0f)), 1.0f);
    EXPECT_EQ(rounded(-1.0f - step / 2), -1.0f - step);
    EXPECT_EQ(rounded(1.0f + 3 * step / 2), 1.0f + 2 * step);
    EXPECT_EQ(rounded(2.0f - step / 4), 2.0f);
    EXPECT_EQ(rounded(2048.0f), 2048.0f); // whole numbers up to 2^11 stay what they are
    EXPECT_EQ(rounded(2047.0f), 2047.0f);
    const float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(rounded(infinity), infinity);
    EXPECT_EQ(rounded(std::numeric_limits<float>::max()), infinity);
    EXPECT_TRUE(std::isnan(rounded(std::numeric_limits<float>::quiet_NaN())));
    // Below the normal numbers there are fewer digits to keep.
    EXPECT_EQ(rounded(std::ldexp(1.0f, -140)), 0.0f);
    EXPECT_EQ(rounded(std::ldexp(1.0f, -137)), std::ldexp(1.0f, -136));
}

std::string refusal(const std::string& text) {
    auto read = read_intrinsic(source("pipeline dot\n" + text));
    return read ? "read" : read.errors().front().message;
}

TEST(Intrinsics, WhatIsNoDeclaration) {
    const std::string inputs = "input A[i, k]: f16[16, 16]\ninput B[k, j]: f16[16, 8]\n";
    const std::string sum =
        "stage D[i, j]: f32 = sum[k in 0..16](f32(A[i, k])*f32(B[k, j]))\noutput D: [16, 8]\n";
    EXPECT_EQ(refusal(inputs + sum), "read");
    EXPECT_EQ(refusal(inputs + "stage D[i, j] = max[k in 0..16](A[i, k]*B[k, j])\n"
                               "output D: [16, 8]\n"),
              "D is the first stage, and not an output by a sum");
    EXPECT_EQ(refusal(inputs + "stage D[i, j] = sum[k in 1..16](A[i, k]*B[k, j])\n"
                               "output D: [16, 8]\n"),
              "D sums over k, which does not begin at 0");
    EXPECT_EQ(refusal(inputs + "stage D[i, j] = sum[k in 0..8](A[i, 2*k]*B[k, j])\n"
                               "output D: [16, 8]\n"),
              "A is not indexed by axes of their extents alone");
    EXPECT_EQ(refusal(inputs + "stage D[i, j] = sum[k in 0..8](A[i, k]*B[k, j])\n"
                               "output D: [16, 8]\n"),
              "A is not indexed by axes of their extents alone");
    EXPECT_EQ(refusal(inputs + "input X[i]: f16[16]\n" + sum),
              "X is no operand: the behaviour does not load it");
    EXPECT_EQ(refusal(inputs + sum + "stage A_k[lane, r] = lane*0 + r\noutput A_k: [32, 8]\n"),
              "D has an operand A of which one index has a layout, and not all");
    EXPECT_THAT(refusal(inputs + sum + "stage A_i[lane, r] = lane*0 + r\noutput A_i: [16, 8]\n"),
                HasSubstr("A_i is a layout of 16 lanes: a warp has 32, a warpgroup 128"));
    EXPECT_THAT(refusal(inputs + sum + "stage A_i[r, lane] = lane*0 + r\noutput A_i: [32, 8]\n"),
                HasSubstr("A_i is no layout"));
    EXPECT_THAT(refusal("stage D[i, j] = 1\n"), HasSubstr("the pipeline has no output"));
}

} // namespace test_intrinsics
} // namespace loopscope::test
