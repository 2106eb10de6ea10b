#include "tests/fuzz/planted_bugs.h"

namespace loopscope::fuzz {

namespace {

using namespace lower;

using StatementChange = std::function<StatementPtr(const StatementPtr&)>;
using ExprChange = std::function<ExprPtr(const ExprPtr&)>;

// Applies a change to every statement; true if any became another one.
bool change_statements(Program& program, const StatementChange& change) {
    bool changed = false;
    for (auto& launch : program.launches)
        launch.body = rewrite(launch.body, [&](const StatementPtr& s) {
            auto next = change(s);
            changed = changed || next != s;
            return next;
        });
    return changed;
}

// Applies a change to every node of every stored value, loads' indices excepted unless `indices`.
bool change_values(Program& program, const ExprChange& change) {
    bool changed = false;
    return change_statements(program,
                             [&](const StatementPtr& s) {
                                 if (s->kind != StatementKind::Store)
                                     return s;
                                 auto value = loopscope::rewrite(s->value, [&](const ExprPtr& e) {
                                     auto next = change(e);
                                     changed = changed || next != e;
                                     return next;
                                 });
                                 if (value == s->value)
                                     return s;
                                 auto copy = std::make_shared<Statement>(*s);
                                 copy->value = value;
                                 return StatementPtr(copy);
                             }) &&
           changed;
}

StatementPtr with(const StatementPtr& s, const std::function<void(Statement&)>& edit) {
    auto copy = std::make_shared<Statement>(*s);
    edit(*copy);
    return copy;
}

ExprPtr minus_one(const ExprPtr& e) { return binary(Op::Subtract, e, constant_int(e->type, 1)); }

bool is_tail_guard(const StatementPtr& s) {
    return s->kind == StatementKind::If && s->condition->kind == ExprKind::Binary &&
           s->condition->op == Op::Less;
}

// 1: a loop runs one iteration short.
bool short_loop(Program& p) {
    bool done = false;
    return change_statements(p, [&](const StatementPtr& s) {
        std::int64_t n = 0;
        if (done || s->kind != StatementKind::For || !constant_value(s->extent, n) || n < 2)
            return s;
        done = true;
        return with(s, [](Statement& t) { t.extent = minus_one(t.extent); });
    });
}

// 2: the guard of a split tail lets no last point through.
bool tight_guard(Program& p) {
    return change_statements(p, [](const StatementPtr& s) {
        if (!is_tail_guard(s))
            return s;
        return with(s, [](Statement& t) {
            t.condition = binary(Op::Less, t.condition->args[0], minus_one(t.condition->args[1]));
        });
    });
}

// 3: an initialisation is forgotten.
bool no_init(Program& p) {
    return change_statements(p, [](const StatementPtr& s) {
        return s->kind == StatementKind::Store && s->origin.name == "@init" ? block({}) : s;
    });
}

// 4: a store's two last indices are swapped.
bool swapped_indices(Program& p) {
    return change_statements(p, [](const StatementPtr& s) {
        if (s->kind != StatementKind::Store || s->indices.size() < 2 ||
            equal(s->indices[s->indices.size() - 1], s->indices[s->indices.size() - 2]))
            return s;
        return with(s, [](Statement& t) {
            std::swap(t.indices[t.indices.size() - 1], t.indices[t.indices.size() - 2]);
        });
    });
}

// 5: a stage's region begins one point late.
bool late_region(Program& p) {
    return change_statements(p, [](const StatementPtr& s) {
        if (s->kind != StatementKind::Let || s->origin.name != "@storage")
            return s;
        return with(s, [](Statement& t) {
            t.value = binary(Op::Add, t.value, constant_int(t.value->type, 1));
        });
    });
}

// 6: a fused multiply-add is taken apart, and rounds twice.
bool split_fma(Program& p) {
    return change_values(p, [](const ExprPtr& e) {
        return e->kind == ExprKind::Fma
                   ? binary(Op::Add, binary(Op::Multiply, e->args[0], e->args[1]), e->args[2])
                   : e;
    });
}

// 7: the arms of a select change places.
bool swapped_arms(Program& p) {
    return change_values(p, [](const ExprPtr& e) {
        return e->kind == ExprKind::Select && !equal(e->args[1], e->args[2])
                   ? with_args(e, {e->args[0], e->args[2], e->args[1]})
                   : e;
    });
}

// 8: an integer division truncates towards zero instead of flooring.
bool truncating_division(Program& p) {
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

// 9: clamped indices of an edge boundary stop one short.
bool short_clamp(Program& p) {
    return change_values(p, [](const ExprPtr& e) {
        std::int64_t limit = 0;
        if (e->kind != ExprKind::Binary || e->op != Op::Min || e->type != ScalarType::I32 ||
            !constant_value(e->args[1], limit) || limit < 1)
            return e;
        return with_args(e, {e->args[0], constant_int(ScalarType::I32, limit - 1)});
    });
}

// 10: after the passes, the first vector store's mask, or else its last lane's value, is lost.
bool broken_vector(Program& p) {
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
        return with(s, [&](Statement& t) {
            t.mask = t.mask ? binary(Op::LogicalAnd, t.mask, last) : last;
        });
    });
}

} // namespace

const std::vector<PlantedBug>& planted_bugs() {
    static const std::vector<PlantedBug> bugs = {
        {"a loop one iteration short", false, short_loop},
        {"a tail guard one point short", false, tight_guard},
        {"no initialisation", false, no_init},
        {"swapped store indices", false, swapped_indices},
        {"a region one point late", false, late_region},
        {"a fused multiply-add split", false, split_fma},
        {"select arms swapped", false, swapped_arms},
        {"division truncates", false, truncating_division},
        {"boundary clamp one short", false, short_clamp},
        {"the last lane is not stored", true, broken_vector},
    };
    return bugs;
}

} // namespace loopscope::fuzz
