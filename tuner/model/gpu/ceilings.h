#pragma once
// The most that a GPU can do, from its description: operations of units, bytes of levels,
// instructions of its schedulers.

#include "core/device/device.h"
#include "tuner/model/estimate.h"
#include "tuner/model/gpu/arithmetic.h"

#include <optional>
#include <string>

namespace loopscope::model::gpu {

// Operations a second of all multiprocessors, multiply-adds counted as two. Integers count as
// floats where the description does not say. Nothing: not known.
std::optional<device::Figure> unit_peak(const device::Gpu& gpu, Unit unit);
std::optional<device::Figure> tensor_peak(const device::Gpu& gpu, const std::string& operand);

// The multiprocessors' clock: the boost clock, for which peaks are given, else the base clock.
std::optional<device::Figure> clock_hertz(const device::Gpu& gpu);
// Bytes a second of the shared memory of all multiprocessors, and of their first-level caches,
// which are the same memory.
std::optional<device::Figure> shared_bytes_per_second(const device::Gpu& gpu);
// Warp instructions a second of all multiprocessors: one a clock and scheduler. The register file
// has as many parts as a multiprocessor has schedulers (GpuLimits::warp_allocation_granularity).
std::optional<device::Figure> issues_per_second(const device::Gpu& gpu);

// The ceilings that the roofline draws.
std::vector<Ceiling> roofline_ceilings(const device::Gpu& gpu);

} // namespace loopscope::model::gpu
