#include "tests/fuzz/planted_bugs.h"

#include "tests/fuzz/plant_tools.h"

namespace loopscope::fuzz {

namespace {

using namespace lower;

// A loop runs one iteration short.
bool short_host_loop(Program& p, const ScheduleTree&) {
    bool done = false;
    return change_statements(p, [&](const StatementPtr& s) {
        std::int64_t n = 0;
        if (done || s->kind != StatementKind::For || !constant_value(s->loop->extent, n) || n < 2)
            return s;
        done = true;
        return edited(s, [](Statement& t) { t.loop->extent = minus_one(t.loop->extent); });
    });
}

// The guard of a split tail lets no last point through.
bool tight_guard(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        if (!is_tail_guard(s))
            return s;
        return edited(s, [](Statement& t) {
            t.condition = binary(Op::Less, t.condition->args[0], minus_one(t.condition->args[1]));
        });
    });
}

// An initialisation is forgotten.
bool no_init(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        return s->kind == StatementKind::Store && s->origin.name == "@init" ? block({}) : s;
    });
}

// A store's two last indices are swapped.
bool swapped_indices(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        if (s->kind != StatementKind::Store || s->access->indices.size() < 2 ||
            equal(s->access->indices[s->access->indices.size() - 1],
                  s->access->indices[s->access->indices.size() - 2]))
            return s;
        return edited(s, [](Statement& t) {
            std::swap(t.access->indices[t.access->indices.size() - 1],
                      t.access->indices[t.access->indices.size() - 2]);
        });
    });
}

// A stage's region begins one point late.
bool late_region(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        if (s->kind != StatementKind::Let || s->origin.name != "@storage")
            return s;
        return edited(s, [](Statement& t) {
            t.value = binary(Op::Add, t.value, constant_int(t.value->type, 1));
        });
    });
}

// A fused multiply-add is taken apart, and rounds twice.
bool split_fma(Program& p, const ScheduleTree&) {
    return change_values(p, [](const ExprPtr& e) {
        return e->kind == ExprKind::Fma
                   ? binary(Op::Add, binary(Op::Multiply, e->args[0], e->args[1]), e->args[2])
                   : e;
    });
}

// The arms of a select change places.
bool swapped_arms(Program& p, const ScheduleTree&) {
    return change_values(p, [](const ExprPtr& e) {
        return e->kind == ExprKind::Select && !equal(e->args[1], e->args[2])
                   ? with_args(e, {e->args[0], e->args[2], e->args[1]})
                   : e;
    });
}

// An integer division truncates towards zero instead of flooring.
bool truncating_division(Program& p, const ScheduleTree&) {
    return change_values(p, [](const ExprPtr& e) {
        if (e->kind != ExprKind::Binary || e->op != Op::Divide || !is_signed(e->type))
            return e;
        auto zero = constant_int(e->type, 0);
        auto negative = [&](const ExprPtr& x) { return binary(Op::Less, x, zero); };
        auto magnitude = binary(Op::Divide, unary(Op::Abs, e->args[0]), unary(Op::Abs, e->args[1]));
        return select(binary(Op::NotEqual, negative(e->args[0]), negative(e->args[1])),
                      unary(Op::Negate, magnitude), magnitude);
    });
}

// Clamped indices of an edge boundary stop one short.
bool short_clamp(Program& p, const ScheduleTree&) {
    return change_values(p, [](const ExprPtr& e) {
        std::int64_t limit = 0;
        if (e->kind != ExprKind::Binary || e->op != Op::Min || e->type != ScalarType::I32 ||
            !constant_value(e->args[1], limit) || limit < 1)
            return e;
        return with_args(e, {e->args[0], constant_int(ScalarType::I32, limit - 1)});
    });
}

// After the passes, the first vector store's mask, or else its last lane's value, is lost.
bool broken_vector(Program& p, const ScheduleTree&) {
    bool done = false;
    return change_statements(p, [&](const StatementPtr& s) {
        if (done || s->kind != StatementKind::Store || s->value->lanes < 2)
            return s;
        done = true;
        auto lanes = s->value->lanes;
        auto last =
            binary(Op::Less,
                   ramp(constant_int(ScalarType::I32, 0), constant_int(ScalarType::I32, 1), lanes),
                   broadcast(constant_int(ScalarType::I32, lanes - 1), lanes));
        return edited(s, [&](Statement& t) {
            t.access->mask = t.access->mask ? binary(Op::LogicalAnd, t.access->mask, last) : last;
        });
    });
}

// A guard is forgotten.
bool no_guard(Program& p, const ScheduleTree&) {
    return change_statements(
        p, [](const StatementPtr& s) { return is_tail_guard(s) ? s->children[0] : s; });
}

// Several iterations that combine into one element do so in steps that others see half done.
bool not_atomic(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        if (s->kind != StatementKind::Atomic)
            return s;
        return edited(s, [](Statement& t) {
            t.kind = StatementKind::Store;
            t.value = binary(t.access->op, load(t.access->buffer, t.value->type, t.access->indices),
                             t.value);
            t.access->op = Op::None;
        });
    });
}

// Components of a tuple are updated one after another, the later ones from new values.
bool new_components(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        if (s->kind != StatementKind::Let || s->variable.find(".old") == std::string::npos)
            return s;
        return substitute(s->children[0], [&](const std::string& name) {
            return name == s->variable ? s->value : nullptr;
        });
    });
}

// What rounds to a half is kept in a float.
bool no_rounding(Program& p, const ScheduleTree&) {
    return change_values(p, [](const ExprPtr& e) {
        auto half = [](ScalarType t) { return t == ScalarType::F16 || t == ScalarType::BF16; };
        return e->kind == ExprKind::Cast && e->type == ScalarType::F32 &&
                       e->args[0]->kind == ExprKind::Cast && half(e->args[0]->type) &&
                       e->args[0]->args[0]->type == ScalarType::F32
                   ? e->args[0]->args[0]
                   : e;
    });
}

} // namespace

const std::vector<PlantedBug>& planted_bugs() {
    static const std::vector<PlantedBug> bugs = [] {
        std::vector<PlantedBug> all = {
            {"a loop one iteration short", short_host_loop},
            {"a tail guard one point short", tight_guard},
            {"a tail guard dropped", no_guard},
            {"no initialisation", no_init},
            {"swapped store indices", swapped_indices},
            {"a region one point late", late_region},
            {"a fused multiply-add split", split_fma},
            {"select arms swapped", swapped_arms},
            {"division truncates", truncating_division},
            {"boundary clamp one short", short_clamp},
            {"atomic steps are not", not_atomic},
            {"tuple components updated one by one", new_components},
            {"the last lane is not stored", {}, broken_vector},
            {"a rounding to half left out", {}, no_rounding},
        };
        for (const auto& more : {planted_storage_bugs(), planted_legality_bugs()})
            all.insert(all.end(), more.begin(), more.end());
        return all;
    }();
    return bugs;
}

} // namespace loopscope::fuzz
