// info: what this worker is and can do.
#include "compiler/codegen/host/host_info.h"
#include "compiler/codegen/host/runtime.h"
#include "compiler/lower/pass.h"
#include "compiler/measure/targets.h"
#include "compiler/protocol/protocol.h"
#include "compiler/worker/context.h"

#include <nlohmann/json.hpp>

namespace loopscope::worker {

using nlohmann::json;

Result<json> serve_info(const json&, const Context&) {
    const auto& host = codegen::host_info();
    json passes = json::array();
    for (const auto& pass : lower::cpu_passes())
        passes.push_back({{"name", pass.name}, {"summary", pass.summary}});
    return json{{"version", measure::kProgramVersion},
                {"protocol", measure::kProtocolVersion},
                {"targets", measure::targets()},
                {"cpu", host.cpu},
                {"features", host.features},
                {"vector_bits", host.vector_bits},
                {"threads", codegen::available_threads()},
                {"passes", std::move(passes)}};
}

} // namespace loopscope::worker
