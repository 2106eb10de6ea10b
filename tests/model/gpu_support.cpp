#include "gpu_support.h"

#include "compiler/lower/build.h"
#include "compiler/lower/pass.h"
#include "compiler/run/pipeline_inputs.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "tests/support/support.h"

namespace loopscope::test {

const char* const kTiledMatmul = R"(Cl = C.cache_write(local)
C.tile(i, j, io, jo, ii, ji, 64, 64)
C.tile(ii, ji, it, jt, iv, jv, 4, 4)
C.bind(io, block.y)
C.bind(jo, block.x)
C.bind(it, thread.y)
C.bind(jt, thread.x)
Cl.compute_at(C, jt)
Cl.split(k, ko, ki, 16)
Cl.reorder(ko, ki, i, j)
As = Cl.cache_read(A, shared)
Bs = Cl.cache_read(B, shared)
As.compute_at(Cl, ko)
Bs.compute_at(Cl, ko)
)";

namespace {

ScheduleTreePtr tree_for(const Result<LoadedPipeline>& loaded, const std::string& lines,
                         const device::Device& device) {
    if (!loaded) {
        ADD_FAILURE() << format(loaded.errors());
        return nullptr;
    }
    const auto script = "schedule for " + loaded->pipeline->name + "\n" + lines;
    const auto schedule =
        parse_schedule(std::make_shared<SourceFile>("test.sched", script), loaded->pipeline.get());
    if (!schedule) {
        ADD_FAILURE() << format(schedule.errors());
        return nullptr;
    }
    ApplyContext context;
    context.device = &device;
    auto tree = schedule_tree(loaded->pipeline, *schedule, context);
    if (!tree) {
        ADD_FAILURE() << format(tree.errors());
        return nullptr;
    }
    return *tree;
}

LoadOptions with(const std::map<std::string, std::int64_t>& params) {
    LoadOptions options;
    options.params = params;
    return options;
}

} // namespace

device::Device gpu_named(const std::string& name) {
    const auto path = source_path("resources/devices/" + name + ".json");
    auto device =
        device::read_device(std::make_shared<SourceFile>(name + ".json", read_file(path)));
    if (!device) {
        ADD_FAILURE() << format(device.errors());
        return {};
    }
    return *device;
}

ScheduleTreePtr gpu_tree(const std::string& pipeline, const std::string& lines,
                         const std::map<std::string, std::int64_t>& params,
                         const device::Device& device) {
    return tree_for(
        load_pipeline(std::make_shared<SourceFile>("test.loop", pipeline), with(params)), lines,
        device);
}

ScheduleTreePtr bundled_gpu_tree(const std::string& name, const std::string& lines,
                                 const std::map<std::string, std::int64_t>& params,
                                 const device::Device& device) {
    return tree_for(
        load_pipeline_file(source_path("resources/pipelines/" + name + ".loop"), with(params)),
        lines, device);
}

model::Estimate estimate(const std::string& model, const ScheduleTree& tree,
                         const device::Device& device) {
    return model::find_model(model, device)->estimate(tree, device, {});
}

model::gpu::Analysis analysis(const ScheduleTree& tree, const device::Device& device) {
    return model::gpu::analyse_launches(tree, device, {});
}

const model::Term* find_term(const model::KernelEstimate& kernel, const std::string& name) {
    for (const auto& term : kernel.terms)
        if (term.name == name)
            return &term;
    return nullptr;
}

model::gpu::BufferWork buffer_work(const model::gpu::Analysis& a, std::size_t kernel,
                                   const std::string& buffer) {
    for (const auto& one : a.kernels.at(kernel).work.buffers)
        if (a.work.buffers[static_cast<std::size_t>(one.buffer)].name == buffer)
            return one;
    ADD_FAILURE() << "nothing is done with " << buffer;
    return {};
}

namespace {

Result<SimtRun> simt_run(const ScheduleTree& tree, const device::Device& device,
                         const char* until) {
    auto built = lower::build_for_device(tree, device);
    if (!built)
        return built.errors();
    lower::LowerOptions options;
    options.stop_after = until;
    options.verify_each = true;
    auto program = lower::run_passes(*built, lower::device_passes(), options);
    if (!program)
        return program.errors();
    auto inputs = random_inputs(*tree.pipeline, [](const Stage& stage) {
        return RandomInput{hash_of(stage.name), RandomMode::SmallWhole};
    });
    if (!inputs)
        return inputs.errors();
    return run_simt_program(*program, *inputs);
}

void expect_near(double counted, std::uint64_t executed, double tolerance,
                 const std::string& what) {
    const auto is = static_cast<double>(executed);
    EXPECT_NEAR(counted, is, tolerance * is + 1e-6 * is) << what;
}

} // namespace

void expect_simt_counts_hold(const ScheduleTree& tree, double tolerance, const char* until,
                             bool combines) {
    const auto device = gpu_named("a100-sxm-40gb");
    const auto run = simt_run(tree, device, until),
               planned = simt_run(tree, device, "reuse_storage");
    ASSERT_TRUE(run) << format(run.errors());
    ASSERT_TRUE(planned) << format(planned.errors());
    using model::gpu::BufferWork;
    const auto a = analysis(tree, device);
    const auto text = to_text(tree);
    ASSERT_EQ(a.kernels.size(), run->launches.size()) << text;
    for (std::size_t k = 0; k < a.kernels.size(); ++k) {
        const auto& kernel = a.kernels[k];
        const auto& launch = run->launches[k];
        const auto what = launch.name + " of\n" + text;
        EXPECT_EQ(kernel.launch.name, launch.name);
        EXPECT_EQ(kernel.shape.blocks, launch.blocks) << what;
        EXPECT_EQ(kernel.shape.launched_blocks(), planned->launches[k].blocks) << what;
        EXPECT_EQ(kernel.shape.threads, launch.threads) << what;
        EXPECT_EQ(kernel.shape.shared_bytes, planned->launches[k].shared_bytes) << what;
        const auto work = model::gpu::kernel_work(a.work, kernel.launch, a.memories, a.roles,
                                                  kernel.shape, device, {true});
        const auto& total = launch.total;
        if (combines)
            EXPECT_LE(work.flops, static_cast<double>(total.flops)) << "FLOPs of " << what;
        else
            EXPECT_EQ(work.flops, static_cast<double>(total.flops)) << "FLOPs of " << what;
        expect_near(work.sum(&BufferWork::load_sectors), total.global_load_sectors, tolerance,
                    "sectors loaded by " + what);
        expect_near(work.sum(&BufferWork::store_sectors), total.global_store_sectors, tolerance,
                    "sectors stored by " + what);
        expect_near(work.sum(&BufferWork::passes) + work.reduction_passes, total.shared_passes,
                    tolerance, "passes of " + what);
        expect_near(work.sum(&BufferWork::passes_least) + work.reduction_passes,
                    total.shared_passes_least, tolerance, "least passes of " + what);
    }
}

} // namespace loopscope::test
