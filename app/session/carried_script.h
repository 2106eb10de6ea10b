#pragma once
// A script for another program than it was written for: for other sizes, or a changed pipeline.

#include "app/session/script_edit.h"
#include "core/base/result.h"
#include "core/ir/pipeline.h"
#include "core/schedule/directive.h"

#include <string>
#include <vector>

namespace loopscope::session {

struct CarriedScript {
    std::string script;
    Scheduled scheduled; // what it means
    struct LeftOut {
        int line = 0;       // of the script, from 1
        std::string reason; // why the directive that stood there is a comment now
    };
    std::vector<LeftOut> left_out; // by their lines
};
// The script with its header for `pipeline`. Directives that do not apply to it, or without which
// alone there is a tree, are comments in their places, each with the reason; what needed them goes
// with them. Errors: the script is none, or the pipeline has no tree without any directive either.
Result<CarriedScript> carried_script(const PipelinePtr& pipeline, const std::string& script,
                                     const ApplyContext& context);

} // namespace loopscope::session
