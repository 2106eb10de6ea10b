#pragma once
// One job of a bundle (compiler/gpu/bundle/bundle.h): kernels for several architectures and what
// the reference expects.

#include "compiler/worker/context.h"

namespace loopscope::worker {

// Arguments: program_json's keys (compiler/measure/requests.h), "name", "folder" (of the bundle),
// "architectures" [text] (empty: that of the script's target, without one "architecture_there"),
// "multiprocessors" (of the GPU there, where the script has no target), "seed", "tolerance", "peer"
// (an object, or absent). -> the job as the manifest has it; its files are written below jobs/NAME.
// With "outputs" and "inputs", as of `run`, the job is a run on those arrays, and "answer" what is
// known of run's answer.
Result<nlohmann::json> serve_bundle(const nlohmann::json& arguments, const Context& context);

} // namespace loopscope::worker
