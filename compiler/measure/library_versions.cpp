#include "compiler/measure/library_versions.h"

#include "core/polyhedral/integer_sets.h"

#include <gmp.h>
#include <hwloc.h>
#include <nlohmann/json.hpp>

namespace loopscope::measure {

namespace {

// 0x00020900: 2.9.0
std::string hwloc_version() {
    const auto number = hwloc_get_api_version();
    return std::to_string(number >> 16) + "." + std::to_string(number >> 8 & 0xFF) + "." +
           std::to_string(number & 0xFF);
}

std::string json_version() {
    return std::to_string(NLOHMANN_JSON_VERSION_MAJOR) + "." +
           std::to_string(NLOHMANN_JSON_VERSION_MINOR) + "." +
           std::to_string(NLOHMANN_JSON_VERSION_PATCH);
}

// "isl-0.25-GMP\n": 0.25-GMP
std::string isl_version() {
    const auto text = polyhedral::isl_version_text();
    const auto begin = text.find('-') + 1;
    return text.substr(begin, text.find_last_not_of('\n') + 1 - begin);
}

} // namespace

LibraryVersions common_libraries() {
    return {{"isl", isl_version()},
            {"GMP", gmp_version},
            {"hwloc", hwloc_version()},
            {"nlohmann-json", json_version()}};
}

Result<LibraryVersions> worker_libraries(WorkerClient& worker, const RequestOptions& options) {
    auto answer = worker.request("info", nlohmann::json::object(), options);
    if (!answer)
        return answer.errors();
    LibraryVersions out;
    for (const auto& library : answer->at("libraries"))
        out.push_back({library.at("name"), library.at("version")});
    return out;
}

} // namespace loopscope::measure
