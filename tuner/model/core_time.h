#pragma once
// Time inside a core: the cost of each point's and loop's instructions to one thread, and the bytes
// that they move between the registers and the innermost cache. The unit is a slot, the time in
// which a core at its measured peak issues one vector instruction: 2 * lanes / FLOP/s (an fma is
// two FLOPs). Constants below are for cores of the 2020s with two vector units; they are the
// model's assumptions and stand here so that they can be seen.

#include "core/device/device.h"
#include "tuner/model/work.h"

#include <optional>

namespace loopscope::model {

constexpr double kDivisionSlots = 10; // a vector division or square root
// Further slots when the value passes through memory from one iteration to the next
constexpr double kForwardSlots = 8;
// One iteration of a loop that stays a loop: count, compare, branch
constexpr double kLoopSlots = 2;
// A clamped index of a load that is not vectorised, per dimension
constexpr double kBoundarySlots = 2;
// Per lane of a vector whose elements do not lie side by side: load, insert
constexpr double kGatherSlots = 2;

// Seconds of a slot. The types' peak needs no type of its own: any instruction of the width costs a
// slot. nullopt: the device has no measured peak.
std::optional<double> slot_seconds(const device::Device& device);

struct PointTime {
    double lanes = 1;       // elements that one evaluation computes
    double evaluations = 0; // in all
    // The part of the evaluations that run: a `where` leaves out the others. Loops from
    // `asked_depth` on run only for these.
    double share = 1;
    std::size_t asked_depth = 0;
    double arithmetic_slots = 0; // of one evaluation
    // The longest chain of one evaluation, whose steps wait for each other; 0: no chain
    double chain_slots = 0;
    double chains = 1;            // independent accumulators in flight
    double compute_seconds = 0;   // all evaluations on one thread: the greater of both
    double loads = 0, stores = 0; // instructions, all evaluations
    double register_bytes = 0;    // moved between registers and the innermost cache
    double gathers = 0;           // of the loads and stores, those made lane by lane
    double threads = 1;           // that work on it at once, on average
};

// `slot`: seconds.
PointTime point_time(const Work& work, const Point& point, const device::Device& device,
                     double slot, int threads);

// Threads at work, on average, on n equal iterations: n / ceil(n / threads).
double balanced_threads(double iterations, int threads);

// Seconds of each node's own bookkeeping as a loop, on one thread, all executions: by index of
// Work::nodes. Vectorised and unrolled loops have none, and the innermost loop of a chain has time
// for it while it waits.
std::vector<double> loop_seconds(const Work& work, const std::vector<PointTime>& times,
                                 double slot);

} // namespace loopscope::model
