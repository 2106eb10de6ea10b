#include "tests/views/gpu_fixtures.h"

#include "core/language/intrinsics.h"
#include "core/language/schedule_parser.h"
#include "tests/support/support.h"

#include <map>

namespace loopscope::views::test {

DevicePtr described_gpu(const std::string& name) {
    static std::map<std::string, DevicePtr> known;
    DevicePtr& device = known[name];
    if (!device) {
        const auto path = loopscope::test::source_path("resources/devices/" + name + ".json");
        device = std::make_shared<device::Device>(
            device::read_device(
                std::make_shared<SourceFile>(path, loopscope::test::read_file(path)))
                .value());
    }
    return device;
}

std::string gpu_matmul(int stages, const std::string& more) {
    const std::string depth = std::to_string(stages);
    return "schedule for matmul\ntarget h200\n"
           "CL = C.cache_write(register)\n"
           "C.tile(i, j, io, jo, ii, ji, 64, 64)\n"
           "C.bind(io, block.y)\nC.bind(jo, block.x)\n"
           "C.split(ii, it, ir, 4)\nC.split(ji, jt, jr, 4)\nC.reorder(it, jt, ir, jr)\n"
           "C.bind(it, thread.y)\nC.bind(jt, thread.x)\n"
           "CL.compute_at(C, jt)\nCL.split(k, ko, ki, 16)\nCL.reorder(ko, ki, i, j)\n"
           "CL.unroll(i)\nCL.unroll(j)\n"
           "As = CL.cache_read(A, shared)\nBs = CL.cache_read(B, shared)\n"
           "As.compute_at(CL, ko)\nBs.compute_at(CL, ko)\n" +
           (stages > 1 ? "As.pipeline(" + depth + ")\nBs.pipeline(" + depth + ")\n"
                       : std::string()) +
           more;
}

std::string gpu_matmul_two_levels(int stages) {
    auto script = gpu_matmul(stages, "Ar.pipeline(2)\n");
    script.insert(script.find("As.compute_at"),
                  "Ar = CL.cache_read(As, register)\nAr.compute_at(CL, ki)\n");
    return script;
}

GpuSchedule on_gpu(const std::string& name, const std::string& script, const std::string& device) {
    GpuSchedule out;
    out.device = described_gpu(device);
    const PipelinePtr pipeline = bundled_pipeline(name);
    auto schedule = std::make_shared<Schedule>(
        parse_schedule(std::make_shared<SourceFile>("test.sched", script), pipeline.get()).value());
    ApplyContext context;
    context.device = out.device.get();
    context.intrinsics = &declared_intrinsics();
    out.tree = schedule_tree(pipeline, *schedule, context).value();
    out.schedule = schedule;
    out.estimate = std::make_shared<model::Estimate>(
        model::models_for(*out.device).front()->estimate(*out.tree, *out.device, {}));
    return out;
}

} // namespace loopscope::views::test
