#include "app/session/program_arguments.h"

#include "compiler/measure/requests.h"

#include <nlohmann/json.hpp>

namespace loopscope::session {

nlohmann::json program_arguments(const DocumentSource& source, const std::string& script,
                                 const device::Device& device) {
    measure::ProgramText program;
    program.name = source.pipeline_file.empty() ? "pipeline.loop" : source.pipeline_file;
    program.text = source.pipeline_text;
    program.params = source.params;
    program.has_schedule = true;
    program.schedule_name = "schedule";
    program.schedule = script;
    // Code of this processor, from a script for a GPU, counts with this processor's vectors.
    program.vector_bits = device.gpu ? 0 : device.vector_bits;
    return measure::program_json(program);
}

} // namespace loopscope::session
