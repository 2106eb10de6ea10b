#include "app/session/program_arguments.h"

#include "compiler/measure/requests.h"

#include <nlohmann/json.hpp>

namespace loopscope::session {

nlohmann::json program_arguments(const Document& document, const std::string& script,
                                 const device::Device& device) {
    const auto scheduled = document.program();
    measure::ProgramText program;
    program.name = document.pipeline_name();
    program.text = scheduled->text;
    program.params = scheduled->params;
    program.has_schedule = true;
    program.schedule_name = "schedule";
    program.schedule = script;
    // Code of this processor, from a script for a GPU, counts with this processor's vectors.
    program.vector_bits = device.gpu ? 0 : device.vector_bits;
    return measure::program_json(program);
}

} // namespace loopscope::session
