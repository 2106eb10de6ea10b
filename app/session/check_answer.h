#pragma once
// What the worker answers to a check of a GPU's kernels, as the panel of findings shows it.

#include "compiler/measure/requests.h"
#include "views/models/check_report.h"

#include <nlohmann/json_fwd.hpp>

#include <QString>

#include <cstdint>
#include <map>
#include <string>

namespace loopscope::session {

// "M = 131, N = 131"
QString sizes_text(const std::map<std::string, std::int64_t>& params);

// `params`: the sizes that it was checked at.
views::CheckReport report_of(const measure::CheckResult& check, const nlohmann::json& answer,
                             const std::map<std::string, std::int64_t>& params);

} // namespace loopscope::session
