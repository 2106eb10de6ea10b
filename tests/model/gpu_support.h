#pragma once
// Schedules of GPUs from text, the described devices, and counts of the SIMT interpreter, for tests
// of models.

#include "compiler/run/simt_interpreter/simt_interpreter.h"
#include "model_support.h"
#include "tuner/model/gpu/analysis.h"

#include <map>
#include <string>

namespace loopscope::test {

// A device of resources/devices.
device::Device gpu_named(const std::string& name);

// A pipeline's text under a schedule's lines, for a GPU.
ScheduleTreePtr gpu_tree(const std::string& pipeline, const std::string& lines,
                         const std::map<std::string, std::int64_t>& params = {},
                         const device::Device& device = gpu_named("a100-sxm-40gb"));
// A program of resources/pipelines.
ScheduleTreePtr bundled_gpu_tree(const std::string& name, const std::string& lines,
                                 const std::map<std::string, std::int64_t>& params = {},
                                 const device::Device& device = gpu_named("a100-sxm-40gb"));

model::Estimate estimate(const std::string& model, const ScheduleTree& tree,
                         const device::Device& device = gpu_named("a100-sxm-40gb"));
model::gpu::Analysis analysis(const ScheduleTree& tree,
                              const device::Device& device = gpu_named("a100-sxm-40gb"));
const model::Term* find_term(const model::KernelEstimate& kernel, const std::string& name);
// What a kernel does with the buffer of that name.
model::gpu::BufferWork buffer_work(const model::gpu::Analysis& a, std::size_t kernel,
                                   const std::string& buffer);

// Runs the lowered program in the SIMT interpreter, as it is behind a pass that comes before
// accesses are shared or moved, and compares: grids, blocks and operations are equal, and so are
// sectors and passes, within `tolerance` (a share: of what is sampled). `combines`: of reductions
// over threads, which combine their parts by operations that no definition has.
void expect_simt_counts_hold(const ScheduleTree& tree, double tolerance = 0,
                             const char* until = "barriers", bool combines = false);

// C = A B by tiles of 64 × 64 a block of 16 × 16 threads, 4 × 4 each, in steps of 16 of k through
// shared memory.
extern const char* const kTiledMatmul;

} // namespace loopscope::test
