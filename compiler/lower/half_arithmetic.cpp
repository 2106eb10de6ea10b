// half_arithmetic: operations on 16-bit floats become f32 operations and one rounding each.
//
//     out[x] = A[x]*B[x] + 1.0                 out[x] = f16(f32(f16(f32(A[x])*f32(B[x]))) + 1.0)
//     n[x] = f16(u[x])                   →     n[x] = f16(f32(min(max(u[x], -131072), 131072)))
//     e[x] = exp(A[x])                         e[x] = f16(exp(f32(A[x])))
//
// Expects: any program. Guarantees: the same bits; f16 and bf16 occur only in loads, stores (atomic
// ones too), names, constants, selects, Reinterpret, and casts from and to f32
// (half_arithmetic_but_casts: casts to them from all). Left as they are, for the passes that make
// reductions of them to see, are stores of place = fma(a, b, place): half_accumulations comes after
// those.
//
// Why once is enough: f32 has more than twice the digits of either type and two more, so rounding +
// - * / and sqrt to f32 first does not change where they round to (also where bf16's results are
// denormal: their products and quotients stay far enough from the middle between two of them). All
// else is exact in f32, or is rounded to odd first: a value that is not exact takes the neighbour
// whose last bit is 1, which no later rounding to two digits less mistakes for a middle (Boldo and
// Melquiond, Emulation of FMA and correctly rounded sums, 2008).
#include "compiler/lower/half_arithmetic.h"

#include "compiler/lower/fold.h"
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/reduction.h"
#include "compiler/lower/simplify_expression.h"
#include "compiler/lower/statements.h"
#include "core/ir/half.h"

namespace loopscope::lower {

namespace {

class HalfArithmetic {
public:
    HalfArithmetic(NameSource& names, HalfCasts casts) : names_(names), casts_(casts) {}

    // A node whose arguments are done.
    ExprPtr node(const ExprPtr& e) {
        const auto& a = e->args;
        switch (e->kind) {
        case ExprKind::Unary:
            return is_half(e->type) ? rounded(e->type, unary(e->op, wide(a[0]))) : e;
        case ExprKind::Binary: {
            if (!is_half(a[0]->type))
                return e;
            auto whole = binary(e->op, wide(a[0]), wide(a[1]));
            return is_half(e->type) ? rounded(e->type, whole) : whole;
        }
        case ExprKind::Call: {
            if (!is_half(e->type))
                return e;
            std::vector<ExprPtr> args;
            for (const auto& x : a)
                args.push_back(wide(x));
            return rounded(e->type, call(e->name, std::move(args)));
        }
        case ExprKind::Fma: return is_half(e->type) ? fused(*e) : e;
        case ExprKind::Cast: return converted(e);
        default: return e;
        }
    }

private:
    static ExprPtr wide(const ExprPtr& e) { return plain(cast(ScalarType::F32, e)); }
    static ExprPtr rounded(ScalarType type, const ExprPtr& e) { return plain(cast(type, e)); }

    // Constants at once, so that the text stays readable.
    static ExprPtr plain(const ExprPtr& e) {
        auto constant = folded(*e);
        return constant ? constant : e;
    }

    ExprPtr converted(const ExprPtr& e) {
        const auto& a = e->args[0];
        if (a->type == e->type)
            return a;
        if (is_half(a->type) && e->type != ScalarType::F32)
            return node(cast(e->type, wide(a)));
        return is_half(e->type) ? rounded(e->type, narrowable(e->type, a)) : e;
    }

    // An f32 that rounds to the 16-bit type as the value does; the value itself where casts are
    // kept.
    ExprPtr narrowable(ScalarType type, const ExprPtr& e) {
        if (e->type == ScalarType::F32 || casts_ == HalfCasts::Kept)
            return e;
        if (e->type == ScalarType::F64)
            return odd_single(e);
        if (bits(e->type) <= 16)
            return wide(e);
        if (type == ScalarType::F16)
            return wide(clamped(e));
        return odd_single(plain(cast(ScalarType::F64, bits(e->type) == 64 ? jammed(e) : e)));
    }

    static ExprPtr constant_like(const ExprPtr& like, std::int64_t value) {
        return with_lanes(constant_int(like->type, value), like->lanes);
    }

    // Beyond ±65519 all is infinite in f16.
    static ExprPtr clamped(const ExprPtr& e) {
        constexpr std::int64_t kFar = 131072;
        auto low = is_signed(e->type) ? binary(Op::Max, e, constant_like(e, -kFar)) : e;
        return binary(Op::Min, low, constant_like(e, kFar));
    }

    // A 64-bit integer that f64 holds and that lies between the same two bf16 numbers: from 2^53 on
    // those, and the middles between them, are multiples of 4096.
    ExprPtr jammed(const ExprPtr& e) {
        return bound("half.i", e, [&](const ExprPtr& x) {
            constexpr std::int64_t kLarge = std::int64_t{1} << 53;
            auto tail = binary(Op::NotEqual, binary(Op::BitAnd, x, constant_like(x, 4095)),
                               constant_like(x, 0));
            auto jam = binary(Op::BitOr, binary(Op::BitAnd, x, constant_like(x, -4096)),
                              select(tail, constant_like(x, 2048), constant_like(x, 0)));
            auto large = binary(Op::GreaterEqual, x, constant_like(x, kLarge));
            if (is_signed(x->type))
                large = binary(Op::LogicalOr, large,
                               binary(Op::LessEqual, x, constant_like(x, -kLarge)));
            return select(large, jam, x);
        });
    }

    // An f64 rounded to odd as f32. The nearest f32 is one neighbour: where it is even and not
    // exact, the other is odd.
    ExprPtr odd_single(const ExprPtr& e) {
        return bound("half.d", e, [&](const ExprPtr& x) {
            return bound("half.s", cast(ScalarType::F32, x), [&](const ExprPtr& nearest) {
                auto back = unary(Op::Abs, cast(ScalarType::F64, nearest));
                auto exact = unary(Op::Abs, x); // NaN compares false: it stays what it is
                return made_odd(nearest, binary(Op::Greater, exact, back),
                                binary(Op::Less, exact, back));
            });
        });
    }

    // The float, or where it is even the next one away from zero, or towards zero.
    ExprPtr made_odd(const ExprPtr& value, const ExprPtr& away, const ExprPtr& towards) {
        auto type = value->type == ScalarType::F32 ? ScalarType::U32 : ScalarType::U64;
        return bound("half.b", reinterpret(type, value), [&](const ExprPtr& pattern) {
            auto even = binary(Op::Equal, binary(Op::BitAnd, pattern, constant_like(pattern, 1)),
                               constant_like(pattern, 0));
            auto step =
                select(away, constant_like(pattern, 1),
                       select(towards, constant_like(pattern, -1), constant_like(pattern, 0)));
            return reinterpret(value->type, binary(Op::Add, pattern,
                                                   select(even, step, constant_like(pattern, 0))));
        });
    }

    // a*b is exact, in f32 for f16 and in f64 for bf16; the sum is rounded to odd.
    ExprPtr fused(const Expr& e) {
        auto type = e.type == ScalarType::F16 ? ScalarType::F32 : ScalarType::F64;
        auto exact = [&](const ExprPtr& x) {
            return type == ScalarType::F32 ? wide(x) : plain(cast(type, wide(x)));
        };
        auto product = binary(Op::Multiply, exact(e.args[0]), exact(e.args[1]));
        auto sum = bound("half.p", product, [&](const ExprPtr& p) {
            return bound("half.c", exact(e.args[2]), [&](const ExprPtr& c) {
                return bound("half.t", binary(Op::Add, p, c),
                             [&](const ExprPtr& s) { return odd_sum(p, c, s); });
            });
        });
        return rounded(e.type, narrowable(e.type, sum));
    }

    // s is p + c rounded; Knuth's two-sum finds what rounding took away. A sum that is not finite
    // has no sign of error.
    ExprPtr odd_sum(const ExprPtr& p, const ExprPtr& c, const ExprPtr& s) {
        auto minus = [](const ExprPtr& a, const ExprPtr& b) { return binary(Op::Subtract, a, b); };
        auto zero = with_lanes(constant_float(s->type, 0), s->lanes);
        return bound("half.q", minus(s, p), [&](const ExprPtr& part) {
            auto lost = binary(Op::Add, minus(p, minus(s, part)), minus(c, part));
            return bound("half.e", lost, [&](const ExprPtr& error) {
                auto more = binary(Op::Greater, error, zero), less = binary(Op::Less, error, zero);
                auto positive = binary(Op::Greater, s, zero);
                return made_odd(s, select(positive, more, less), select(positive, less, more));
            });
        });
    }

    // The body with a name for a value that it uses several times.
    template <typename Body>
    ExprPtr bound(const char* name, const ExprPtr& value, const Body& body) {
        if (is_replaceable(value) && value->kind != ExprKind::Ramp)
            return body(value);
        auto fresh = names_.fresh(name);
        auto self = value->lanes > 1 ? vector_variable(fresh, value->type, value->lanes)
                                     : variable(fresh, value->type);
        return let(fresh, value, body(self));
    }

    NameSource& names_;
    HalfCasts casts_;
};

} // namespace

ExprPtr without_halves(const ExprPtr& e, NameSource& names, HalfCasts casts) {
    HalfArithmetic pass(names, casts);
    return loopscope::rewrite(e, [&](const ExprPtr& x) { return pass.node(x); });
}

namespace {

Program without_halves(const Program& program, HalfCasts casts) {
    NameSource names(program);
    auto on_expression = [&](const ExprPtr& e) { return without_halves(e, names, casts); };
    // In place = fma(a, b, place) only what surrounds the fma is rewritten.
    auto on_statement = [&](const StatementPtr& s) {
        auto reduction = match_reduction(*s);
        if (!reduction || reduction->op != Op::None)
            return map_expressions(s, on_expression);
        for (auto& term : reduction->terms)
            term = on_expression(term);
        Place place{s->access->buffer, s->value->type, s->access->indices};
        for (auto& index : place.indices)
            index = on_expression(index);
        auto mask = s->access->mask ? on_expression(s->access->mask) : nullptr;
        return as_streaming(store(s->origin, place.buffer, place.indices,
                                  combined(*reduction, place.load(), reduction->terms), mask),
                            s->access->streaming);
    };
    return map_bodies(program,
                      [&](const StatementPtr& body) { return rewrite(body, on_statement); });
}

} // namespace

Program half_arithmetic(const Program& program, const TargetInfo&) {
    return without_halves(program, HalfCasts::Expanded);
}

Program half_arithmetic_but_casts(const Program& program, const TargetInfo&) {
    return without_halves(program, HalfCasts::Kept);
}

} // namespace loopscope::lower
