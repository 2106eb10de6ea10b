#pragma once
// GPUs that are attached as devices: what their driver says of them, over the description that fits
// best, with what was measured of them.
//
// A GPU of a model that the resources describe, by the name that its driver calls it, is that
// device, and scripts name it so. Another one takes what its driver does not say (units of
// allocation, instructions, latencies) from a described GPU of its compute capability, or of the
// greatest below it of the same generation; its rates are that one's, scaled by multiprocessors and
// clocks. Its description is kept as a file, so that scripts can name it, and other processes know
// it (host_device.h, find_device).

#include "compiler/protocol/worker_client.h"
#include "core/base/result.h"
#include "core/device/device.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace loopscope::measure {

// `gpu`: an element of the worker's answer to `gpus`, with "ceilings" where there are any; of one
// elsewhere also with its "place" and "target" (compiler/remote/client.h).
// Errors (kCodeTarget): no described GPU is of its generation; what the driver says is no GPU's.
Result<device::Device> device_of_gpu(const nlohmann::json& gpu);
// All of an answer to `gpus`, in its order: those that are not described are kept as files. What
// has no device is said in `left_out`.
std::vector<device::Device> devices_of_gpus(const nlohmann::json& gpus, Diagnostics& left_out);

// Measures the ceilings of the GPU of that target ("cuda:1") through the worker, some seconds, and
// keeps them: the GPU with them. A file that cannot be written is no failure: the figures hold for
// this process, and `not_kept` says why. Errors: the worker's; there is no such GPU any more.
Result<device::Device> probe_gpu(WorkerClient& worker, const std::string& target,
                                 const RequestOptions& options, std::string* not_kept = nullptr);

// "nvidia-geforce-rtx-4090" of "NVIDIA GeForce RTX 4090": a name that scripts can say.
std::string device_name_of(const std::string& driver_name);

// What was measured of a GPU is kept in the user's cache folder, for one driver and one card.
// Errors: the file cannot be written.
Status keep_ceilings(const nlohmann::json& gpu);
bool are_ceilings(const nlohmann::json& json); // of the form that compiler/gpu/ceilings.h writes
void read_kept_ceilings(nlohmann::json& gpu);  // what was kept becomes "ceilings"

} // namespace loopscope::measure
