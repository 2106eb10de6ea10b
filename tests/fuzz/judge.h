#pragma once
// The judge of one random pair: the reference interpreter, which never sees the schedule, against
// the compiled program, bit for bit. A schedule that reassociates is held to that on whole numbers
// whose sums are exact in any order, and on random reals, of some pairs on hostile ones too, to the
// bounds of `check` (compiler/worker/tolerance.h), which the reference itself must be within. Also
// runs the loop-program interpreter for hazards and counts when asked.

#include "compiler/lower/program.h"
#include "compiler/opencl/client.h"
#include "core/device/device.h"
#include "core/schedule/tree.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace loopscope::fuzz {

struct ExportedPair;

struct Pair {
    std::string pipeline;   // `.loop` text
    std::string schedule;   // `.sched` text
    std::uint64_t seed = 0; // of the inputs
    bool on_device = false; // the schedule is for a GPU
};

enum class Outcome {
    Agree,
    Rejected,       // the pipeline breaks a rule of the language: not a pair
    NotExpressible, // OpenCL C has no word for what its kernels do
    NotRunnable,    // of a GPU: applicable, and not runnable (core/schedule/gpu/runnable.h)
    // unrolling makes more code than is compiled, or recomputation more work than is judged
    TooLarge,
    Mismatch, // wrong results
    // the loop-program interpreter found a conflict, a read outside or an uninitialised read
    Hazard,
    // something failed that must not: lowering, the verifier, code generation, the reference
    Failure,
    Crash, // the process that judged it ended (shrink.h)
};

struct Verdict {
    Outcome outcome = Outcome::Agree;
    std::string message;
    // What it was that went wrong, of a bad pair: "passes", "compiled program", "conflict". A
    // shrunk pair must be bad in the same way, or it would tell of something else.
    std::string kind = {};
    // How the pair was judged, where it agrees.
    bool in_bits = false;      // on inputs that are random, or whole numbers that keep sums exact
    bool within_bound = false; // it reassociates, and the bounds would have shown a wrong result
    // It reassociates, and the bounds on random reals exclude nothing of some output; or one stage
    // is inlined into exact and approximated definitions, of which the judge has no reference.
    bool not_held = false;
    bool bad() const {
        return outcome == Outcome::Mismatch || outcome == Outcome::Hazard ||
               outcome == Outcome::Failure || outcome == Outcome::Crash;
    }
    bool same_kind(const Verdict& other) const {
        return outcome == other.outcome && kind == other.kind;
    }
};

// Planted bugs: one changes a program that lowering made of the tree, one the state that legality
// let through. False where it does not apply.
using Plant = std::function<bool(lower::Program&, const ScheduleTree&)>;
using PlantState = std::function<bool(ScheduleState&)>;

struct JudgeOptions {
    bool interpret = false; // also run the loop-program interpreter before and after the passes
    bool passes = true;     // lower beyond the built program
    bool compiled = true;   // compile and run
    // in place of all that: lower for a GPU, and run in the interpreter of SIMT programs
    bool on_device = false;
    const device::Device* gpu = nullptr; // null: any of compute capability 8.0
    // of a GPU: its scopes and levels are called otherwise, and the schedule says so
    bool own_names = false;
    const device::Device& target() const;
    opencl::Client* opencl = nullptr; // then in place of the interpreter: run through OpenCL
    std::vector<std::string> without; // features of the processor that compiled code does without
    PlantState plant_state;           // applied to the state, before the tree is made of it
    Plant plant_built;                // applied to the built program, before the passes
    Plant plant_final;                // applied after them
    // sees the tree and the built program
    std::function<void(const ScheduleTree&, const lower::Program&)> inspect;
    // Sees interpreted kernels as lowered, and can have others judged in their place.
    std::function<void(const lower::Program&, const ScheduleTree&,
                       const std::function<Verdict(const lower::Program&)>&)>
        also;
    // Receives what a judge of exported C needs (c_judge.h), of a pair that agreed.
    std::function<void(ExportedPair)> exported;
};

Verdict judge(const Pair& pair, const JudgeOptions& options = {});

// The judgement of a tree of the pipeline, as of a pair. `seed`: of the inputs.
Verdict judge_tree(const PipelinePtr& pipeline, const ScheduleTree& tree, std::uint64_t seed,
                   const JudgeOptions& options = {});

// A pair that random seeds give; `rejected` counts the pipelines that did not load, `coverage` what
// was proposed. `favoured` as in random_schedule().
Pair random_pair(std::uint64_t seed, int* rejected = nullptr, struct Coverage* coverage = nullptr,
                 const std::vector<std::string>& favoured = {});

// What a failing test prints: the seed, both texts and the message.
std::string report(const Pair& pair, const Verdict& verdict);

} // namespace loopscope::fuzz
