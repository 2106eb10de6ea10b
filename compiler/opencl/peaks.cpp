#include "compiler/opencl/peaks.h"

#include <algorithm>

namespace loopscope::opencl {

namespace {

constexpr std::int64_t kCopied = std::int64_t{256} << 20; // bytes: beyond all caches
constexpr std::int64_t kVector = 16;                      // bytes that an item copies
constexpr std::int64_t kItems = 64;                       // of a group
constexpr std::int64_t kGroupsOfUnit = 64;
constexpr int kSteps = 1024, kChains = 8; // independent ones hide the latency of each
constexpr int kRuns = 5;                  // the fastest counts

std::int64_t items_of(const Device& device) {
    return std::max<std::int64_t>(1, std::min(kItems, device.most_items));
}

Program copy_of(const Device& device, std::int64_t bytes) {
    Program program;
    program.source = "__kernel void copy(__global const float4 *from, __global float4 *to) {\n"
                     "    to[get_global_id(0)] = from[get_global_id(0)];\n"
                     "}\n";
    const auto items = items_of(device);
    program.launches = {{"copy", {bytes / kVector / items, 1, 1}, {items, 1, 1}, {0, 1}, 0}};
    program.memories = {bytes, bytes};
    return program;
}

Program multiply_adds(const Device& device, const std::string& type, std::int64_t bytes) {
    Program program;
    program.needs_doubles = type == "double";
    auto& source = program.source;
    if (program.needs_doubles)
        source = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
    source += "__kernel void multiply_adds(__global " + type + " *sums) {\n";
    std::string steps, sum;
    for (int chain = 0; chain < kChains; ++chain) {
        const auto x = "x" + std::to_string(chain);
        source +=
            "    " + type + " " + x + " = get_global_id(0) + " + std::to_string(chain) + ";\n";
        steps += "        " + x + " = mad(" + x + ", (" + type + ")0.5, (" + type + ")1);\n";
        sum += (chain == 0 ? "" : " + ") + x;
    }
    source += "    for (int step = 0; step < " + std::to_string(kSteps) + "; ++step) {\n" + steps +
              "    }\n    sums[get_global_id(0)] = " + sum + ";\n}\n";
    const auto items = items_of(device),
               groups = std::max<std::int64_t>(1, device.units) * kGroupsOfUnit;
    program.launches = {{"multiply_adds", {groups, 1, 1}, {items, 1, 1}, {0}, 0}};
    program.memories = {groups * items * bytes};
    return program;
}

// Seconds of the fastest run.
Result<double> fastest(Client& client, const Program& program, int number,
                       const measure::RequestOptions& options) {
    auto prepared = client.prepare(program, 0, options, number);
    if (!prepared)
        return prepared.errors();
    auto least = client.run(*prepared, {}, {}, options); // touches the memory
    for (int run = 0; run < kRuns && least; ++run) {
        auto seconds = client.repeat(*prepared, 1, options);
        least = seconds ? Result<double>(std::min(*least, *seconds)) : seconds;
    }
    if (least && !(*least > 0))
        return error("the clock of " + prepared->device.name +
                     " does not say how long kernels ran");
    return least;
}

Result<double> flops_of(Client& client, const Device& device, const std::string& type,
                        std::int64_t bytes, int number, const measure::RequestOptions& options) {
    const auto program = multiply_adds(device, type, bytes);
    auto seconds = fastest(client, program, number, options);
    if (!seconds)
        return seconds;
    return 2.0 * kSteps * kChains * static_cast<double>(program.memories[0] / bytes) / *seconds;
}

} // namespace

Result<Peaks> measure_peaks(Client& client, const Device& device, int number,
                            const measure::RequestOptions& options) {
    Peaks peaks;
    const auto part = kVector * items_of(device);
    const auto fits = std::min({kCopied, device.largest_memory, device.memory_bytes / 4});
    const auto bytes = std::max(part, fits / part * part);
    auto copy = fastest(client, copy_of(device, bytes), number, options);
    if (!copy)
        return copy.errors();
    peaks.copy_bytes_per_second = 2 * static_cast<double>(bytes) / *copy;
    auto floats = flops_of(client, device, "float", 4, number, options);
    if (!floats)
        return floats.errors();
    peaks.floats_per_second = *floats;
    if (!device.doubles)
        return peaks;
    auto doubles = flops_of(client, device, "double", 8, number, options);
    if (!doubles)
        return doubles.errors();
    peaks.doubles_per_second = *doubles;
    return peaks;
}

} // namespace loopscope::opencl
