// emit --as typed-loops: the loop program as the compiler reads it back.
#include "compiler/worker/emitters.h"

#include <nlohmann/json.hpp>

namespace loopscope::worker {

Result<nlohmann::json> emit_typed_loops(const EmitRequest& request) {
    auto program = lower_program(request.loaded);
    if (!program)
        return program.errors();
    return emitted(request, lower::to_text_with_origins(*program), {});
}

} // namespace loopscope::worker
