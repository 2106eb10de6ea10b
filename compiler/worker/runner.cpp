#include "compiler/worker/runner.h"

#include "compiler/worker/execution.h"

#include <nlohmann/json.hpp>

#include <chrono>

namespace loopscope::worker {

using nlohmann::json;
using Buffers = std::map<std::string, Buffer>;

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
    if (auto done = timed([&] { return compiled_.code->run(execution->pointers(), threads_); });
        !done)
        return done.errors();
    return execution->outputs(compiled_.program);
}

Result<Buffers> Runner::interpret(const Buffers& inputs) {
    context_.progress("run", "interpreting the kernels");
    SimtOptions options;
    options.seed = seed_;
    options.cancel = context_.cancel_flag();
    auto run = timed([&] { return run_simt_program(compiled_.program, inputs, options); });
    if (!run)
        return context_.cancelled() ? Diagnostics{cancelled_error()} : run.errors();
    if (findings_.empty())
        findings_ = std::move(run->findings);
    launches_ = std::move(run->launches);
    return std::move(run->outputs);
}

void Runner::report(json& answer) const {
    if (!loaded_.on_device)
        return;
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
