#pragma once
// Runs a bundled program as the product does: load, schedule, lower, compile, execute.

#include "compiler/run/buffer.h"
#include "core/device/generic_gpu.h"
#include "core/schedule/directive.h"
#include "core/schedule/tree.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace loopscope::test {

using Params = std::map<std::string, std::int64_t>;

struct BundledProgram {
    PipelinePtr pipeline;
    ScheduleTreePtr tree;
    int vector_bits = 0;
    // its kernels run in the interpreter of SIMT programs, which must find nothing, and through
    // OpenCL
    bool on_device = false;
    device::Device gpu = device::generic_gpu(); // of kernels
};
// The GPU that a script's `target` line names; without one any of compute capability 8.0.
device::Device gpu_of(const Schedule& schedule);

// A schedule to load a program under, and the vectors that `native` stands for.
struct Variant {
    bool shipped = false;
    int vector_bits = 0; // 0: this processor's
    bool gpu = false;    // the one that is shipped for GPUs
    std::string text() const;
};
// The default schedule, the shipped one with vectors of 256 bits and with this processor's, and
// that for GPUs, if there is one.
std::vector<Variant> variants(const std::string& name);

// The name of the schedule file that is shipped for a program.
std::string shipped_schedule(const std::string& name);
std::string gpu_schedule(const std::string& name);

// resources/pipelines/NAME.loop under its shipped schedule, or the default one. Throws with the
// diagnostics.
BundledProgram load_bundled(const std::string& name, const Params& params, const Variant& variant);
inline BundledProgram load_bundled(const std::string& name, const Params& params, bool shipped) {
    return load_bundled(name, params, Variant{shipped});
}
// Under a schedule for GPUs, by its file's name. Throws likewise.
BundledProgram load_for_gpu(const std::string& name, const std::string& schedule,
                            const Params& params);
Buffers random_inputs(const Pipeline& pipeline, std::uint64_t seed);
// Inputs of whole numbers so small that their sums of products are exact in any order.
Buffers small_whole_inputs(const Pipeline& pipeline, std::uint64_t seed);
Buffers run_compiled(const BundledProgram& program, const Buffers& inputs, int threads);
// Compiled once, run once for each number of threads; of a GPU's: once in the interpreter, and in
// turns once through OpenCL where that is here and has what the kernels use, which standard output
// says otherwise.
std::vector<Buffers> run_compiled(const BundledProgram& program, const Buffers& inputs,
                                  const std::vector<int>& threads);
Buffers run_reference(const BundledProgram& program, const Buffers& inputs);

// What the reference makes of one pipeline's inputs: once for all schedules that contract the same
// definitions.
class References {
public:
    const Buffers& of(const BundledProgram& program, const Buffers& inputs);

private:
    std::map<std::set<std::pair<std::string, int>>, Buffers> by_contracted_;
};

template <typename T> std::vector<T> values(const Buffer& buffer) {
    return std::vector<T>(buffer.as<T>(), buffer.as<T>() + buffer.count());
}

} // namespace loopscope::test
