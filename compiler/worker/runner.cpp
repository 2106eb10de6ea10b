#include "compiler/worker/runner.h"

#include "compiler/worker/execution.h"
#include "compiler/worker/gpu_plan.h"

#include <nlohmann/json.hpp>

#include <chrono>

namespace loopscope::worker {

using nlohmann::json;

namespace {

json counts_json(const SimtCounts& c) {
    return {{"flops", c.flops},
            {"tensor_flops", c.tensor_flops},
            {"integer_operations", c.integer_operations},
            {"global_loads", c.global_loads},
            {"global_load_sectors", c.global_load_sectors},
            {"global_load_bytes", c.global_load_bytes},
            {"global_stores", c.global_stores},
            {"global_store_sectors", c.global_store_sectors},
            {"global_store_bytes", c.global_store_bytes},
            {"shared_accesses", c.shared_accesses},
            {"shared_passes", c.shared_passes},
            {"shared_passes_least", c.shared_passes_least},
            {"shared_bytes", c.shared_bytes},
            {"asynchronous_bytes", c.asynchronous_bytes},
            {"atomics", c.atomics},
            {"barriers", c.barriers},
            {"shuffles", c.shuffles}};
}

json node_json(const NodeId& id) { return id == NodeId{} ? json() : json(id.text()); }

} // namespace

Result<Buffers> Runner::run(const Buffers& inputs) {
    if (context_.cancelled())
        return cancelled_error();
    if (compiled_.plan)
        return run_on_gpu(inputs);
    if (compiled_.kernels)
        return run_on_opencl(inputs);
    return loaded_.on_device ? interpret(inputs) : run_on_host(inputs);
}

template <typename Run> auto Runner::timed(Run run) {
    const auto start = std::chrono::steady_clock::now();
    auto result = run();
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    seconds_ += seconds.count();
    return result;
}

Result<Buffers> Runner::run_on_host(const Buffers& inputs) {
    context_.progress("run", "running the compiled program");
    auto execution = Execution::prepare(compiled_.program, inputs);
    if (!execution)
        return execution.errors();
    execution->poison();
    if (auto done =
            timed([&] { return compiled_.code->run(execution->pointers(), request_.threads); });
        !done)
        return done.errors();
    return execution->outputs(compiled_.program);
}

Result<Buffers> Runner::interpret(const Buffers& inputs) {
    context_.progress("run", "interpreting the kernels");
    SimtOptions options;
    options.seed = request_.seed;
    options.cancel = context_.cancel_flag();
    auto run = timed([&] { return run_simt_program(compiled_.program, inputs, options); });
    if (!run)
        return context_.cancelled() ? Diagnostics{cancelled_error()} : run.errors();
    if (findings_.empty())
        findings_ = std::move(run->findings);
    launches_ = std::move(run->launches);
    return std::move(run->outputs);
}

Result<Buffers> Runner::run_on_opencl(const Buffers& inputs) {
    if (!opencl_) {
        auto prepared =
            OpenclExecution::prepare(opencl_client(), compiled_.program, *compiled_.kernels,
                                     loaded_.kernels_until, context_, loaded_.number);
        if (!prepared)
            return prepared.errors();
        opencl_ = std::move(*prepared);
    }
    context_.progress("run", "running the kernels on " + opencl_->device().name);
    auto outputs = opencl_->run(inputs);
    if (outputs)
        seconds_ += opencl_->seconds();
    return outputs;
}

Result<Buffers> Runner::run_on_gpu(const Buffers& inputs) {
    context_.progress("run", "running the kernels");
    auto session = gpu_session(loaded_.number);
    if (!session)
        return session.errors();
    if (!on_gpu_) {
        auto prepared = gpu::PlanRun::prepare(**session, *compiled_.plan);
        if (!prepared)
            return prepared.errors();
        on_gpu_ = std::make_unique<gpu::PlanRun>(std::move(*prepared));
    }
    if (auto done = on_gpu_->upload(inputs); !done)
        return done.errors();
    if (auto done = on_gpu_->poison(); !done)
        return done.errors();
    const gpu::Watch watch{request_.kernel_seconds, context_.cancel_flag()};
    if (auto done = timed([&] { return on_gpu_->run(watch); }); !done)
        return done.errors();
    return on_gpu_->outputs();
}

void Runner::report(json& answer) const {
    if (on_gpu_)
        report_gpu(answer);
    else if (opencl_)
        answer["device"] = opencl_->device().name;
    else if (loaded_.on_device)
        report_simt(answer);
}

void Runner::report_gpu(json& answer) const {
    answer["device"] = on_gpu_->session().gpu().name;
    answer["architecture"] = compiled_.plan->architecture;
    answer["kernels"] = gpu::kernels_json(*on_gpu_);
}

void Runner::report_simt(json& answer) const {
    auto findings = json::array(), launches = json::array();
    for (const auto& f : findings_)
        findings.push_back({{"kind", name(f.kind)},
                            {"node", node_json(f.origin)},
                            {"other", node_json(f.other)},
                            {"buffer", f.buffer},
                            {"message", f.message},
                            {"count", f.count}});
    for (const auto& l : launches_) {
        auto by_node = json::object();
        for (const auto& [id, counts] : l.by_origin)
            by_node[id.text()] = counts_json(counts);
        launches.push_back({{"name", l.name},
                            {"blocks", l.blocks},
                            {"threads", l.threads},
                            {"shared_bytes", l.shared_bytes},
                            {"counts", counts_json(l.total)},
                            {"by_node", std::move(by_node)}});
    }
    answer["findings"] = std::move(findings);
    answer["launches"] = std::move(launches);
}

} // namespace loopscope::worker
