#pragma once
// Programs from texts, for the worker's tests.

#include "compiler/worker/program.h"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace loopscope::test {

inline nlohmann::json arguments(const std::string& pipeline, const std::string& schedule = {}) {
    nlohmann::json all{{"pipeline", {{"name", "p.loop"}, {"text", pipeline}}}};
    if (!schedule.empty())
        all["schedule"] = {{"name", "p.sched"}, {"text", schedule}};
    return all;
}

inline worker::LoadedProgram load(const std::string& pipeline, const std::string& schedule = {}) {
    return worker::load_program(arguments(pipeline, schedule)).value();
}

} // namespace loopscope::test
