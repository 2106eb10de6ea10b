#pragma once
// Scripts that only a GPU can run, and that name none: the GPU that they open on.

#include "app/session/document_device.h"
#include "core/ir/pipeline.h"

#include <string>

namespace loopscope::session {

// The first GPU on which the script is runnable, else the first on which it applies: of those that
// are attached in their order, then of those described, from what a script may ask of any GPU
// (device::generic_gpu) to what only newer ones have. Null: the script binds no loop to a level of
// a GPU, names its device itself, or no GPU takes it.
DevicePtr gpu_for(const std::string& script, const PipelinePtr& pipeline,
                  const DocumentDevice& devices);

} // namespace loopscope::session
