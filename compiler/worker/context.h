#pragma once
// The verbs of loopscope-worker. compiler/measure/requests.h lists their arguments and results.

#include "compiler/server/verb.h"

namespace loopscope::worker {

// All of them, a line each. Those that fail on purpose (planted.cpp) are there only when
// LOOPSCOPE_WORKER_PLANTED=1.
const std::vector<Verb>& verbs();

Result<nlohmann::json> serve_check(const nlohmann::json& arguments, const Context& context);
Result<nlohmann::json> serve_run(const nlohmann::json& arguments, const Context& context);
Result<nlohmann::json> serve_measure(const nlohmann::json& arguments, const Context& context);
Result<nlohmann::json> serve_emit(const nlohmann::json& arguments, const Context& context);
Result<nlohmann::json> serve_probe(const nlohmann::json& arguments, const Context& context);
Result<nlohmann::json> serve_info(const nlohmann::json& arguments, const Context& context);
Result<nlohmann::json> serve_gpus(const nlohmann::json& arguments, const Context& context);
const std::vector<Verb>& planted_verbs();

} // namespace loopscope::worker
