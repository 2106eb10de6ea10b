// The operators of resources/workloads under the schedules for GPUs that their tables name. At the
// tables' sizes: each lowers to PTX, within what a GPU of compute capability 8.0 can do, and
// without spills where NVIDIA's assembler is found. At small sizes, with the operator's window and
// stride: each gives the reference's bits in the SIMT interpreter, on whole numbers so small that
// all sums are exact, as some schedules change their order.
#include "compiler/codegen/nvptx/assembler.h"
#include "compiler/codegen/nvptx/ptx_program.h"
#include "compiler/run/compare.h"
#include "compiler/worker/program.h"
#include "core/device/generic_gpu.h"
#include "core/schedule/gpu/runnable.h"
#include "tests/programs/compared.h"
#include "tests/programs/workload_tables.h"
#include "tests/support/must.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace loopscope::test {
namespace {

constexpr const char* kArchitecture = "sm_80";

std::string without_ending(const std::string& schedule) {
    auto name = schedule.substr(0, schedule.rfind('.'));
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
}

std::int64_t value(const Params& params, const char* name, std::int64_t otherwise) {
    const auto found = params.find(name);
    return found == params.end() ? otherwise : found->second;
}

// ---- at the tables' sizes -----------------------------------------------------------------------

// Code differs by schedule, window and stride; sizes only change its constants. One of a kind is
// assembled: time matters.
std::set<std::string> assembled() {
    std::map<std::string, std::string> first;
    for (const auto& w : workloads())
        first.emplace(w.schedule + " " + std::to_string(value(w.params, "R", 0)) + " " +
                          std::to_string(value(w.params, "STRIDE", 0)),
                      w.table + " " + w.name);
    std::set<std::string> out;
    for (const auto& [kind, name] : first)
        out.insert(name);
    return out;
}

class WorkloadCode : public testing::TestWithParam<Workload> {};

TEST_P(WorkloadCode, FitsTheGpu) {
    const auto& w = GetParam();
    const auto& device = device::generic_gpu();
    const auto loaded = load_for_gpu(w.program, w.schedule, w.params);
    const auto reasons = not_runnable(*loaded.tree, *device.gpu);
    ASSERT_TRUE(reasons.empty()) << reasons.front().message;
    codegen::PtxOptions options;
    options.architecture = kArchitecture;
    const auto ptx = must(codegen::compile_ptx(
        must(worker::lower_program(
            {loaded.pipeline, {}, loaded.tree, loaded.vector_bits, true, device})),
        options));
    ASSERT_FALSE(ptx.kernels.empty());
    for (const auto& kernel : ptx.kernels) {
        SCOPED_TRACE(kernel.name);
        EXPECT_LE(kernel.block[0] * kernel.block[1] * kernel.block[2],
                  device.gpu->limits.threads_per_block);
        EXPECT_LE(kernel.shared_bytes, device.gpu->limits.shared_bytes_per_block);
    }
    static const auto chosen = assembled();
    if (!chosen.contains(w.table + " " + w.name))
        return;
    const auto assembly = codegen::assemble(ptx.ptx.text, kArchitecture);
    if (!assembly && assembly.errors()[0].code == "no-toolkit")
        GTEST_SKIP() << format(assembly.errors());
    ASSERT_TRUE(assembly) << format(assembly.errors());
    ASSERT_EQ(assembly->kernels.size(), ptx.kernels.size());
    for (const auto& kernel : assembly->kernels)
        EXPECT_EQ(kernel.spill_stores + kernel.spill_loads, 0)
            << kernel.name << ", " << kernel.registers << " registers";
}

INSTANTIATE_TEST_SUITE_P(Tables, WorkloadCode, testing::ValuesIn(part_in_turn(workloads(), 2)),
                         [](const auto& info) { return info.param.table + "_" + info.param.name; });

// ---- at small sizes -----------------------------------------------------------------------------

// Params to which an operator's are cut: more than a tile of the schedule in every direction.
// Heights and widths are those of the result; the picture's are STRIDE times as large.
const std::map<std::string, Params> kSmallSizes{
    {"conv2d.gpu.sched", {{"H", 3}, {"W", 30}, {"C", 9}, {"K", 18}}},
    {"conv2d.gpu_few_channels.sched", {{"H", 9}, {"W", 30}, {"C", 3}, {"K", 33}}},
    {"conv2d.gpu_small_planes.sched", {{"H", 8}, {"W", 9}, {"C", 40}, {"K", 6}}},
    {"depthwise_conv2d.gpu.sched", {{"H", 30}, {"W", 31}, {"C", 5}}},
    {"depthwise_conv2d.gpu_small_planes.sched", {{"H", 16}, {"W", 15}, {"C", 5}}},
    {"conv2d_f16.gpu.sched", {{"N", 16}, {"H", 2}, {"W", 8}, {"C", 32}, {"K", 72}}},
    {"conv2d_f16.gpu_few_channels.sched", {{"N", 1}, {"H", 9}, {"W", 30}, {"C", 3}, {"K", 33}}},
    {"conv2d_f16.gpu_small_planes.sched", {{"N", 16}, {"H", 2}, {"W", 9}, {"C", 48}, {"K", 40}}},
    {"conv3d_f16.gpu.sched", {{"D", 16}, {"H", 2}, {"W", 8}, {"C", 16}, {"K", 64}}},
    {"matmul_f16.gpu.sched", {{"M", 136}, {"N", 144}, {"K", 48}}},
    {"matmul_f16.gpu_16_rows.sched", {{"M", 20}, {"N", 72}, {"K", 80}}},
    {"matmul_f16.gpu_64_rows.sched", {{"M", 72}, {"N", 136}, {"K", 48}}},
    {"batch_matmul_qk_f16.gpu.sched", {{"B", 2}, {"M", 128}, {"N", 136}, {"K", 48}}},
    {"batch_matmul_sv_f16.gpu.sched", {{"B", 2}, {"M", 128}, {"N", 136}, {"K", 48}}},
};

Params cut(const Workload& w) {
    auto params = w.params;
    for (auto [name, most] : kSmallSizes.at(w.schedule)) {
        if (name == "H" || name == "W")
            most *= params.at("STRIDE");
        params[name] = std::min(params.at(name), most);
    }
    return params;
}

// Those that differ at small sizes.
std::vector<Workload> small_workloads() {
    std::map<std::pair<std::string, Params>, Workload> kinds;
    for (auto w : workloads()) {
        if (kSmallSizes.contains(w.schedule))
            w.params = cut(w);
        kinds.emplace(std::pair(w.schedule, w.params), w);
    }
    std::vector<Workload> out;
    for (auto& [kind, w] : kinds) {
        note_compared(w.schedule); // at other commits, if not at this one
        out.push_back(std::move(w));
    }
    return out;
}

class SmallWorkload : public testing::TestWithParam<Workload> {};

TEST_P(SmallWorkload, GivesWhatTheReferenceGives) {
    const auto& w = GetParam();
    ASSERT_TRUE(kSmallSizes.contains(w.schedule)) << w.schedule << " has no small sizes here";
    const auto program = load_for_gpu(w.program, w.schedule, w.params);
    const auto inputs = small_whole_inputs(*program.pipeline, 5);
    const auto expected = run_reference(program, inputs);
    const auto actual = run_compiled(program, inputs, 1);
    for (const auto& [output, buffer] : expected)
        EXPECT_TRUE(compare(actual.at(output), buffer).equal) << output;
}

INSTANTIATE_TEST_SUITE_P(Tables, SmallWorkload,
                         testing::ValuesIn(part_in_turn(small_workloads(), 2)),
                         [](const auto& info) {
                             const auto& w = info.param;
                             return without_ending(w.schedule) + "_" + w.table + "_" + w.name;
                         });

} // namespace
} // namespace loopscope::test
