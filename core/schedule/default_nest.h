#pragma once
// The loops that a definition starts with (languages.md, pipelines, `stage` and `update`).

#include "core/schedule/state.h"

namespace loopscope {

// Free variables outside, in the stage's order, then reduction or over axes; all serial.
DefinitionState default_nest(const Stage& stage, const Definition& definition);

} // namespace loopscope
