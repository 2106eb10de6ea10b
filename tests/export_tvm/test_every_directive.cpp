// Every directive as calls on a TensorIR schedule, or as a comment and a warning.
#include "compiler/codegen/tvm/schedule.h"
#include "compiler/codegen/tvm/tvm_source.h"
#include "tests/export_foreign/directive_cases.h"
#include "tests/export_foreign/directive_programs.h"

using namespace loopscope;
using namespace loopscope::test;

namespace {

const std::string kPlain =
    "left out, for the program is for a CPU, where such a loop is a plain one";
const std::string kStored =
    "left out, for TensorIR stores what an iteration computes for as long as the iteration lasts, "
    "and computes again what the next one shares with it";
const std::string kNone = "left out, for TensorIR's schedule has no such directive";
const char* const kSliding = "high.split(y, yo, yi, 16)\nlow.compute_at(high, yi)\n";

// A call on the schedule: of a line, which TVM may refuse.
std::string step(const std::string& line, const std::string& call) {
    return "step(\"" + line + "\", lambda: " + call + ")";
}

std::vector<DirectiveCase> loop_cases() {
    return {
        {"split",
         kStencil,
         "",
         "high.split(y, yo, yi, 24)",
         {step("high.split(y, yo, yi, 24)", R"(split("high_block", "y", "yo", "yi", 24))")}},
        {"split",
         kStencil,
         "",
         "high.split(y, yo, yi, 24, shift)",
         {step("high.split(y, yo, yi, 24, shift)", R"(split("high_block", "y", "yo", "yi", 24))")},
         "TVM guards the tail, and does not shift it"},
        {"split",
         kStencil,
         "high.parallel(y)\n",
         "high.split(y, yo, yi, 16)",
         {step("high.split(y, yo, yi, 16)", R"(split("high_block", "y", "yo", "yi", 16))"),
          step("high.split(y, yo, yi, 16)", R"(parallel("high_block", "yo"))")}},
        {"tile",
         kStencil,
         "",
         "high.tile(y, x, yo, xo, yi, xi, 16, 32)",
         {step("high.tile(y, x, yo, xo, yi, xi, 16, 32)",
               R"(tile("high_block", "y", "x", "yo", "xo", "yi", "xi", 16, 32))")}},
        {"fuse",
         kStencil,
         "",
         "high.fuse(y, x, f)",
         {step("high.fuse(y, x, f)", R"(fuse("high_block", "y", "x", "f"))")}},
        {"fuse",
         kStencil,
         "high.unroll(y)\nhigh.unroll(x)\n",
         "high.fuse(y, x, f)",
         {step("high.fuse(y, x, f)", R"(fuse("high_block", "y", "x", "f"))"),
          step("high.fuse(y, x, f)", R"(unroll("high_block", "f"))")}},
        {"reorder",
         kStencil,
         "",
         "high.reorder(x, y)",
         {step("high.reorder(x, y)", R"(reorder("high_block", "x", "y"))")}},
        {"serial",
         kStencil,
         "high.parallel(y)\n",
         "high.serial(y)",
         {"# high.serial(y): loops are serial unless something else is said.",
          "# high.parallel(y): a later line says otherwise."},
         {},
         {step("high.parallel(y)", R"(parallel("high_block", "y"))")}},
        {"parallel",
         kStencil,
         "",
         "high.parallel(y)",
         {step("high.parallel(y)", R"(parallel("high_block", "y"))")}},
        {"unroll",
         kStencil,
         "",
         "high.unroll(x, 4)",
         {step("high.unroll(x, 4)", R"(split("high_block", "x", "x", "x_u", 4))"),
          step("high.unroll(x, 4)", R"(unroll("high_block", "x_u"))")}},
        {"vectorize",
         kStencil,
         "",
         "high.vectorize(x)",
         {step("high.vectorize(x)", R"(vectorize("high_block", "x"))")}},
        {"vectorize",
         kStencil,
         "",
         "high.vectorize(x, 8)",
         {step("high.vectorize(x, 8)", R"(split("high_block", "x", "x", "x_v", 8))"),
          step("high.vectorize(x, 8)", R"(vectorize("high_block", "x_v"))")}},
        {"bind", kStencil, "", "high.bind(y, block.x)", {}, kPlain},
        {"gpu_tile",
         kStencil,
         "",
         "high.gpu_tile(y, x, yo, xo, yi, xi, 16, 32)",
         {step("high.gpu_tile(y, x, yo, xo, yi, xi, 16, 32)",
               R"(tile("high_block", "y", "x", "yo", "xo", "yi", "xi", 16, 32))"),
          "# high.gpu_tile(y, x, yo, xo, yi, xi, 16, 32): " + kPlain + "."},
         kPlain},
        {"persistent", kStencil, "high.bind(y, block.x)\n", "high.persistent(y)", {}, kPlain},
        {"tensorize", kProduct, "", "C.tensorize(k, dot4)", {}, {}, {}, kNoIntrinsic},
        {"tensor_core", kProduct, "", "C.tensor_core()", {}, {}, {}, kNoTensorCores},
    };
}

std::vector<DirectiveCase> placement_cases() {
    return {
        {"inline",
         kStencil,
         "",
         "low.inline()",
         {step("low.inline()", R"(compute_inline("low_block"))")}},
        {"compute_root",
         kStencil,
         "low.compute_at(high, y)\n",
         "low.compute_root()",
         {"# low.compute_root(): blocks stand at root unless something else is said.",
          "# low.compute_at(high, y): a later line says otherwise."},
         {},
         {step("low.compute_at(high, y)", R"(compute_at("low_block", "high_block", "y"))")}},
        {"compute_at",
         kStencil,
         "",
         "low.compute_at(high, y)",
         {step("low.compute_at(high, y)", R"(compute_at("low_block", "high_block", "y"))")}},
        {"reverse_compute_at",
         kPair,
         "low.split(y, yo, yi, 8)\n",
         "high.reverse_compute_at(low, yo)",
         {step("high.split(y, yo, yi, 8)", R"(split("high_block", "y", "yo", "yi", 8))"),
          step("high.compute_with(low, yo)",
               R"(merge("high_block", ["yo"], "low_block", ["yo"]))")}},
        {"compute_with",
         kPair,
         "low.split(y, yo, yi, 8)\nhigh.split(y, yo, yi, 8)\nlow.parallel(yo)\nhigh.parallel(yo)\n",
         "high.compute_with(low, yi)",
         {step("high.compute_with(low, yi)",
               R"(merge("high_block", ["yo", "yi"], "low_block", ["yo", "yi"]))"),
          step("high.compute_with(low, yi)", R"(parallel("low_block", "yo"))")}},
        {"store_root", kStencil, kSliding, "low.store_root()", {}, kStored},
        {"store_at", kStencil, kSliding, "low.store_at(high, yo)", {}, kStored},
        {"pipeline",
         kProduct,
         kAhead,
         "As.pipeline(3)",
         {step("As.pipeline(3)", R"(pipeline(["As_block"], "C_block", "ko", 3))")}},
        {"specialize",
         kProduct,
         "C.split(k, ko, ki, 8)\nC.reorder(i, ko, ki, j)\nAs = C.cache_read(A, local)\n"
         "As.compute_at(C, ko)\nAs.pipeline(3)\n",
         "As.specialize(2)",
         {},
         "left out, for the program is for a CPU, which has no warps"},
    };
}

std::vector<DirectiveCase> storage_cases() {
    return {
        {"scope",
         kStencil,
         "",
         "low.scope(local)",
         {step("low.scope(local)", R"(set_scope("low_block", "local", 1))")}},
        {"scope",
         kStencil,
         "",
         "low.scope(register)",
         {},
         "left out, for TVM has no memory of that name"},
        {"cache_read",
         kProduct,
         "",
         "As = C.cache_read(A, shared)",
         {"# As = C.cache_read(A, shared): a block of its own.",
          step("As = C.cache_read(A, shared)", R"(set_scope("As_block", "shared", 1))"),
          "with T.sblock(\"As_block\"):", "As[v_i, v_k] = A[v_i, v_k]",
          "C[v_i, v_j] = C[v_i, v_j] + As[v_i, v_k] * B[v_k, v_j]"}},
        {"cache_write",
         kProduct,
         "",
         "Cs = C.cache_write(local)",
         {"# Cs = C.cache_write(local): a block of its own.",
          step("Cs = C.cache_write(local)", R"(set_scope("Cs_block", "local", 1))"),
          "with T.sblock(\"Cs_block\"):", "Cs[v_i, v_j] = Cs[v_i, v_j] + A[v_i, v_k] * B[v_k, v_j]",
          "C[v_i, v_j] = Cs[v_i, v_j]"}},
        {"reorder_storage",
         kStencil,
         "",
         "low.reorder_storage(x, y)",
         {step("low.reorder_storage(x, y)", R"(transform_layout("low_block", [1, 0], 1))")}},
        {"reorder_storage",
         kStencil,
         "low.reorder_storage(x, y)\n",
         "low.reorder_storage(y, x)",
         {step("low.reorder_storage(y, x)", R"(transform_layout("low_block", [0, 1], 1))"),
          "# low.reorder_storage(x, y): a later line says otherwise."},
         {},
         {step("low.reorder_storage(x, y)", R"(transform_layout("low_block", [1, 0], 1))")}},
        {"pad_storage",
         kStencil,
         "",
         "low.pad_storage(x, 8)",
         {step("low.pad_storage(x, 8)", R"(storage_align("low_block", 0, 104, 1))")}},
        {"pad_storage",
         kStencil,
         "low.reorder_storage(x, y)\nlow.compute_at(high, y)\n",
         "low.pad_storage(y, 3)", // two rows of low are read
         {step("low.pad_storage(y, 3)", R"(storage_align("low_block", 0, 5, 1))")}},
        {"pad_storage",
         kStencil,
         "",
         "low.pad_storage(y, 8)",
         {},
         "left out, for TensorIR pads strides, and no index is outside of y"},
        {"swizzle",
         kStencil,
         "",
         "low.swizzle()",
         {},
         "left out, for the program is for a CPU, whose memory has no banks"},
    };
}

std::vector<DirectiveCase> arithmetic_cases() {
    return {
        {"contract",
         kProduct,
         "",
         "C.contract()",
         {"# C.contract(): TensorIR has no such directive: the definition says what is fused or "
          "approximated.",
          R"(C[v_i, v_j] = fused(A[v_i, v_k], B[v_k, v_j], C[v_i, v_j], "float32"))"},
         "TensorIR has no such directive; the definition calls a function for each fma"},
        {"rfactor",
         kProduct,
         "",
         "R = C.rfactor(k)",
         {"# R = C.rfactor(k): a block of its own.",
          "with T.sblock(\"R_block\"):", "R[v_k, v_i, v_j] = A[v_i, v_k] * B[v_k, v_j]",
          "C[v_i, v_j] = C[v_i, v_j] + R[v_k, v_i, v_j]"}},
        {"atomic",
         kProduct,
         "",
         "C.atomic()",
         {},
         kNone + ", and refuses parallel loops whose iterations combine into one element"},
        {"fast_math",
         kCurve,
         "",
         "s.fast_math()",
         {"# s.fast_math(): TensorIR has no such directive: the definition says what is fused or "
          "approximated.",
          "s[v_i] = fast_exp_f32(a[v_i])"},
         "TensorIR has no such directive; the definition calls the approximations"},
        {"non_temporal", kStencil, "", "high.non_temporal()", {}, kNone},
        {"prefetch", kProduct, "", "C.prefetch(A, i, 2)", {}, kNone},
    };
}

std::vector<DirectiveCase> cases() {
    std::vector<DirectiveCase> all;
    for (auto&& some : {loop_cases(), placement_cases(), storage_cases(), arithmetic_cases()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

const ForeignLanguage kTvm{"TVM", "#", codegen::tvm_source, 2, codegen::tvm_translates};

TEST(TvmDirectives, EveryOneHasItsCallOrIsLeftOut) { expect_every_directive(kTvm, cases()); }

TEST(TvmDirectives, ALostLineOrWarningIsSeen) {
    expect_defects_seen<codegen::tvm_source>(kTvm, cases());
}

// What no table has is translated by what it does to loops, or said to be left out.
TEST(TvmDirectives, AnUnknownOneIsWhatItDoesToLoops) {
    auto call = [](const std::string& text) { return step("high.unknown()", text); };
    expect_unknown_directive(kTvm, kStencil, "", "high.tile(y, x, yo, xo, yi, xi, 16, 32)",
                             {call(R"(split("high_block", "y", "yo", "yi", 16))"),
                              call(R"(split("high_block", "x", "xo", "xi", 32))"),
                              call(R"(reorder("high_block", "yo", "xo", "yi", "xi"))")});
    expect_unknown_directive(kTvm, kStencil, "", "high.fuse(y, x, f)",
                             {call(R"(fuse("high_block", "y", "x", "f"))")});
    expect_unknown_directive(kTvm, kStencil, "", "high.parallel(y)",
                             {call(R"(parallel("high_block", "y"))")});
    expect_unknown_directive(kTvm, kStencil, "high.parallel(y)\n", "high.serial(y)",
                             {"# high.parallel(y): a later line says otherwise.",
                              "# high.unknown(): loops are serial unless something else is said."});
    expect_unknown_directive(kTvm, kStencil, "", "high.serial(y)",
                             {"# high.unknown(): the loops are so already."});
}

TEST(TvmDirectives, AnUnknownOneThatIsNotOfLoopsIsLeftOut) {
    for (const char* line :
         {"low.inline()", "low.compute_at(high, y)", "low.swizzle()", "low.pad_storage(x, 8)",
          "high.non_temporal()", "high.bind(y, block.x)"})
        expect_unknown_directive(kTvm, kStencil, "", line,
                                 {"# " + std::string(line).substr(0, std::string(line).find('.')) +
                                  ".unknown(): left out, for this exporter has nothing for it."},
                                 "left out, for this exporter has nothing for it");
}

} // namespace
