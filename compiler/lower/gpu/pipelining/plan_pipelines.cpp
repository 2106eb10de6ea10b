// plan_pipelines: ALCOP's analysis (III-A), written into the program.
//
//     for ko in 0..8 {                                for ko in 0..8 {
//         allocate As: … in shared rotate 3      ->       allocate As: … in shared
//                                                             rotate 3 over ko as As.copies
//
// Expects launches after bind_levels, simplified. A hint that the analysis does not take is
// dropped; whether that may be is the schedule's affair (core/schedule/pipelining.h).
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/gpu/pipelining/analysis.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

namespace loopscope::lower {

Program plan_pipelines(const Program& program, const TargetInfo& target) {
    return map_bodies(program, [&](const StatementPtr& body) {
        if (pipelining::find_hints(body).empty())
            return body;
        const auto plan = pipelining::analyse(body);
        return rewrite(body, [&](const StatementPtr& s) {
            if (s->kind != StatementKind::Allocate || s->rotation < 2)
                return s;
            const auto* entry = pipelining::find(plan, s->buffer);
            return edited(s, [&](Statement& copy) {
                if (!entry) {
                    copy.rotation = 1;
                    copy.producers = 0;
                    return;
                }
                // producers can only ask the TMA
                if (!target.bulk_tensor_copies)
                    copy.producers = 0;
                copy.level = entry->loop;
                copy.name = entry->token;
            });
        });
    });
}

} // namespace loopscope::lower
