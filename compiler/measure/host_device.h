#pragma once
// The machine at hand as a device: topology by hwloc, SIMD width by the processor's features, peaks
// measured once by the worker and kept in the user's cache directory.

#include "compiler/protocol/worker_client.h"
#include "core/base/text_file.h"
#include "core/device/device.h"

#include <string>
#include <vector>

namespace loopscope::measure {

// Width of the host's vectors in bits, from the features that the processor and system offer.
int host_vector_bits();

// What can be read: cores, threads, caches and their sharing, name and features. Figures are
// absent. Processors that this process may not run on are not counted.
device::Device read_host();

// Where the host's figures are kept: <cache>/host-KEY.json, KEY a hash of processor, features and
// cores. Empty when the user has no cache directory.
std::string host_file(const device::Device& host);

// read_host() with the kept figures where there are any; never measures, and starts nothing.
device::Device host_device();
bool has_figures(const device::Device& device);

// Measures the figures through the worker (some seconds), keeps them, and gives the whole
// description. A file that cannot be written is no failure: the figures hold for this process, and
// `not_kept` says why.
Result<device::Device> probe_host(WorkerClient& worker, const RequestOptions& options = {},
                                  std::string* not_kept = nullptr);

// Copies measured figures from one description to another; cache levels are matched by name.
void copy_figures(const device::Device& from, device::Device& to);

// The names of the devices that the resources describe, sorted.
std::vector<std::string> described_devices();
std::vector<device::Device> described_gpus(); // the GPUs of these, in the same order
// With those that were attached once and are described nowhere else (gpu_devices.h).
std::vector<std::string> known_devices();
// The file of the known device of that name.
std::string device_file(const std::string& name);
std::string kept_device_file(const std::string& name); // empty: there is no cache folder
// The device that a file describes. Errors: those of reading a regular file and of read_device.
Result<device::Device> load_device_file(const std::string& path, FileKind kind = FileKind::Regular);
// A device by name ("host", "i7-6700") or by the path of a file. The host comes with its kept
// figures. Errors: unknown (the nearest name is suggested), or the file's own.
// `kind`: of a file; a person may name a pipe.
Result<device::Device> find_device(const std::string& name_or_path,
                                   FileKind kind = FileKind::Regular);

// Why nothing can be run on a device that is described but not here (code kCodeTarget).
Diagnostic only_estimates(const device::Device& device);

} // namespace loopscope::measure
