#include "tests/programs/workload_tables.h"

#include "tests/support/support.h"

#include <filesystem>

namespace loopscope::test {

using nlohmann::json;

std::map<std::string, json> workload_tables() {
    std::map<std::string, json> out;
    for (const auto& entry :
         std::filesystem::directory_iterator(source_path("resources/workloads")))
        if (entry.path().extension() == ".json")
            out[entry.path().stem().string()] = json::parse(read_file(entry.path().string()));
    return out;
}

std::vector<Workload> workloads() {
    std::vector<Workload> out;
    for (const auto& [table, content] : workload_tables())
        for (const auto& [name, one] : content.at("operators").items()) {
            const auto program = one.at("program").get<std::string>();
            const auto variant = one.at("schedule").get<std::string>();
            out.push_back({table, name, program, program + "." + variant + ".sched",
                           one.at("params").get<Params>()});
        }
    return out;
}

} // namespace loopscope::test
