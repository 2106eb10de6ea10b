// Faults of what some threads of a block load and others use, and of warpgroups' products: steps
// left out, groups whole too early, slots and matrices taken for others.

#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/gpu/launch.h"
#include "tests/fuzz/plant_tools.h"
#include "tests/fuzz/planted_bugs.h"

#include <utility>

namespace loopscope::fuzz {

namespace {

using namespace lower;

// Steps of tokens that are handed over.
bool without_handover(Program& p, StatementKind kind) {
    bool changed = false;
    for (auto& launch : p.launches) {
        const auto tokens = handed_over(launch.body);
        launch.body = lower::rewrite(launch.body, [&](const StatementPtr& s) {
            if (s->kind != kind || !tokens.count(s->step->token))
                return s;
            changed = true;
            return block({});
        });
    }
    return changed;
}

bool no_handover_wait(Program& p, const ScheduleTree&) {
    return without_handover(p, StatementKind::Wait);
}
bool no_release(Program& p, const ScheduleTree&) {
    return without_handover(p, StatementKind::Release);
}
bool no_handover_commit(Program& p, const ScheduleTree&) {
    return without_handover(p, StatementKind::Commit);
}

// Which tokens are handed over is known by it: it stays, where nobody comes to it.
bool no_acquire(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        if (s->kind != StatementKind::Acquire || s->operands.empty())
            return s;
        return if_then(
            s->origin,
            binary(Op::Less, constant_int(ScalarType::I32, 1), constant_int(ScalarType::I32, 0)),
            s);
    });
}

// The order of two steps that follow one another.
bool exchanged_waits(Program& p, StatementKind first, StatementKind second) {
    return change_statements(p, [&](const StatementPtr& s) {
        if (s->kind != StatementKind::Block)
            return s;
        auto parts = s->children;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i)
            if (parts[i]->kind == first && parts[i + 1]->kind == second &&
                parts[i + 1]->step->token == parts[i]->step->token) {
                std::swap(parts[i], parts[i + 1]);
                return with_children(s, std::move(parts));
            }
        return s;
    });
}

// The last copy of a group is begun behind its end.
bool early_commit(Program& p, const ScheduleTree&) {
    return exchanged_waits(p, StatementKind::BulkCopy, StatementKind::Commit);
}

// The first copy of a group is begun before its slot is free.
bool late_acquire(Program& p, const ScheduleTree&) {
    return exchanged_waits(p, StatementKind::Acquire, StatementKind::BulkCopy);
}

bool moved_operand(Program& p, const Wanted& wanted, std::size_t operand, std::int64_t by) {
    return change_one(p, Which::First, wanted, [&](const StatementPtr& s) {
        return edited(s, [&](Statement& t) {
            auto& index = t.operands[operand].indices.back();
            index = binary(Op::Add, index, constant_int(index->type, by));
        });
    });
}

// A box from elsewhere in the array.
bool other_box(Program& p, const ScheduleTree&) {
    return moved_operand(
        p, [](const Statement& s) { return s.kind == StatementKind::BulkCopy; }, 1, 8);
}

bool other_left_factor(Program& p, const ScheduleTree&) {
    return moved_operand(p, is_product_of_group, 1, 8);
}

// Panels of the right factor that lie closer than they do.
bool other_panels(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        if (!is_product_of_group(*s) || !s->operands[2].matrix ||
            s->operands[2].matrix->panel_bytes <= s->operands[2].matrix->unit_bytes())
            return s;
        return edited(s, [](Statement& t) { t.operands[2].matrix->panel_bytes /= 2; });
    });
}

// A pattern of other rows than the TMA's.
bool other_pattern(Program& p, const ScheduleTree&) {
    return change_one(
        p, Which::First,
        [](const Statement& s) { return s.kind == StatementKind::BulkCopy && s.box->swizzle > 32; },
        [](const StatementPtr& s) { return edited(s, [](Statement& t) { t.box->swizzle /= 2; }); });
}

bool product_left_out(Program& p, const ScheduleTree&) {
    return change_one(p, Which::Last, is_product_of_group,
                      [](const StatementPtr&) { return block({}); });
}

// A slot is given back while products still read it.
bool early_release(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        if (s->kind != StatementKind::Block)
            return s;
        auto parts = s->children;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            // The condition that leaves a running product's slot to the next iteration
            // (overlap_products) is gone.
            if (leaves_products(*parts[i]) && parts[i + 1]->kind == StatementKind::If) {
                parts[i + 1] = parts[i + 1]->children[0];
                return with_children(s, std::move(parts));
            }
            if (ends_products(*parts[i]) && parts[i + 1]->kind == StatementKind::Release &&
                !parts[i + 1]->operands.empty()) {
                std::swap(parts[i], parts[i + 1]);
                return with_children(s, std::move(parts));
            }
        }
        return s;
    });
}

// What a group adds up is taken before it is complete.
bool early_sums(Program& p, const ScheduleTree&) {
    return change_one(p, Which::Last, ends_products, [](const StatementPtr&) { return block({}); });
}

} // namespace

std::vector<PlantedBug> planted_handover_faults() {
    return {
        {"waits for groups of others dropped", {}, no_handover_wait},
        {"releases dropped", {}, no_release},
        {"a room released while products read it", {}, early_release},
        {"commits of those that load dropped", {}, no_handover_commit},
        {"rooms taken without asking", {}, no_acquire},
        {"a group complete before its last copy", {}, early_commit},
        {"a copy before its room is acquired", {}, late_acquire},
        {"a box from elsewhere", {}, other_box},
        {"another left factor", {}, other_left_factor},
        {"panels of the right factor too close", {}, other_panels},
        {"the pattern of other rows", {}, other_pattern},
        {"a product left out", {}, product_left_out},
        {"sums taken before their group ends", {}, early_sums},
    };
}

} // namespace loopscope::fuzz
