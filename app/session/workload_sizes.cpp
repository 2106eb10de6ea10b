#include "app/session/workload_sizes.h"

#include "compiler/protocol/paths.h"
#include "core/base/json_text.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

namespace loopscope::session {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxTableBytes = 1 << 20;

// Nothing: another program's, or params that this pipeline does not have.
std::optional<std::map<std::string, std::int64_t>> params_for(const Pipeline& pipeline,
                                                              const nlohmann::json& one) {
    const auto given = one.find("params");
    if (text_or(one, "program", "") != pipeline.name || given == one.end() || !given->is_object())
        return std::nullopt;
    std::map<std::string, std::int64_t> params;
    for (const auto& [name, value] : given->items()) {
        const auto number = whole_number(value);
        const bool known = std::any_of(pipeline.params.begin(), pipeline.params.end(),
                                       [&](const Param& param) { return param.name == name; });
        if (!number || !known)
            return std::nullopt;
        params[name] = *number;
    }
    return params;
}

} // namespace

std::vector<WorkloadSizes> workload_sizes(const Pipeline& pipeline) {
    std::set<fs::path> files;
    std::error_code ignored;
    for (const auto& entry :
         fs::directory_iterator(measure::resource_folder() + "/workloads", ignored))
        if (entry.path().extension() == ".json")
            files.insert(entry.path());
    std::vector<WorkloadSizes> out;
    for (const auto& file : files) {
        const auto table = read_json_file(file.string(), kMaxTableBytes, "a table of workloads");
        if (!table || !table->is_object() || !table->contains("operators"))
            continue;
        const auto& operators = table->at("operators");
        for (const auto& [name, one] : operators.items())
            if (one.is_object())
                if (auto params = params_for(pipeline, one))
                    out.push_back({file.stem().string(), name, text_or(one, "source", ""),
                                   std::move(*params)});
    }
    return out;
}

} // namespace loopscope::session
