// specialize_warps: producer warpgroups ask for what a pipeline loads, and do nothing else; the
// other threads use it.
//
//     bound thread.x for t in 0..128 {            bound thread.x for t in 0..256 {
//         for ko in 0..32 {                           threads 0..128 {
//             acquire T producers 1 by T.releases         for ko in 0..32 {
//             bulk copy T As[ko % 3, 0] = …    ->             wait T 0 by T.arrivals
//             commit T by T.arrivals                          … As[ko % 3, …] …
//             wait T 0 by T.arrivals                          release T by T.releases
//             … As[ko % 3, …] …                           }
//             release T by T.releases                 }
//         }                                           threads 128..129 {
//     }                                                   for ko.loading in 0..32 {
//                                                             acquire T by T.releases
//                                                             bulk copy T As[ko.loading % 3, 0] = …
//                                                             commit T by T.arrivals
//
// Both parts do what they did, each in its order. The order that one thread gave the steps is kept
// by mbarriers: a group is begun when the readers of its slot are done with it (Acquire: the slot's
// mbarrier has counted each of their warps), and used when it has arrived (Wait). Producers
// therefore run ahead as far as there are slots, over the ends of loops and of a persistent block's
// iterations. Only the first thread of the producer warpgroups asks, for the tensor memory
// accelerator (TMA) does the work; the others end at once.
//
// The block gets as many threads more as the greatest number of producers asks for, behind all
// others: whole rows of its last dimension.
//
// Expects a program whose barriers, groups and allocations are settled, and which check_producers
// has passed. Guarantees that no step says how many producers there are.
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/gpu/producers.h"
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"
#include "core/schedule/gpu/block_threads.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace loopscope::lower {

namespace {

int most_producers(const StatementPtr& body) {
    int most = 0;
    visit_statements(body, [&](const Statement& s) {
        if (s.kind == StatementKind::Acquire)
            most = std::max(most, s.step->producers);
        return true;
    });
    return most;
}

StatementPtr without_counts(const StatementPtr& body) {
    return rewrite(body, [](const StatementPtr& s) {
        if (s->kind != StatementKind::Acquire)
            return s;
        return edited(s, [](Statement& copy) { copy.step->producers = 0; });
    });
}

// Memory of the block, which both parts see; `taken` receives the allocations, outermost first.
StatementPtr without_shared(const StatementPtr& s, std::vector<StatementPtr>& taken) {
    if (allocates_shared(*s)) {
        taken.push_back(s);
        return without_shared(s->children[0], taken);
    }
    std::vector<StatementPtr> children;
    for (const auto& child : s->children)
        children.push_back(without_shared(child, taken));
    return with_children(s, std::move(children));
}

StatementPtr parted(const StatementPtr& body, std::int64_t consumers, NameSource& names) {
    std::vector<StatementPtr> shared;
    const auto inside = without_shared(body, shared);
    auto out = block({threads({0, consumers}, consumers_part(inside)),
                      threads({consumers, 1}, names.copy(without_counts(producers_part(inside))))});
    for (auto allocation = shared.rbegin(); allocation != shared.rend(); ++allocation)
        out = with_children(*allocation, {std::move(out)});
    return out;
}

// The chain of dimensions with another extent of one of them.
StatementPtr extended(const StatementPtr& chain, const LaunchDimension& dimension,
                      std::int64_t extent, const StatementPtr& body) {
    if (chain->kind != StatementKind::For || chain->loop->kind != ForKind::Bound)
        return body;
    auto out = with_children(chain, {extended(chain->children[0], dimension, extent, body)});
    return chain->variable != dimension.variable ? out : edited(out, [&](Statement& s) {
        s.loop->extent = constant_int(s.loop->begin->type, extent);
    });
}

} // namespace

Program specialize_warps(const Program& program, const TargetInfo&) {
    NameSource names(program);
    auto out = program;
    for (auto& launch : out.launches) {
        const int producers = on_device(launch) ? most_producers(launch.body) : 0;
        if (producers == 0)
            continue;
        const auto shape = launch_shape(launch);
        BlockThreads consumers{};
        for (std::size_t axis = 0; axis < 3; ++axis)
            consumers[axis] = shape->block[axis].extent;
        const auto last = last_dimension(consumers);
        launch.body = extended(launch.body, shape->block[last],
                               with_producers(consumers, producers, kWarp)[last],
                               parted(shape->body, shape->threads(), names));
    }
    return out;
}

} // namespace loopscope::lower
