#pragma once
// The verbs of loopscope-opencl-worker; client.h asks them.
//
//   devices  -> "devices": [what device.h's to_json gives], GPUs first
//   prepare  to_json of a Program, "number": which of the devices (absent: 0) -> "device", "ticket"
//   run      "ticket", "inputs", "outputs": [[index of a memory, path of shared bytes], …] ->
//            "seconds"
//   repeat   "ticket", "executions" -> "seconds" (of all of them)

#include "compiler/server/verb.h"

namespace loopscope::opencl {

const std::vector<worker::Verb>& verbs();

} // namespace loopscope::opencl
