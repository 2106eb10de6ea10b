#pragma once
// What a device reaches through OpenCL: its memory in a copy, its units in multiply-adds.

#include "compiler/opencl/client.h"

#include <optional>
#include <string>

namespace loopscope::opencl {

struct Peaks {
    double copy_bytes_per_second = 0;         // read + written
    double floats_per_second = 0;             // FLOP/s of f32, a multiply-add counted as two
    std::optional<double> doubles_per_second; // of f64; absent: it has none
    std::string date;                         // when they were kept
};

// Some seconds on the device of that number. Errors: those of the client's requests; kernels that
// the device's clock took no time for.
Result<Peaks> measure_peaks(Client& client, const Device& device, int number,
                            const measure::RequestOptions& options);

} // namespace loopscope::opencl
