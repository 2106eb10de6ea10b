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
            if (s->kind != StatementKind::Allocate || s->storage->rotation.slot_count < 2)
                return s;
            const auto* entry = pipelining::find(plan, s->storage->buffer);
            return edited(s, [&](Statement& copy) {
                if (!entry) {
                    copy.storage->rotation = {};
                    return;
                }
                // producers can only ask the TMA
                if (!target.bulk_tensor_copies)
                    copy.storage->rotation.producers = 0;
                copy.storage->rotation.loop = entry->loop;
                copy.storage->rotation.token = entry->token;
            });
        });
    });
}

} // namespace loopscope::lower
