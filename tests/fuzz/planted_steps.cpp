// Faults of what the threads of a block do together: barriers, asynchronous copies and their
// groups, the copies of memory that rotate, shuffles and atomic stores.

#include "compiler/lower/gpu/launch.h"
#include "tests/fuzz/plant_tools.h"
#include "tests/fuzz/planted_bugs.h"

#include <algorithm>
#include <set>

namespace loopscope::fuzz {

namespace {

using namespace lower;

Wanted of_kind(StatementKind kind) {
    return [kind](const Statement& s) { return s.kind == kind; };
}

StatementPtr dropped(const StatementPtr&) { return block({}); }

bool without(Program& p, StatementKind kind) {
    return change_statements(
        p, [&](const StatementPtr& s) { return s->kind == kind ? block({}) : s; });
}

// ---- barriers -----------------------------------------------------------------------------------

bool no_first_barrier(Program& p, const ScheduleTree&) {
    return change_one(p, Which::First, of_kind(StatementKind::Barrier), dropped);
}

bool no_last_barrier(Program& p, const ScheduleTree&) {
    return change_one(p, Which::Last, of_kind(StatementKind::Barrier), dropped);
}

// What has arrived for a thread is taken for everybody's.
bool no_barrier_behind_wait(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        if (s->kind != StatementKind::Block)
            return s;
        auto parts = s->children;
        const auto wait = std::find_if(parts.begin(), parts.end(), [](const auto& part) {
            return part->kind == StatementKind::Wait;
        });
        const auto barrier = std::find_if(wait, parts.end(), [](const auto& part) {
            return part->kind == StatementKind::Barrier;
        });
        if (barrier == parts.end())
            return s;
        parts.erase(barrier);
        return with_children(s, std::move(parts));
    });
}

// Between iterations: at a loop's end, or at its beginning.
bool no_barrier_between_iterations(Program& p, const ScheduleTree&, bool end) {
    return change_statements(p, [&](const StatementPtr& s) {
        std::int64_t extent = 0;
        if (s->kind != StatementKind::For || s->loop->kind != ForKind::Serial ||
            s->children[0]->kind != StatementKind::Block ||
            (constant_value(s->loop->extent, extent) && extent < 2))
            return s;
        auto parts = s->children[0]->children;
        const auto at = end ? parts.end() - 1 : parts.begin();
        if ((*at)->kind != StatementKind::Barrier)
            return s;
        parts.erase(at);
        return with_children(s, {block(std::move(parts))});
    });
}

bool no_barrier_at_end(Program& p, const ScheduleTree& tree) {
    return no_barrier_between_iterations(p, tree, true);
}

bool no_barrier_at_begin(Program& p, const ScheduleTree& tree) {
    return no_barrier_between_iterations(p, tree, false);
}

// Between the iterations that a block takes in turn.
bool no_barrier_between_turns(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        if (s->kind != StatementKind::For || s->loop->turns_of == 0 ||
            s->children[0]->kind != StatementKind::Block ||
            s->children[0]->children.back()->kind != StatementKind::Barrier)
            return s;
        auto parts = s->children[0]->children;
        parts.pop_back();
        return with_children(s, {block(std::move(parts))});
    });
}

// The launch's dimension of threads with the greatest extent, or of warps.
const LaunchDimension* threads_of(const LaunchShape& shape, bool warps) {
    const LaunchDimension* found = nullptr;
    for (std::size_t axis = warps ? 1 : 0; axis < 3; ++axis)
        if (const auto& d = shape.block[axis]; d.extent > 1 && (!found || d.extent > found->extent))
            found = &d;
    return found;
}

// Threads, or warps, that are not needed any more leave before a barrier.
bool early_exit(Program& p, bool warps) {
    bool changed = false;
    for (auto& launch : p.launches) {
        const auto shape = launch_shape(launch);
        const auto* threads = shape ? threads_of(*shape, warps) : nullptr;
        if (!threads || (warps && shape->block[0].extent != lower::kWarp))
            continue;
        const auto stays = binary(Op::Less, variable(threads->variable, threads->type),
                                  constant_int(threads->type, threads->extent - 1));
        launch.body = lower::rewrite(launch.body, [&](const StatementPtr& s) {
            if (changed || s->kind != StatementKind::Barrier)
                return s;
            changed = true;
            return if_then(s->origin, stays, s);
        });
    }
    return changed;
}

bool thread_leaves(Program& p, const ScheduleTree&) { return early_exit(p, false); }
bool warp_leaves(Program& p, const ScheduleTree&) { return early_exit(p, true); }

// ---- copies under way ---------------------------------------------------------------------------

bool early_wait(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        return s->kind == StatementKind::Wait ? edited(s, [](Statement& t) { ++t.step->pending; })
                                              : s;
    });
}

// … of several, one alone.
bool early_first_wait(Program& p, const ScheduleTree&) {
    return change_one(p, Which::First, of_kind(StatementKind::Wait), [](const StatementPtr& s) {
        return edited(s, [](Statement& t) { ++t.step->pending; });
    });
}

bool no_wait(Program& p, const ScheduleTree&) { return without(p, StatementKind::Wait); }
bool no_commit(Program& p, const ScheduleTree&) { return without(p, StatementKind::Commit); }

bool no_first_commit(Program& p, const ScheduleTree&) {
    return change_one(p, Which::First, of_kind(StatementKind::Commit), dropped);
}

std::set<std::string> shared_buffers(const Program& p) {
    std::set<std::string> out;
    for (const auto& launch : p.launches)
        visit_statements(launch.body, [&](const Statement& s) {
            if (lower::allocates_shared(s))
                out.insert(s.storage->buffer);
            return true;
        });
    return out;
}

// A store into shared memory becomes an asynchronous copy, for which nobody waits.
bool copied_without_wait(Program& p, const ScheduleTree&) {
    const auto shared = shared_buffers(p);
    return change_one(
        p, Which::First,
        [&](const Statement& s) {
            return s.kind == StatementKind::Store && shared.count(s.access->buffer) &&
                   s.value->kind == ExprKind::Load && !shared.count(s.value->name);
        },
        [](const StatementPtr& s) { return lower::as_copy(s, "planted.copies"); });
}

// What a loop brings into shared memory begins late, or ends early.
bool short_loading(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        std::int64_t n = 0;
        if (s->kind != StatementKind::For || !constant_value(s->loop->extent, n) || n < 2 ||
            s->children[0]->kind != StatementKind::Copy)
            return s;
        return edited(s, [](Statement& t) { t.loop->extent = minus_one(t.loop->extent); });
    });
}

// ---- copies of memory that rotate ---------------------------------------------------------------

// Which copy: `edit` gets the iteration and the number of copies. In the flat index that is a
// remainder by that number.
using Rotation = std::function<ExprPtr(const ExprPtr&, std::int64_t)>;
bool change_step_rotation(Program& p, const ScheduleTree& tree, bool reads_only,
                          const Rotation& edit) {
    std::map<std::string, std::int64_t> copies;
    for (const auto* storage : storage_nodes(tree))
        if (storage->rotation > 1)
            copies[storage->id.stage] = storage->rotation;
    auto changed_index = [&](const std::string& buffer, const ExprPtr& index) {
        const auto found = copies.find(buffer);
        if (found == copies.end())
            return index;
        return loopscope::rewrite(index, [&](const ExprPtr& e) -> ExprPtr {
            std::int64_t by = 0;
            return e->kind == ExprKind::Binary && e->op == Op::Modulo && e->lanes == 1 &&
                           constant_value(e->args[1], by) && by == found->second
                       ? edit(e->args[0], by)
                       : e;
        });
    };
    auto in_loads = [&](const ExprPtr& e) {
        return loopscope::rewrite(e, [&](const ExprPtr& x) -> ExprPtr {
            if (x->kind != ExprKind::Load && x->kind != ExprKind::MaskedLoad)
                return x;
            auto args = x->args;
            args[0] = changed_index(x->name, args[0]);
            return with_args(x, std::move(args));
        });
    };
    return change_statements(p, [&](const StatementPtr& s) {
        auto next = map_expressions(s, in_loads);
        if (writes(*next) && !reads_only) {
            auto index = changed_index(next->access->buffer, next->access->indices[0]);
            if (index != next->access->indices[0])
                next = edited(next, [&](Statement& t) { t.access->indices[0] = index; });
        }
        if (next->kind == StatementKind::Intrinsic) { // the first operand is written
            auto operands = next->operands;
            for (std::size_t o = reads_only ? 1 : 0; o < operands.size(); ++o)
                operands[o].indices[0] = changed_index(operands[o].buffer, operands[o].indices[0]);
            if (!(operands == next->operands))
                next = edited(next, [&](Statement& t) { t.operands = operands; });
        }
        return next;
    });
}

ExprPtr remainder(const ExprPtr& e, std::int64_t by) {
    return by > 1 ? binary(Op::Modulo, e, constant_int(e->type, by)) : constant_int(e->type, 0);
}

ExprPtr moved(const ExprPtr& iteration, std::int64_t by, std::int64_t copies) {
    return remainder(binary(Op::Add, iteration, constant_int(iteration->type, by)), copies);
}

bool next_copy(Program& p, const ScheduleTree& tree) {
    return change_step_rotation(p, tree, true, [](const ExprPtr& iteration, std::int64_t copies) {
        return moved(iteration, 1, copies);
    });
}

bool copy_before(Program& p, const ScheduleTree& tree) {
    return change_step_rotation(p, tree, true, [](const ExprPtr& iteration, std::int64_t copies) {
        return moved(iteration, copies - 1, copies);
    });
}

bool few_step_copies(Program& p, const ScheduleTree& tree) {
    return change_step_rotation(p, tree, false, [](const ExprPtr& iteration, std::int64_t copies) {
        return remainder(iteration, copies - 1);
    });
}

// ---- lanes and atomic stores --------------------------------------------------------------------

bool is_shuffle(const Statement& s) {
    return s.kind == StatementKind::Intrinsic && s.instruction.starts_with("shuffle_");
}

bool other_distance(Program& p, const ScheduleTree&) {
    return change_one(p, Which::First, is_shuffle, [](const StatementPtr& s) {
        return edited(s, [](Statement& t) {
            const auto end = t.instruction.rfind('_') + 1;
            const int distance = std::stoi(t.instruction.substr(end));
            t.instruction =
                t.instruction.substr(0, end) + std::to_string(distance > 1 ? distance / 2 : 2);
        });
    });
}

bool plain_combination(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        if (s->kind != StatementKind::Atomic)
            return s;
        return edited(s, [](Statement& t) {
            t.kind = StatementKind::Store;
            const auto old = t.access->mask
                                 ? masked_load(t.access->buffer, t.value->type, t.access->indices,
                                               t.access->mask)
                                 : load(t.access->buffer, t.value->type, t.access->indices);
            t.value = binary(t.access->op, old, t.value);
            t.access->op = Op::None;
        });
    });
}

} // namespace

std::vector<PlantedBug> planted_step_faults() {
    return {
        {"the first barrier dropped", {}, no_first_barrier},
        {"the last barrier dropped", {}, no_last_barrier},
        {"the barrier behind a wait dropped", {}, no_barrier_behind_wait},
        {"the barrier at the end of iterations dropped", {}, no_barrier_at_end},
        {"the barrier at the beginning of iterations dropped", {}, no_barrier_at_begin},
        {"the barrier between the iterations of a block that stays dropped",
         {},
         no_barrier_between_turns},
        {"a thread leaves before a barrier", {}, thread_leaves},
        {"a warp leaves before a barrier", {}, warp_leaves},
        {"waits one group too early", {}, early_wait},
        {"one wait one group too early", {}, early_first_wait},
        {"waits dropped", {}, no_wait},
        {"commits dropped", {}, no_commit},
        {"one commit dropped", {}, no_first_commit},
        {"a copy for which nobody waits", {}, copied_without_wait},
        {"a copying loop one iteration short", {}, short_loading},
        {"the next of the copies that rotate is read", {}, next_copy},
        {"the one before of the copies that rotate is read", {}, copy_before},
        {"one copy too few rotates", {}, few_step_copies},
        {"a shuffle over another distance", {}, other_distance},
        {"an atomic store is plain", {}, plain_combination},
    };
}

} // namespace loopscope::fuzz
