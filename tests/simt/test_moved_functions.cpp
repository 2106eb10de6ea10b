// ALCOP, Fig. 5, case 2, on the shipped product of f16 matrices for tensor cores: its left operand
// is a function of an input, which is inlined. Blocks of the input are copied asynchronously, as
// they are; the function is applied on the way out of them into fragments. The bits are the
// reference's.
#include "compiler/lower/build.h"
#include "compiler/lower/pass.h"
#include "compiler/lower/statements.h"
#include "compiler/run/compare.h"
#include "compiler/run/pipeline_inputs.h"
#include "compiler/run/reference/reference.h"
#include "compiler/run/simt_interpreter/simt_interpreter.h"
#include "core/device/generic_gpu.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "core/schedule/script_tree.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace loopscope::test {
namespace test_moved_functions {

std::string replaced_in(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

struct Case {
    std::string name, type, function; // of the input, and what the stage makes of it
};

PipelinePtr product(const Case& c, std::int64_t m, std::int64_t n, std::int64_t k) {
    auto text = read_file(source_path("resources/pipelines/matmul_f16.loop"));
    text = replaced_in(text, "input A[i, k]: f16[M, K]", "input A[i, k]: " + c.type + "[M, K]");
    text = replaced_in(text, "stage C[", "stage scaled[i, k]: f16 = " + c.function + "\nstage C[");
    text = replaced_in(text, "f32(A[i, k])*", "f32(scaled[i, k])*");
    LoadOptions options;
    options.params = {{"M", m}, {"N", n}, {"K", k}};
    return must(load_pipeline(std::make_shared<SourceFile>("scaled.loop", text), options)).pipeline;
}

ScheduleTreePtr tree_of(const PipelinePtr& pipeline, const Case& c, const std::string& file) {
    auto text = read_file(source_path("resources/pipelines/" + file));
    text = replaced_in(text, "cache_read(A, shared)", "cache_read(scaled, shared)");
    if (c.type != "f16") // rows of twice as many bytes, which other threads bring
        text = replaced_in(text, "left_block.vectorize(k, 8)", "left_block.vectorize(k, 4)");
    const auto schedule = must(
        parse_schedule(std::make_shared<SourceFile>("scaled.sched", text + "\nscaled.inline()\n"),
                       pipeline.get()));
    return must(schedule_tree(pipeline, schedule, ApplyContext{&device::generic_gpu()}));
}

lower::Program lowered(const ScheduleTree& tree) {
    lower::LowerOptions options;
    options.verify_each = true;
    return must(
        lower::run_passes(must(lower::build_for_device(tree)), lower::device_passes(), options));
}

// What is copied asynchronously into the buffer, and what is stored there otherwise.
std::set<std::string> brought(const lower::Program& program, const std::string& buffer,
                              lower::StatementKind kind) {
    std::set<std::string> out;
    for (const auto& launch : program.launches)
        lower::visit_statements(launch.body, [&](const lower::Statement& s) {
            if (s.kind == kind && s.access->buffer == buffer)
                out.insert(s.value->kind == ExprKind::Load ? s.value->name : "a value");
            return true;
        });
    return out;
}

class MovedFunctions : public testing::TestWithParam<Case> {};

TEST_P(MovedFunctions, LeaveAsynchronousCopiesOfTheInput) {
    const auto pipeline = product(GetParam(), 128, 128, 96);
    const auto program = lowered(*tree_of(pipeline, GetParam(), "matmul_f16.gpu.sched"));
    using Kind = lower::StatementKind;
    EXPECT_EQ(brought(program, "left_block", Kind::Copy), std::set<std::string>{"A"});
    EXPECT_EQ(brought(program, "left_block", Kind::Store), std::set<std::string>{});
    EXPECT_EQ(brought(program, "left_part", Kind::Store), std::set<std::string>{"a value"});
    // Without a pipeline the function stays in the block, which each element passes once.
    const auto plain = lowered(*tree_of(pipeline, GetParam(), "matmul_f16.gpu_unpipelined.sched"));
    EXPECT_EQ(brought(plain, "left_block", Kind::Copy), std::set<std::string>{});
    EXPECT_EQ(brought(plain, "left_block", Kind::Store), std::set<std::string>{"a value"});
}

TEST_P(MovedFunctions, GiveTheReferencesBits) {
    for (const auto& [m, n, k] :
         {std::array<std::int64_t, 3>{128, 128, 96}, {136, 144, 16}, {137, 152, 160}}) {
        const auto pipeline = product(GetParam(), m, n, k);
        const auto tree = tree_of(pipeline, GetParam(), "matmul_f16.gpu.sched");
        std::uint64_t seed = 5;
        const auto inputs = must(random_inputs(
            *pipeline, [&](const Stage&) { return RandomInput{seed++, RandomMode::SmallWhole}; }));
        const auto run = must(run_simt_program(lowered(*tree), inputs));
        EXPECT_TRUE(run.findings.empty()) << format(run.findings);
        const auto expected = must(evaluate(*pipeline, inputs));
        EXPECT_TRUE(compare(run.outputs.at("C"), expected.at("C")).equal)
            << m << " " << n << " " << k;
    }
}

// The recipe copies what the product reads; a line behind it inlines that.
TEST(MovedFunctions, FollowTheRecipeForTensorCores) {
    const auto pipeline = product({"relu", "f16", "max(A[i, k], 0)*2"}, 64, 64, 64);
    const auto schedule = must(parse_schedule(
        std::make_shared<SourceFile>("recipe.sched",
                                     "schedule for matmul_f16\nC.tensor_core()\nscaled.inline()\n"),
        pipeline.get()));
    const auto program =
        lowered(*must(schedule_tree(pipeline, schedule, ApplyContext{&device::generic_gpu()})));
    EXPECT_EQ(brought(program, "C_left_block", lower::StatementKind::Copy),
              std::set<std::string>{"A"});
    ASSERT_EQ(program.launches.size(), 1u) << "no kernel computes the operand";
}

// Where an element is matters, too: in a prologue, and in iterations ahead that go on with the next
// block's.
const Case kCases[] = {{"relu", "f16", "max(A[i, k], 0)*2"},
                       {"cast", "f32", "f16(max(A[i, k], 0) + 1)"},
                       {"by_place", "f16", "select(k % 24 < 7, A[i, k], -A[i, k])"}};

INSTANTIATE_TEST_SUITE_P(Operands, MovedFunctions, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

} // namespace test_moved_functions
} // namespace loopscope::test
