#pragma once
// The keys of a GPU's description, read as strictly as the others.

#include "core/device/json_reader.h"

namespace loopscope::device {

// "gpu", and the levels and scopes of its own, of a file whose kind is "gpu".
void read_gpu(JsonObject& object, Device& device);
// Checks what no single key shows.
void check_gpu(const Device& device, JsonObject& object);

} // namespace loopscope::device
