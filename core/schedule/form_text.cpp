// Linear forms as expressions.
#include "core/schedule/linear.h"

#include "core/base/magnitude.h"

#include <algorithm>
#include <limits>

namespace loopscope {

namespace {

// May something that the form's text computes leave i32?
bool leaves_i32(const LinearForm& form) {
    constexpr Wide most = std::numeric_limits<std::int32_t>::max();
    Wide sum = magnitude(form.constant());
    for (const auto& [atom, c] : form.terms()) {
        sum +=
            magnitude(c) * std::max(magnitude(atom->range.least), magnitude(atom->range.greatest));
        if (sum > most)
            return true;
        if (atom->kind == Atom::Kind::Variable)
            continue;
        for (auto end : {atom->a, atom->b})
            if (end != kNoEnd && end != -kNoEnd && magnitude(end) > most)
                return true;
        if (leaves_i32(atom->inner))
            return true;
    }
    return sum > most;
}

class FormText {
public:
    explicit FormText(ScalarType type) : type_(type) {}

    ExprPtr sum(const LinearForm& form) const {
        ExprPtr sum;
        for (int sign : {1, -1}) // positive terms first: "x*8 - y" rather than "-y + x*8"
            for (const auto& [atom, c] : form.terms()) {
                if ((c > 0) != (sign > 0))
                    continue;
                auto e = of(*atom);
                auto magnitude = c < 0 ? -c : c;
                if (magnitude != 1)
                    e = binary(Op::Multiply, e, number(magnitude));
                if (!sum)
                    sum = c < 0 ? unary(Op::Negate, e) : e;
                else
                    sum = binary(c < 0 ? Op::Subtract : Op::Add, sum, e);
            }
        if (!sum)
            return number(form.constant());
        if (form.constant() > 0)
            return binary(Op::Add, sum, number(form.constant()));
        if (form.constant() < 0)
            return binary(Op::Subtract, sum, number(-form.constant()));
        return sum;
    }

private:
    ExprPtr number(std::int64_t value) const { return constant_int(type_, value); }

    ExprPtr of(const Atom& atom) const {
        switch (atom.kind) {
        case Atom::Kind::Variable:
            return type_ == ScalarType::I32 ? variable(atom.name)
                                            : cast(type_, variable(atom.name));
        case Atom::Kind::FloorDivide: return binary(Op::Divide, sum(atom.inner), number(atom.a));
        case Atom::Kind::Modulo: return binary(Op::Modulo, sum(atom.inner), number(atom.a));
        case Atom::Kind::Clamp: break;
        }
        auto range = atom.inner.range();
        auto e = sum(atom.inner);
        if (range.least < atom.a)
            e = binary(Op::Max, e, number(atom.a));
        if (range.greatest > atom.b)
            e = binary(Op::Min, e, number(atom.b));
        return e;
    }

    ScalarType type_;
};

} // namespace

ExprPtr to_expr(const LinearForm& form) { return to_expr(form, form); }

ExprPtr to_expr(const LinearForm& form, const LinearForm& ranged) {
    if (form.is_constant() || !leaves_i32(ranged))
        return FormText(ScalarType::I32).sum(form);
    return cast(ScalarType::I32, FormText(ScalarType::I64).sum(form));
}

} // namespace loopscope
