#pragma once
// A plan on a GPU: the driver has compiled it and its arrays are allocated, so that it can run any
// number of times.

#include "compiler/gpu/plan.h"
#include "compiler/gpu/session.h"

#include <map>

namespace loopscope::gpu {

class PlanRun {
public:
    // Prepares the plan; `session` and `plan` must outlive it. Errors: the GPU cannot hold it
    // (limits.h), or the driver's compiler refuses it.
    static Result<PlanRun> prepare(const GpuSession& session, const Plan& plan);

    // Uploads all inputs, of the plan's types and extents. Errors: one is missing or has others.
    Status upload(const std::map<std::string, Buffer>& inputs);
    // Fills all that the kernels write with a pattern, so that elements they leave out cannot look
    // right by chance.
    Status poison();
    // Runs one kernel after another, with a wait behind each, so that a fault or a hang is named
    // with its kernel and launch geometry.
    Status run(const Watch& watch) const;
    // Puts all kernels into the stream, without waiting.
    Status launch() const;
    Status launch(std::size_t kernel) const; // the same of one
    // The windows of the outputs, by name.
    Result<std::map<std::string, Buffer>> outputs() const;

    const GpuSession& session() const { return *session_; }
    const Plan& plan() const { return *plan_; }
    const std::vector<KernelFacts>& kernels() const { return facts_; }
    // What can be said, after a wait for several launches, of which were at work.
    std::string text() const;

private:
    PlanRun(const GpuSession& session, const Plan& plan, LoadedModule module)
        : session_(&session), plan_(&plan), module_(std::move(module)) {}
    Status prepare_kernels();
    Result<KernelFacts> facts_of(const PlanKernel& kernel, CuFunction function) const;
    Status allocate();
    Status make_tensor_maps();

    const GpuSession* session_;
    const Plan* plan_;
    LoadedModule module_;
    std::vector<CuFunction> functions_; // of the kernels
    std::vector<KernelFacts> facts_;
    DeviceMemory scratch_;
    std::map<std::string, DeviceMemory> memory_;
    std::map<std::string, CuPointer> pointers_;
    DeviceMemory map_memory_;
    std::vector<std::vector<CuPointer>> maps_; // of the kernels
};

// A list, in the plan's order: to_json(KernelFacts), "launch", "grid", "block", "cluster",
// "shared_bytes".
nlohmann::json kernels_json(const PlanRun& run);

} // namespace loopscope::gpu
