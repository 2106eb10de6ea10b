#pragma once
// A script for another program than it was written for: for other sizes, or a changed pipeline.

#include "core/base/result.h"
#include "core/ir/pipeline.h"
#include "core/schedule/directive.h"

#include <string>
#include <vector>

namespace loopscope::session {

struct CarriedScript {
    std::string script;
    struct LeftOut {
        int line = 0;       // of the script, from 1
        std::string reason; // why the directive that stood there is a comment now
    };
    std::vector<LeftOut> left_out;
};
// The script with its header for `pipeline`. Directives that do not apply to it are comments in
// their places, each with the reason; what needed them goes with them. Each directive is applied
// once. Errors: the script is none, or what is left makes no tree.
Result<CarriedScript> carried_script(const PipelinePtr& pipeline, const std::string& script,
                                     const ApplyContext& context);

} // namespace loopscope::session
