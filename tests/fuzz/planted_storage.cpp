// Bugs of storage and placement: windows that slide and fold, copies that rotate, layouts, merged
// nests, caches, factors.

#include "tests/fuzz/plant_tools.h"
#include "tests/fuzz/planted_bugs.h"

#include "core/schedule/region.h"
#include "core/schedule/storage.h"

#include <algorithm>

namespace loopscope::fuzz {

namespace {

using namespace lower;

// Where dimension d of the declaration stands among the indices of a buffer.
std::size_t position_of(const TreeNode& storage, std::size_t d) {
    const auto order = storage_order(storage);
    const auto at = std::find(order.begin(), order.end(), d) - order.begin();
    return static_cast<std::size_t>(at) + (storage.rotation > 1 ? 1 : 0);
}

// An element of a circular buffer lies at its index modulo one less.
bool short_fold(Program& p, const ScheduleTree& tree) {
    bool changed = false;
    for (const auto* storage : storage_nodes(tree))
        for (std::size_t d = 0; d < storage->region.dimensions.size(); ++d) {
            const auto& dimension = storage->region.dimensions[d];
            const auto fold = dimension.extent.hint();
            if (dimension.unfolded == 0 || fold < 2)
                continue;
            const auto at = position_of(*storage, d);
            changed |= change_places(p, storage->id.stage, [&](auto& indices, bool) {
                if (indices[at]->kind == ExprKind::Binary && indices[at]->op == Op::Modulo)
                    indices[at] = binary(Op::Modulo, indices[at]->args[0],
                                         constant_int(ScalarType::I32, fold - 1));
            });
        }
    return changed;
}

// Loops begin one iteration too late for what warms up in them.
bool short_warm_up(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        std::int64_t begin = 0;
        if (s->kind != StatementKind::For || !constant_value(s->loop->begin, begin) || begin >= 0)
            return s;
        return edited(s, [&](Statement& t) {
            t.loop->begin = constant_int(ScalarType::I32, begin + 1);
            t.loop->extent = minus_one(t.loop->extent);
        });
    });
}

// An iteration computes one element less than the window moves on by.
bool short_step(Program& p, const ScheduleTree& tree) {
    bool changed = false;
    for (const auto& [name, layout] : tree.layout->stages)
        for (std::size_t d = 0; d < layout.sliding.size(); ++d)
            if (layout.sliding[d].slides)
                changed |= shorten(p, {name, 0, tree.find_stage(name)->stage.variables[d]}, 1);
    return changed;
}

// Loads take a reordered buffer to lie as declared.
bool unordered_loads(Program& p, const ScheduleTree& tree) {
    bool changed = false;
    for (const auto* storage : storage_nodes(tree)) {
        const auto order = storage_order(*storage);
        if (std::is_sorted(order.begin(), order.end()))
            continue;
        const std::size_t before = storage->rotation > 1 ? 1 : 0;
        changed |= change_places(p, storage->id.stage, [&](auto& indices, bool store) {
            if (store || indices.size() != order.size() + before)
                return;
            const auto old = indices;
            for (std::size_t i = 0; i < order.size(); ++i)
                indices[before + order[i]] = old[before + i];
        });
    }
    return changed;
}

// Which copy of a pipelined stage's memory: `edit` gets the iteration and the number of copies.
bool change_rotation(Program& p, const ScheduleTree& tree, bool loads_only,
                     const std::function<ExprPtr(const ExprPtr&, std::int64_t)>& edit) {
    bool changed = false;
    for (const auto* storage : storage_nodes(tree))
        if (storage->rotation > 1)
            changed |= change_places(p, storage->id.stage, [&](auto& indices, bool store) {
                if (!(store && loads_only) && indices[0]->kind == ExprKind::Binary &&
                    indices[0]->op == Op::Modulo)
                    indices[0] = edit(indices[0]->args[0], storage->rotation);
            });
    return changed;
}

ExprPtr modulo(const ExprPtr& e, std::int64_t by) {
    return binary(Op::Modulo, e, constant_int(ScalarType::I32, by));
}

// The copy of the next iteration is read.
bool next_slot(Program& p, const ScheduleTree& tree) {
    return change_rotation(p, tree, true, [](const ExprPtr& iteration, std::int64_t copies) {
        return modulo(binary(Op::Add, iteration, constant_int(ScalarType::I32, 1)), copies);
    });
}

// One copy too few rotates: what is still read is overwritten.
bool few_copies(Program& p, const ScheduleTree& tree) {
    return change_rotation(p, tree, false, [](const ExprPtr& iteration, std::int64_t copies) {
        return modulo(iteration, copies - 1);
    });
}

// A pipeline is filled one iteration too late.
bool short_prologue(Program& p, const ScheduleTree& tree) {
    return change_statements(p, [&](const StatementPtr& s) {
        const StageState* stage = tree.state.find(s->origin.stage);
        if (s->kind != StatementKind::If || !stage || stage->pipeline < 2)
            return s;
        auto condition = loopscope::rewrite(s->condition, [](const ExprPtr& e) -> ExprPtr {
            std::int64_t first = 0;
            if (e->kind != ExprKind::Binary || e->op != Op::GreaterEqual ||
                e->args[0]->kind != ExprKind::Variable || !constant_value(e->args[1], first) ||
                first >= 0)
                return e;
            return with_args(e, {e->args[0], constant_int(ScalarType::I32, first + 1)});
        });
        return condition == s->condition
                   ? s
                   : edited(s, [&](Statement& t) { t.condition = condition; });
    });
}

// What shares a loop runs in the reverse order.
bool reversed_nests(Program& p, const ScheduleTree& tree) {
    bool changed = false;
    for (const auto& stage : tree.state.stages)
        for (const auto& definition : stage->definitions) {
            if (!definition.with)
                continue;
            const auto& with = *definition.with;
            const auto& host =
                tree.state.find(with.stage)->definitions[static_cast<std::size_t>(with.definition)];
            const NodeId at{with.stage, with.definition,
                            host.loops[static_cast<std::size_t>(host.position_of(with.loop))].name};
            changed |= change_statements(p, [&](const StatementPtr& s) {
                if (s->kind != StatementKind::For || s->origin != at ||
                    s->children[0]->kind != StatementKind::Block)
                    return s;
                auto parts = s->children[0]->children;
                std::reverse(parts.begin(), parts.end());
                return with_children(s, {block(parts, s->children[0]->origin)});
            });
        }
    return changed;
}

// The sums of a cache_write start from what is in memory.
bool no_cache_init(Program& p, const ScheduleTree& tree) {
    return change_statements(p, [&](const StatementPtr& s) {
        const StageState* stage = tree.state.find(s->origin.stage);
        return s->kind == StatementKind::Store && s->origin.name == "@init" && stage &&
                       !stage->cache_of.empty()
                   ? block({})
                   : s;
    });
}

// A stage that is read at half the index computes one element less than is needed.
bool short_upsampling(Program& p, const ScheduleTree& tree) {
    bool changed = false;
    for (const auto& reader : tree.derived->stages)
        for (const auto& definition : reader.definitions)
            for (const auto& value : definition.values)
                visit(value, [&](const Expr& e) {
                    for (std::size_t d = 0; e.kind == ExprKind::Load && d < e.args.size(); ++d)
                        if (const auto* read = tree.find_stage(e.name);
                            read && e.args[d]->kind == ExprKind::Binary &&
                            e.args[d]->op == Op::Divide)
                            changed |= shorten(p, {e.name, 0, read->stage.variables[d]}, 2);
                    return true;
                });
    return changed;
}

// What rfactor makes does not start from the neutral element.
bool wrong_identity(Program& p, const ScheduleTree& tree) {
    return change_statements(p, [&](const StatementPtr& s) {
        const StageState* stage = tree.state.find(s->origin.stage);
        if (s->kind != StatementKind::Store || !stage || stage->factor_of.empty() ||
            s->origin.definition != 0 || s->value->type == ScalarType::Bool)
            return s;
        if (s->origin.name != "@init" && stage->definitions.size() < 2)
            return s;
        return edited(s, [](Statement& t) {
            const auto type = t.value->type;
            t.value = binary(Op::Add, t.value,
                             is_float(type) ? constant_float(type, 1) : constant_int(type, 1));
        });
    });
}

// A region that would leave the stage's box is not moved back.
bool no_clamp(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        if (s->kind != StatementKind::Let || !s->variable.ends_with(".min") ||
            s->value->kind != ExprKind::Binary ||
            (s->value->op != Op::Min && s->value->op != Op::Max))
            return s;
        return edited(s, [](Statement& t) { t.value = t.value->args[0]; });
    });
}

} // namespace

std::vector<PlantedBug> planted_storage_bugs() {
    return {
        {"folding modulo one short", short_fold},
        {"warm-up of a window one short", short_warm_up},
        {"step of a window one short", short_step},
        {"loads forget reorder_storage", unordered_loads},
        {"a pipeline reads the next slot", next_slot},
        {"a pipeline has one copy too few", few_copies},
        {"a pipeline is filled an iteration late", short_prologue},
        {"merged nests run in reverse order", reversed_nests},
        {"the initialisation of a cache_write lost", no_cache_init},
        {"a region under upsampling one short", short_upsampling},
        {"rfactor starts from another element", wrong_identity},
        {"a region's clamp lost", no_clamp},
    };
}

} // namespace loopscope::fuzz
