#pragma once
// A job's result (docs/bundles.md) as the answer that a worker gives of a GPU that is here.

#include "core/base/result.h"

#include <nlohmann/json.hpp>

namespace loopscope::remote {

struct JobFacts {
    std::string where; // for people: "gpu1"
    std::uint64_t seed = 1;
    double seconds_compile = 0; // with the reference
};

// Errors: the job failed; the result lacks what it has to have (kCodeProtocol).
Result<nlohmann::json> check_answer(const nlohmann::json& result, const JobFacts& facts);
Result<nlohmann::json> measure_answer(const nlohmann::json& result, const JobFacts& facts);

Result<nlohmann::json> run_answer(const nlohmann::json& result, const JobFacts& facts);

} // namespace loopscope::remote
