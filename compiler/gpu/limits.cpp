#include "compiler/gpu/limits.h"

#include "compiler/gpu/codes.h"
#include "compiler/protocol/worker_client.h"

#include <algorithm>

namespace loopscope::gpu {

namespace {

constexpr std::int64_t kPortableCluster = 8; // blocks; on every GPU that has clusters
constexpr std::size_t kNamed = 5;            // arrays that a message names

class Checker {
public:
    Checker(const AttachedGpu& gpu, const PlanKernel& kernel) : gpu_(gpu), kernel_(kernel) {}

    Diagnostics check() {
        const char* axes[] = {"x", "y", "z"};
        at_most(kernel_.threads(), gpu_.threads_per_block, "threads in a block");
        for (std::size_t axis = 0; axis < 3; ++axis) {
            at_most(kernel_.block[axis], gpu_.block_extents[axis],
                    std::string("threads along ") + axes[axis]);
            at_most(kernel_.grid[axis], gpu_.grid_extents[axis],
                    std::string("blocks along ") + axes[axis]);
        }
        at_most(kernel_.shared_bytes, gpu_.shared_bytes_per_block_optin,
                "bytes of shared memory in a block");
        at_most(kernel_.shared_bytes - kernel_.dynamic_bytes, gpu_.shared_bytes_per_block,
                "bytes of shared memory that no launch asks for");
        cluster();
        return std::move(errors_);
    }

private:
    void at_most(std::int64_t asked, std::int64_t most, const std::string& what) {
        if (asked > most)
            errors_.push_back(coded_error(kCodeNotRunnable,
                                          "the kernel " + kernel_.name + " has " +
                                              std::to_string(asked) + " " + what + ", and " +
                                              gpu_.name + " takes at most " + std::to_string(most),
                                          "smaller tiles, or another binding, take less"));
    }

    void cluster() {
        const auto& c = kernel_.cluster;
        const auto blocks = c[0] * c[1] * c[2];
        if (blocks == 1)
            return;
        if (!gpu_.clusters)
            errors_.push_back(coded_error(kCodeNotRunnable,
                                          "the kernel " + kernel_.name +
                                              " has clusters of blocks, and " + gpu_.name +
                                              " has none",
                                          "clusters need compute capability 9.0"));
        at_most(blocks, kPortableCluster, "blocks in a cluster");
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (kernel_.grid[axis] % c[axis] != 0)
                errors_.push_back(coded_error(
                    kCodeNotRunnable, "the grid of the kernel " + kernel_.name +
                                          " is no multiple of its clusters: " + kernel_.text()));
    }

    const AttachedGpu& gpu_;
    const PlanKernel& kernel_;
    Diagnostics errors_;
};

} // namespace

Diagnostics check_limits(const AttachedGpu& gpu, const Plan& plan) {
    Diagnostics errors;
    if (auto fits = check_architecture(gpu, plan.architecture); !fits)
        errors = fits.errors();
    for (const auto& kernel : plan.kernels)
        for (auto& problem : Checker(gpu, kernel).check())
            errors.push_back(std::move(problem));
    return errors;
}

Status check_compiled(const PlanKernel& kernel, const KernelFacts& facts) {
    if (kernel.threads() <= facts.threads_per_block)
        return success();
    return coded_error(
        kCodeNotRunnable,
        "the kernel " + kernel.name + " has blocks of " + std::to_string(kernel.threads()) +
            " threads, and with " + std::to_string(facts.registers) +
            " registers a thread the GPU runs at most " + std::to_string(facts.threads_per_block),
        "smaller register tiles take fewer registers");
}

Result<std::int64_t> check_device_memory(const Plan& plan, std::int64_t free) {
    std::int64_t total = plan.scratch_bytes();
    std::vector<std::pair<std::int64_t, std::string>> arrays;
    for (const auto& b : plan.buffers) {
        arrays.emplace_back(b.bytes(), b.name);
        if (b.role != PlanRole::Scratch || b.offset < 0)
            total += b.bytes();
    }
    if (total <= free)
        return total;
    std::sort(arrays.rbegin(), arrays.rend());
    std::string names;
    for (std::size_t i = 0; i < std::min(kNamed, arrays.size()); ++i)
        names += (i ? ", " : "") + arrays[i].second + " " + std::to_string(arrays[i].first >> 20) +
                 " MiB";
    return coded_error(measure::kCodeMemoryLimit,
                       "the arrays take " + std::to_string(total >> 20) +
                           " MiB on the GPU, which has " + std::to_string(free >> 20) +
                           " MiB free: " + names,
                       "make the problem smaller (--param), or end other programs on the GPU");
}

} // namespace loopscope::gpu
