#pragma once
// The most that a GPU reaches, measured: the rate at which it copies, and its arithmetic by data
// type. The kernels are PTX of our own (peak_ptx.h); each figure is the greatest of several runs,
// since disturbances can only make a run longer.

#include "compiler/gpu/nvml.h"
#include "compiler/gpu/session.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>

namespace loopscope::gpu {

struct Ceilings {
    double copy_bytes_per_second = 0;    // read + written, of arrays far larger than the L2
    double l2_copy_bytes_per_second = 0; // the same of arrays that the L2 holds
    std::map<std::string, double> flops_per_second; // "f32": multiply-adds, counted as two
    // "f16": what they add up is f32, of "i8" i32
    std::map<std::string, double> tensor_flops_per_second;
    std::string tensor_instruction; // "mma.sync", "wgmma"
    std::optional<Clocks> before, after;
};

// Errors: those of GpuSession. A type that the GPU's tensor cores do not have has no figure.
Result<Ceilings> measure_ceilings(const GpuSession& session, const Watch& watch);
nlohmann::json to_json(const Ceilings& ceilings);

} // namespace loopscope::gpu
