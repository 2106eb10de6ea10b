#include "compiler/codegen/fatal_error.h"
#include "compiler/protocol/protocol.h"
#include "compiler/worker/bundle_job.h"
#include "compiler/worker/context.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <string_view>

namespace loopscope::worker {

static_assert(measure::kOutOfMemoryExit == codegen::kOutOfMemoryStatus);
static_assert(measure::kFatalErrorExit == codegen::kFatalErrorStatus);

const std::vector<Verb>& verbs() {
    static const std::vector<Verb> all = [] {
        std::vector<Verb> list{
            {"check", serve_check}, {"run", serve_run},       {"measure", serve_measure},
            {"emit", serve_emit},   {"probe", serve_probe},   {"info", serve_info},
            {"gpus", serve_gpus},   {"bundle", serve_bundle},
        };
        const char* planted = std::getenv("LOOPSCOPE_WORKER_PLANTED");
        if (planted && std::string_view(planted) == "1")
            list.insert(list.end(), planted_verbs().begin(), planted_verbs().end());
        return list;
    }();
    return all;
}

} // namespace loopscope::worker
