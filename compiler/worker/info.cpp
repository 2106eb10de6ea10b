// info: what this worker is and can do.
#include "compiler/codegen/host/host_info.h"
#include "compiler/codegen/host/runtime.h"
#include "compiler/lower/pass.h"
#include "compiler/measure/targets.h"
#include "compiler/protocol/protocol.h"
#include "compiler/worker/context.h"
#include "core/base/library_version.h"

#include <nlohmann/json.hpp>
#include <png.h>
#include <tbb/version.h>

namespace loopscope::worker {

using nlohmann::json;

namespace {

// What this program links beside what all do.
json libraries() {
    json all = json::array();
    for (const auto& [name, version] : LibraryVersions{{"LLVM", codegen::llvm_version()},
                                                       {"oneTBB", TBB_runtime_version()},
                                                       {"libpng", png_get_libpng_ver(nullptr)}})
        all.push_back({{"name", name}, {"version", version}});
    return all;
}

} // namespace

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
                {"passes", std::move(passes)},
                {"libraries", libraries()}};
}

} // namespace loopscope::worker
