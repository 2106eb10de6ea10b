#pragma once
// A stage in place of a pipeline's outputs, so that it can be looked at:
//
//     stage T, whose box is [-1, 513)   ->   stage T@own, as T was
//                                            stage T[x] = T@own[x - 1]     output T: [514]
//
// It is computed under the default schedule, by its definition: no schedule says of a stage that
// is inlined or kept in parts what all of it is. Stages that it does not need are left out.

#include "compiler/worker/program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope::worker {

struct StageProgram {
    LoadedProgram program;
    std::vector<std::int64_t> begin; // of the stage's box
};
// Errors: it has no such stage, or an input of that name; a stage of which nothing is needed; a
// target other than "cpu".
Result<StageProgram> stage_program(const LoadedProgram& whole, const std::string& stage);

} // namespace loopscope::worker
