#pragma once
// What a pair is judged by: inputs, what the reference makes of them, and how near a program must
// come.

#include "compiler/run/buffer.h"
#include "compiler/worker/marks.h"
#include "compiler/worker/tolerance.h"
#include "core/schedule/tree.h"
#include "tests/fuzz/judge.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace loopscope::fuzz {

// Inputs, what the reference makes of them, and how near the program must come.
struct Trial {
    Buffers inputs, expected;
    const worker::Tolerance* tolerance = nullptr; // null: the same bits
    bool hostile = false; // then bounds may well be missing, which says nothing of others
};

// How the pair is judged: by bits, or as languages.md says of a schedule that reassociates.
Result<std::vector<Trial>> trials(const PipelinePtr& pipeline, const worker::Marks& marks,
                                  const worker::Tolerance& tolerance, std::uint64_t seed);

// The pipeline that fast_math() leaves: its approximations are functions of the prelude like
// others, with bits of their own. Null where a stage is inlined into definitions of both kinds.
PipelinePtr approximated(const PipelinePtr& pipeline, const ScheduleTree& tree,
                         const worker::Marks& marks);

// The reference's own order is one of those that the ends enclose.
Verdict enclose_the_reference(const std::vector<Trial>& trials);
// Do the trial's bounds say something of every output: could they exclude a wrong one?
bool holds(const Trial& trial);
// `path`: how the program was run, for the message.
Verdict compare_outputs(const Buffers& actual, const Trial& trial, const char* path);

} // namespace loopscope::fuzz
