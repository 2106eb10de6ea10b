#include "compiler/gpu/ceilings.h"

#include "compiler/gpu/peak_ptx.h"
#include "compiler/gpu/plan_run.h"
#include "compiler/gpu/timer.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace loopscope::gpu {

using nlohmann::json;

namespace {

constexpr int kRuns = 20;
constexpr std::int64_t kLargeCopy = std::int64_t{1} << 30; // bytes read

class Measuring {
public:
    Measuring(const GpuSession& session, const Watch& watch)
        : session_(session), watch_(watch), timer_(session) {}

    Result<Ceilings> all() {
        Ceilings out;
        if (auto ready = timer_.prepare(kRuns); !ready)
            return ready.errors();
        out.before = read_clocks(session_.gpu().pci);
        auto memory = session_.memory();
        if (!memory)
            return memory.errors();
        const auto large = std::min(kLargeCopy, memory->free / 4);
        if (auto done = copy(large, out.copy_bytes_per_second); !done)
            return done.errors();
        if (auto done = copy(session_.gpu().l2_bytes / 4, out.l2_copy_bytes_per_second); !done)
            return done.errors();
        const auto capability = session_.gpu().capability();
        if (auto done = arithmetic(multiply_add_kernels(capability), out.flops_per_second); !done)
            return done.errors();
        if (auto done = arithmetic(tensor_kernels(capability), out.tensor_flops_per_second); !done)
            return done.errors();
        out.tensor_instruction = capability < 80 ? "" : capability == 90 ? "wgmma" : "mma.sync";
        out.after = read_clocks(session_.gpu().pci);
        return out;
    }

private:
    static PlanBuffer bytes_buffer(const std::string& name, PlanRole role, std::int64_t bytes) {
        PlanBuffer b;
        b.name = name;
        b.role = role;
        b.type = ScalarType::U8;
        b.extents = b.window = {bytes};
        b.mins = {0};
        return b;
    }

    static Plan plan_of(const PeakKernel& kernel, std::int64_t blocks) {
        Plan plan;
        plan.name = "peak";
        plan.architecture = kernel.architecture;
        plan.ptx = kernel.ptx;
        PlanKernel launch;
        launch.name = "peak";
        launch.grid = {blocks, 1, 1};
        launch.block = {kernel.threads, 1, 1};
        plan.kernels = {launch};
        return plan;
    }

    // Seconds of the quickest of several runs behind a first one, which is not timed.
    Result<double> quickest(const Plan& plan) {
        auto run = PlanRun::prepare(session_, plan);
        if (!run)
            return run.errors();
        if (auto filled = run->poison(); !filled)
            return filled.errors();
        if (auto warm = run->run(watch_); !warm)
            return warm.errors();
        auto seconds = timer_.several(
            kRuns, [] { return success(); }, [&] { return run->launch(); }, watch_, run->text());
        if (!seconds)
            return seconds.errors();
        return *std::min_element(seconds->begin(), seconds->end());
    }

    Status copy(std::int64_t bytes, double& rate) {
        const auto blocks = std::max<std::int64_t>(bytes / kCopyBytesPerBlock, 1);
        auto plan = plan_of(copy_kernel(), blocks);
        const auto whole = blocks * kCopyBytesPerBlock;
        plan.buffers = {bytes_buffer("from", PlanRole::Scratch, whole),
                        bytes_buffer("to", PlanRole::Output, whole)};
        plan.kernels[0].arguments = {"from", "to"};
        auto seconds = quickest(plan);
        if (!seconds)
            return seconds.errors();
        rate = 2 * static_cast<double>(whole) / *seconds;
        return success();
    }

    Status arithmetic(const std::vector<PeakKernel>& kernels,
                      std::map<std::string, double>& rates) {
        for (const auto& kernel : kernels) {
            const std::int64_t blocks =
                session_.gpu().multiprocessors * kernel.blocks_per_multiprocessor;
            auto plan = plan_of(kernel, blocks);
            plan.buffers = {bytes_buffer("results", PlanRole::Output,
                                         blocks * kernel.threads * kernel.bytes_per_thread)};
            plan.kernels[0].arguments = {"results"};
            auto seconds = quickest(plan);
            if (!seconds)
                return seconds.errors();
            rates[kernel.type] = kernel.flops_per_block * static_cast<double>(blocks) / *seconds;
        }
        return success();
    }

    const GpuSession& session_;
    const Watch& watch_;
    Timer timer_;
};

} // namespace

Result<Ceilings> measure_ceilings(const GpuSession& session, const Watch& watch) {
    return Measuring(session, watch).all();
}

json to_json(const Ceilings& ceilings) {
    return {{"copy_bytes_per_second", ceilings.copy_bytes_per_second},
            {"l2_copy_bytes_per_second", ceilings.l2_copy_bytes_per_second},
            {"flops_per_second", ceilings.flops_per_second},
            {"tensor_flops_per_second", ceilings.tensor_flops_per_second},
            {"tensor_instruction", ceilings.tensor_instruction},
            {"clocks", {{"before", to_json(ceilings.before)}, {"after", to_json(ceilings.after)}}}};
}

} // namespace loopscope::gpu
