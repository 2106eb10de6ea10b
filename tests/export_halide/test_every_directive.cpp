// Every directive as Halide's calls, or as a comment and a warning.
#include "compiler/codegen/halide/halide_source.h"
#include "compiler/codegen/halide/schedule.h"
#include "tests/export_foreign/directive_cases.h"
#include "tests/export_foreign/directive_programs.h"

using namespace loopscope;
using namespace loopscope::test;

namespace test_every_directive {

const std::string kPlain =
    "left out, for the program is for a CPU, where such a loop is a plain one";
const std::string kNoHint =
    "left out, for it is a hint on a CPU, and Halide's store_in is none: it "
    "fails where the memory does not hold the stage";
const std::string kSliding = "high.split(y, yo, yi, 16)\nlow.compute_at(high, yi)\n";

const std::vector<DirectiveCase>& cases() {
    static const std::vector<DirectiveCase> all = {
        {kStencil,
         "high.split(y, yo, yi, 24)",
         {"high.split(y, yo, yi, 24, TailStrategy::GuardWithIf);"}},
        {kStencil,
         "high.split(y, yo, yi, 24, shift)",
         {"high.split(y, yo, yi, 24, TailStrategy::ShiftInwards);"}},
        {kStencil,
         "low.split(y, yo, yi, 24, pad)",
         {"low.split(y, yo, yi, 24, TailStrategy::RoundUp);"}},
        {kProduct,
         "C.split(i, io, ii, 16)",
         {"C.update(0).split(i, io, ii, 16, TailStrategy::GuardWithIf);",
          "C.split(i, io_init, ii_init, 16, TailStrategy::RoundUp);"}},
        {kStencil,
         "high.parallel(y)\nhigh.split(y, yo, yi, 16)",
         {"high.split(y, yo, yi, 16, TailStrategy::RoundUp);", "high.serial(yi);"}},
        {kStencil,
         "high.tile(y, x, yo, xo, yi, xi, 16, 32)",
         {"high.split(y, yo, yi, 16, TailStrategy::RoundUp);",
          "high.split(x, xo, xi, 32, TailStrategy::RoundUp);", "high.reorder(xi, yi, xo, yo);"}},
        {kStencil, "high.fuse(y, x, f)", {"high.fuse(x, y, f);"}},
        {kStencil,
         "high.parallel(x)\nhigh.fuse(y, x, f)",
         {"high.fuse(x, y, f);", "high.serial(f);"}},
        {kStencil, "high.reorder(x, y)", {"high.reorder(y, x);"}},
        {kStencil, "high.parallel(y)\nhigh.serial(y)", {"high.serial(y);"}},
        {kStencil, "high.parallel(y)", {"high.parallel(y);"}},
        {kStencil,
         "high.unroll(x, 4)",
         {"high.split(x, x, x_u, 4, TailStrategy::RoundUp);", "high.unroll(x_u);"}},
        {kStencil, "high.split(x, xo, xi, 4)\nhigh.unroll(xi)", {"high.unroll(xi);"}},
        {kStencil,
         "high.vectorize(x, 8)",
         {"high.split(x, x, x_v, 8, TailStrategy::RoundUp);", "high.vectorize(x_v);"}},
        {kStencil, "high.bind(y, block.x)", {}, kPlain},
        {kStencil,
         "high.gpu_tile(y, x, yo, xo, yi, xi, 16, 32)",
         {"high.split(y, yo, yi, 16, TailStrategy::RoundUp);",
          "high.split(x, xo, xi, 32, TailStrategy::RoundUp);", "high.reorder(xi, yi, xo, yo);",
          "// {}: " + kPlain + "."},
         kPlain},
        {kStencil, "high.bind(y, block.x)\nhigh.persistent(y)", {}, kPlain},
        {kProduct, "C.tensorize(k, dot4)", {}, {}, {}, kNoIntrinsic},
        {kProduct, "C.tensor_core()", {}, {}, {}, kNoTensorCores},
        {kStencil, "low.inline()", {"low.compute_inline();"}, {}, {}},
        {kStencil, "low.compute_at(high, y)\nlow.compute_root()", {"low.compute_root();"}},
        {kStencil,
         kSliding + "low.store_at(high, yo)\nlow.compute_root()",
         {"low.store_at(LoopLevel::inlined());", "low.compute_root();"}},
        {kStencil, "low.compute_at(high, y)", {"low.compute_at(high, y);"}},
        {kPair,
         "low.split(y, yo, yi, 8)\nhigh.reverse_compute_at(low, yo)",
         {"high.split(y, yo, yi, 8, TailStrategy::RoundUp);", "high.compute_with(low, yo);"}},
        {kPair,
         "low.split(y, yo, yi, 8)\nhigh.split(y, yo, yi, 8)\nhigh.compute_with(low, yi)",
         {"high.compute_with(low, yi);"}},
        {kStencil, kSliding + "low.store_root()", {"low.store_root();"}},
        {kStencil, kSliding + "low.store_at(high, yo)", {"low.store_at(high, yo);"}},
        {kProduct,
         kAhead + "As.pipeline(3)",
         {},
         "left out, for Halide 14 has no such directive: its async() computes in another thread"},
        {kProduct,
         kAhead + "As.pipeline(3)\nAs.specialize(2)",
         {},
         "left out, for the program is for a CPU, which has no warps; Halide's specialize is of "
         "conditions"},
        {kStencil, "low.scope(global)", {"low.store_in(MemoryType::Heap);"}},
        {kStencil, "low.scope(local)", {}, kNoHint},
        {kProduct,
         "As = C.cache_read(A, shared)",
         {"// {}: As is a Func of its own in define(), in memory that Halide chooses.",
          "As(k, i) = A(k, i);", "C(j, i) = C(j, i) + As(C_k, i) * B(j, C_k);",
          "As.compute_root();"}},
        {kProduct,
         "Cs = C.cache_write(local)",
         {"// {}: Cs is a Func of its own in define(), in memory that Halide chooses.",
          "Cs(j, i) = Cs(j, i) + A(Cs_k, i) * B(j, Cs_k);", "C(j, i) = Cs(j, i);",
          "Cs.compute_root();"}},
        {kStencil, "low.reorder_storage(x, y)", {"low.reorder_storage(y, x);"}},
        {kStencil, "low.pad_storage(x, 8)", {"low.align_storage(x, 104);"}},
        {kStencil, "low.pad_storage(x, 8)\nlow.pad_storage(x, 0)", {"low.align_storage(x, 1);"}},
        {kStencil,
         kSliding + "low.store_at(high, yo)\nlow.pad_storage(y, 8)",
         {},
         "left out, for how far Halide folds y is not said there"},
        {kStencil,
         "low.swizzle()",
         {},
         "left out, for the program is for a CPU, whose memory has no banks"},
        {kProduct,
         "C.contract()",
         {"// {}: Halide has no such directive: the definition calls ops::fused.",
          "C(j, i) = ops::fused(A(C_k, i), B(j, C_k), C(j, i));"},
         "Halide has no such directive; the definition calls a function for each fma"},
        {kProduct,
         "R = C.rfactor(k)",
         {"// {}: R is a Func of its own in define().", "R(j, i, k) = A(k, i) * B(j, k);",
          "C(j, i) = C(j, i) + R(j, i, C_k);", "R.compute_root();"}},
        {kProduct, "C.atomic()", {"C.update(0).atomic(true);"}},
        {kCurve,
         "s.fast_math()",
         {"// {}: Halide has no such directive: the definition calls the approximations "
          "and ops::fused.",
          "s(i) = ops::fast_exp_f32(a(i));"},
         "Halide has no such directive; the definition calls the approximations"},
        {kStencil, "high.non_temporal()", {}, "left out, for Halide 14 has no such directive"},
        {kProduct, "C.prefetch(A, i, 2)", {"C.update(0).prefetch(A, i, i, 2);"}},
    };
    return all;
}

const ForeignLanguage kHalide{"Halide", "//", codegen::halide_source, 1,
                              codegen::halide_translates};

TEST(HalideDirectives, EveryOneHasItsCallOrIsLeftOut) { expect_every_directive(kHalide, cases()); }

TEST(HalideDirectives, ALostLineOrWarningIsSeen) {
    expect_defects_seen<codegen::halide_source>(kHalide, cases());
}

// What no table has is translated by what it does to loops, or said to be left out.
TEST(HalideDirectives, AnUnknownOneIsWhatItDoesToLoops) {
    expect_unknown_directive(kHalide, kStencil, "", "high.tile(y, x, yo, xo, yi, xi, 16, 32)",
                             {"high.split(y, yo, yi, 16, TailStrategy::RoundUp);",
                              "high.split(x, xo, xi, 32, TailStrategy::RoundUp);",
                              "high.reorder(xi, yi, xo, yo);"});
    expect_unknown_directive(kHalide, kStencil, "", "high.split(y, yo, yi, 24, shift)",
                             {"high.split(y, yo, yi, 24, TailStrategy::ShiftInwards);"});
    expect_unknown_directive(kHalide, kStencil, "", "high.fuse(y, x, f)", {"high.fuse(x, y, f);"});
    expect_unknown_directive(kHalide, kProduct, "", "C.reorder(j, i)",
                             {"C.reorder(i, j);", "C.update(0).reorder(C_k, i, j);"});
    expect_unknown_directive(kHalide, kStencil, "", "high.parallel(y)", {"high.parallel(y);"});
    expect_unknown_directive(kHalide, kStencil, "high.parallel(y)\n", "high.serial(y)",
                             {"high.serial(y);"});
    expect_unknown_directive(kHalide, kStencil, "", "high.serial(y)",
                             {"// high.unknown(): the loops are so already."});
}

TEST(HalideDirectives, AnUnknownOneThatIsNotOfLoopsIsLeftOut) {
    for (const char* line :
         {"low.inline()", "low.compute_at(high, y)", "low.swizzle()", "low.pad_storage(x, 8)",
          "high.non_temporal()", "high.bind(y, block.x)"})
        expect_unknown_directive(kHalide, kStencil, "", line,
                                 {"// " + std::string(line).substr(0, std::string(line).find('.')) +
                                  ".unknown(): left out, for this exporter has nothing for it."},
                                 "left out, for this exporter has nothing for it");
}

} // namespace test_every_directive
