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
const std::string kSliding = "high.split(y, yo, yi, 16)\nlow.compute_at(high, yi)\n";

// A call on the schedule: of a line, `{}` for the directive's, which TVM may refuse.
std::string step(const std::string& call, const std::string& line = "{}") {
    return "step(\"" + line + "\", lambda: " + call + ")";
}

std::vector<DirectiveCase> loop_cases() {
    return {
        {kStencil,
         "high.split(y, yo, yi, 24)",
         {step(R"(split("high_block", "y", "yo", "yi", 24))")}},
        {kStencil,
         "high.split(y, yo, yi, 24, shift)",
         {step(R"(split("high_block", "y", "yo", "yi", 24))")},
         "TVM guards the tail, and does not shift it"},
        {kStencil,
         "high.parallel(y)\nhigh.split(y, yo, yi, 16)",
         {step(R"(split("high_block", "y", "yo", "yi", 16))"),
          step(R"(parallel("high_block", "yo"))")}},
        {kStencil,
         "high.tile(y, x, yo, xo, yi, xi, 16, 32)",
         {step(R"(tile("high_block", "y", "x", "yo", "xo", "yi", "xi", 16, 32))")}},
        {kStencil, "high.fuse(y, x, f)", {step(R"(fuse("high_block", "y", "x", "f"))")}},
        {kStencil,
         "high.unroll(y)\nhigh.unroll(x)\nhigh.fuse(y, x, f)",
         {step(R"(fuse("high_block", "y", "x", "f"))"), step(R"(unroll("high_block", "f"))")}},
        {kStencil, "high.reorder(x, y)", {step(R"(reorder("high_block", "x", "y"))")}},
        {kStencil,
         "high.parallel(y)\nhigh.serial(y)",
         {"# {}: loops are serial unless something else is said.",
          "# high.parallel(y): a later line says otherwise."},
         {},
         {step(R"(parallel("high_block", "y"))", "high.parallel(y)")}},
        {kStencil, "high.parallel(y)", {step(R"(parallel("high_block", "y"))")}},
        {kStencil,
         "high.unroll(x, 4)",
         {step(R"(split("high_block", "x", "x", "x_u", 4))"),
          step(R"(unroll("high_block", "x_u"))")}},
        {kStencil, "high.vectorize(x)", {step(R"(vectorize("high_block", "x"))")}},
        {kStencil,
         "high.vectorize(x, 8)",
         {step(R"(split("high_block", "x", "x", "x_v", 8))"),
          step(R"(vectorize("high_block", "x_v"))")}},
        {kStencil, "high.bind(y, block.x)", {}, kPlain},
        {kStencil,
         "high.gpu_tile(y, x, yo, xo, yi, xi, 16, 32)",
         {step(R"(tile("high_block", "y", "x", "yo", "xo", "yi", "xi", 16, 32))"),
          "# {}: " + kPlain + "."},
         kPlain},
        {kStencil, "high.bind(y, block.x)\nhigh.persistent(y)", {}, kPlain},
        {kProduct, "C.tensorize(k, dot4)", {}, {}, {}, kNoIntrinsic},
        {kProduct, "C.tensor_core()", {}, {}, {}, kNoTensorCores},
    };
}

std::vector<DirectiveCase> placement_cases() {
    return {
        {kStencil, "low.inline()", {step(R"(compute_inline("low_block"))")}},
        {kStencil,
         "low.compute_at(high, y)\nlow.compute_root()",
         {"# {}: blocks stand at root unless something else is said.",
          "# low.compute_at(high, y): a later line says otherwise."},
         {},
         {step(R"(compute_at("low_block", "high_block", "y"))", "low.compute_at(high, y)")}},
        {kStencil,
         "low.compute_at(high, y)",
         {step(R"(compute_at("low_block", "high_block", "y"))")}},
        {kPair,
         "low.split(y, yo, yi, 8)\nhigh.reverse_compute_at(low, yo)",
         {step(R"(split("high_block", "y", "yo", "yi", 8))", "high.split(y, yo, yi, 8)"),
          step(R"(merge("high_block", ["yo"], "low_block", ["yo"]))",
               "high.compute_with(low, yo)")}},
        {kPair,
         "low.split(y, yo, yi, 8)\nhigh.split(y, yo, yi, 8)\nlow.parallel(yo)\nhigh.parallel(yo)\n"
         "high.compute_with(low, yi)",
         {step(R"(merge("high_block", ["yo", "yi"], "low_block", ["yo", "yi"]))"),
          step(R"(parallel("low_block", "yo"))")}},
        {kStencil, kSliding + "low.store_root()", {}, kStored},
        {kStencil, kSliding + "low.store_at(high, yo)", {}, kStored},
        {kProduct,
         kAhead + "As.pipeline(3)",
         {step(R"(pipeline(["As_block"], "C_block", "ko", 3))")}},
        {kProduct,
         kAhead + "As.pipeline(3)\nAs.specialize(2)",
         {},
         "left out, for the program is for a CPU, which has no warps"},
    };
}

std::vector<DirectiveCase> storage_cases() {
    return {
        {kStencil, "low.scope(local)", {step(R"(set_scope("low_block", "local", 1))")}},
        {kStencil, "low.scope(register)", {}, "left out, for TVM has no memory of that name"},
        {kProduct,
         "As = C.cache_read(A, shared)",
         {"# {}: a block of its own.", step(R"(set_scope("As_block", "shared", 1))"),
          "with T.sblock(\"As_block\"):", "As[v_i, v_k] = A[v_i, v_k]",
          "C[v_i, v_j] = C[v_i, v_j] + As[v_i, v_k] * B[v_k, v_j]"}},
        {kProduct,
         "Cs = C.cache_write(local)",
         {"# {}: a block of its own.", step(R"(set_scope("Cs_block", "local", 1))"),
          "with T.sblock(\"Cs_block\"):", "Cs[v_i, v_j] = Cs[v_i, v_j] + A[v_i, v_k] * B[v_k, v_j]",
          "C[v_i, v_j] = Cs[v_i, v_j]"}},
        {kStencil,
         "low.reorder_storage(x, y)",
         {step(R"(transform_layout("low_block", [1, 0], 1))")}},
        {kStencil,
         "low.reorder_storage(x, y)\nlow.reorder_storage(y, x)",
         {step(R"(transform_layout("low_block", [0, 1], 1))"),
          "# low.reorder_storage(x, y): a later line says otherwise."},
         {},
         {step(R"(transform_layout("low_block", [1, 0], 1))", "low.reorder_storage(x, y)")}},
        {kStencil, "low.pad_storage(x, 8)", {step(R"(storage_align("low_block", 0, 104, 1))")}},
        {kStencil,
         // two rows of low are read
         "low.reorder_storage(x, y)\nlow.compute_at(high, y)\nlow.pad_storage(y, 3)",
         {step(R"(storage_align("low_block", 0, 5, 1))")}},
        {kStencil,
         "low.pad_storage(y, 8)",
         {},
         "left out, for TensorIR pads strides, and no index is outside of y"},
        {kStencil,
         "low.swizzle()",
         {},
         "left out, for the program is for a CPU, whose memory has no banks"},
    };
}

std::vector<DirectiveCase> arithmetic_cases() {
    return {
        {kProduct,
         "C.contract()",
         {"# {}: TensorIR has no such directive: the definition says what is fused or "
          "approximated.",
          R"(C[v_i, v_j] = fused(A[v_i, v_k], B[v_k, v_j], C[v_i, v_j], "float32"))"},
         "TensorIR has no such directive; the definition calls a function for each fma"},
        {kProduct,
         "R = C.rfactor(k)",
         {"# {}: a block of its own.",
          "with T.sblock(\"R_block\"):", "R[v_k, v_i, v_j] = A[v_i, v_k] * B[v_k, v_j]",
          "C[v_i, v_j] = C[v_i, v_j] + R[v_k, v_i, v_j]"}},
        {kProduct,
         "C.atomic()",
         {},
         kNone + ", and refuses parallel loops whose iterations combine into one element"},
        {kCurve,
         "s.fast_math()",
         {"# {}: TensorIR has no such directive: the definition says what is fused or "
          "approximated.",
          "s[v_i] = fast_exp_f32(a[v_i])"},
         "TensorIR has no such directive; the definition calls the approximations"},
        {kStencil, "high.non_temporal()", {}, kNone},
        {kProduct, "C.prefetch(A, i, 2)", {}, kNone},
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
    auto call = [](const std::string& text) { return step(text, "high.unknown()"); };
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
