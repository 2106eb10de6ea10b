#include "compiler/opencl/program.h"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace loopscope::opencl {

using nlohmann::json;

json to_json(const Program& program) {
    auto launches = json::array();
    for (const auto& l : program.launches)
        launches.push_back({{"kernel", l.kernel},
                            {"groups", l.groups},
                            {"items", l.items},
                            {"arguments", l.arguments},
                            {"local_bytes", l.local_bytes}});
    return {{"source", program.source},
            {"launches", std::move(launches)},
            {"memories", program.memories},
            {"needs_doubles", program.needs_doubles},
            {"needs_long_atomics", program.needs_long_atomics}};
}

Program program_from_json(const json& json) {
    Program program;
    program.source = json.at("source");
    program.memories = json.at("memories").get<std::vector<std::int64_t>>();
    program.needs_doubles = json.at("needs_doubles");
    program.needs_long_atomics = json.at("needs_long_atomics");
    for (const auto& l : json.at("launches")) {
        Launch launch{l.at("kernel"), l.at("groups"), l.at("items"),
                      l.at("arguments").get<std::vector<std::size_t>>(), l.at("local_bytes")};
        for (auto argument : launch.arguments)
            if (argument >= program.memories.size())
                throw std::out_of_range("an argument of " + launch.kernel + " is no memory");
        program.launches.push_back(std::move(launch));
    }
    return program;
}

} // namespace loopscope::opencl
