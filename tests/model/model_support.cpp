#include "model_support.h"

#include "compiler/lower/build.h"
#include "compiler/run/loop_interpreter/loop_interpreter.h"
#include "compiler/run/pipeline_inputs.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "tests/support/support.h"

namespace loopscope::test {

const char* const kMatmul = R"(pipeline matmul
param M = 64
param N = 64
param K = 64
input A[i, k]: f32[M, K]
input B[k, j]: f32[K, N]
stage C[i, j]: f32 = sum[k in 0..K](A[i, k] * B[k, j])
output C: [M, N]
)";

const char* const kBlur = R"(pipeline blur
param H = 64
param W = 128
input img[y, x]: u16[H + 2, W + 2]
stage blur_x[y, x]: u16 = (img[y, x] + img[y, x+1] + img[y, x+2]) / 3
stage out[y, x]: u16 = (blur_x[y, x] + blur_x[y+1, x] + blur_x[y+2, x]) / 3
output out: [H, W]
)";

const char* const kScale = R"(pipeline scale
param H = 64
param W = 128
input img[y, x]: f32[H, W]
stage out[y, x]: f32 = img[y, x] * 2.0
output out: [H, W]
)";

namespace {

ScheduleTreePtr built(const PipelinePtr& pipeline, const Result<Schedule>& schedule) {
    auto device = machine();
    ApplyContext context;
    context.device = &device;
    if (!schedule) {
        ADD_FAILURE() << format(schedule.errors());
        return nullptr;
    }
    auto tree = schedule_tree(pipeline, *schedule, context);
    if (!tree) {
        ADD_FAILURE() << format(tree.errors());
        return nullptr;
    }
    return *tree;
}

} // namespace

ScheduleTreePtr tree_of(const std::string& text, const std::string& lines,
                        const std::map<std::string, std::int64_t>& params) {
    LoadOptions options;
    options.params = params;
    auto loaded = load_pipeline(std::make_shared<SourceFile>("test.loop", text), options);
    if (!loaded) {
        ADD_FAILURE() << format(loaded.errors());
        return nullptr;
    }
    auto script = "schedule for " + loaded->pipeline->name + "\n" + lines;
    return built(
        loaded->pipeline,
        parse_schedule(std::make_shared<SourceFile>("test.sched", script), loaded->pipeline.get()));
}

ScheduleTreePtr bundled_tree(const std::string& name, bool shipped,
                             const std::map<std::string, std::int64_t>& params) {
    LoadOptions options;
    options.params = params;
    auto loaded = load_pipeline_file(source_path("resources/pipelines/" + name + ".loop"), options);
    if (!loaded) {
        ADD_FAILURE() << format(loaded.errors());
        return nullptr;
    }
    Schedule none;
    none.pipeline = loaded->pipeline->name;
    return built(
        loaded->pipeline,
        shipped ? parse_schedule_file(source_path("resources/pipelines/" + name + ".cpu.sched"),
                                      loaded->pipeline.get())
                : Result<Schedule>(none));
}

device::Device machine() {
    auto figure = [](double value) { return device::Figure{value, "made up for tests"}; };
    device::Device d;
    d.name = "test machine";
    d.cores = d.threads = 4;
    d.vector_bits = 256;
    d.features = {"avx2", "fma"};
    d.caches = {{"L1", 32 << 10, 64, 8, 1, figure(64e9), figure(256e9), "made up"},
                {"L2", 256 << 10, 64, 8, 1, figure(32e9), figure(128e9), "made up"},
                {"L3", 4 << 20, 64, 16, 4, figure(16e9), figure(48e9), "made up"}};
    d.memory_bytes = std::int64_t{1} << 34;
    d.memory_bytes_per_second = figure(8e9);
    d.memory_bytes_per_second_all = figure(16e9);
    d.flops_per_second = {{ScalarType::F32, figure(32e9)}, {ScalarType::F64, figure(16e9)}};
    d.flops_per_second_all = {{ScalarType::F32, figure(128e9)}, {ScalarType::F64, figure(64e9)}};
    d.parallel_overhead_seconds = figure(1e-5);
    return d;
}

namespace {

void collect_loops(const TreeNode& node, std::vector<NodeId>& out) {
    if (node.kind == TreeKind::Loop)
        out.push_back(node.id);
    for (const auto& child : node.children)
        collect_loops(*child, out);
}

void expect_count(double counted, double executed, bool exact, const std::string& what) {
    if (exact)
        EXPECT_EQ(counted, executed) << what;
    else
        EXPECT_GE(counted, executed) << what;
}

} // namespace

void expect_counts_hold(const ScheduleTree& tree) {
    auto program = lower::build(tree);
    ASSERT_TRUE(program) << format(program.errors());
    auto inputs = random_inputs(*tree.pipeline, [](const Stage& stage) {
        return RandomInput{hash_of(stage.name), RandomMode::FullRange};
    });
    ASSERT_TRUE(inputs) << format(inputs.errors());
    LoopInterpreterOptions options;
    options.check_conflicts = false;
    collect_loops(*tree.root, options.footprints);
    auto run = run_loop_program(*program, *inputs, options);
    ASSERT_TRUE(run) << format(run.errors());
    auto counts = model::count(tree);
    auto text = to_text(tree);
    expect_count(counts.flops, static_cast<double>(run->total.flops), counts.flops_exact,
                 "FLOPs of\n" + text);
    expect_count(counts.stores, static_cast<double>(run->total.stores), counts.stores_exact,
                 "stores of\n" + text);
    for (const auto& [buffer, bytes] : counts.distinct_bytes)
        expect_count(bytes, static_cast<double>(run->by_buffer[buffer].distinct.touched),
                     counts.distinct_exact[buffer], "distinct bytes of " + buffer + " of\n" + text);
    for (const auto& [loop, footprint] : run->footprints)
        for (const auto& [buffer, bytes] : footprint.by_buffer)
            expect_count(counts.nodes[loop].footprint_bytes[buffer],
                         static_cast<double>(bytes.touched), false,
                         "footprint of " + loop.text() + " on " + buffer + " of\n" + text);
}

const model::Term* find_term(const model::Estimate& estimate, const std::string& name) {
    for (const auto& term : estimate.terms)
        if (term.name == name)
            return &term;
    return nullptr;
}

} // namespace loopscope::test
