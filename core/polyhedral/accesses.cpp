#include "core/polyhedral/accesses.h"

#include "core/polyhedral/forms.h"

#include <algorithm>
#include <unordered_map>

namespace loopscope::polyhedral {

namespace {

// Arithmetic in these types is taken as if it could not wrap, which is asked of the whole index in
// the end: most indices are of that kind. In other types, where it wraps on purpose, forms are the
// values that it leaves.
bool is_of_indices(ScalarType type) { return type == ScalarType::I32 || type == ScalarType::I64; }

class Reader {
public:
    Reader(const std::vector<Axis>& axes, std::vector<Division>& divisions, RangeOf free)
        : axes_(axes), forms_(axes, divisions), free_(std::move(free)) {
        variables_ = [this](const std::string& name) { return variable_range(name, false); };
        any_variables_ = [this](const std::string& name) { return variable_range(name, true); };
    }

    // The form of an index, or of a side of a condition. nullopt too where some part of it may
    // wrap: the front end has refused no index that wraps below a `%`, nor a condition.
    std::optional<Affine> read_whole(const ExprPtr& e) {
        auto form = read(e);
        return form && exact(e) ? form : std::nullopt;
    }

    // What a condition bounds from above: rfactor writes min(e, N - 1) beside the condition e < N,
    // and e is meant.
    void assume(const ExprPtr& condition) {
        if (!condition || condition->kind != ExprKind::Binary)
            return;
        std::int64_t bound = 0;
        if (condition->op == Op::LogicalAnd) {
            assume(condition->args[0]);
            assume(condition->args[1]);
        } else if (condition->op == Op::Less && constant_value(condition->args[1], bound)) {
            below_.emplace_back(condition->args[0], bound);
        }
    }

    // Let names are unique in a pipeline.
    void bind(const Expr& let) {
        const auto& value = let.args[0];
        lets_.insert_or_assign(let.name,
                               Bound{read(value), exact(value), range_of(value, variables_),
                                     range_of(value, any_variables_)});
    }

    // Adds what can be said of a condition: of a conjunction each side that is a comparison of
    // affine forms.
    void add_condition(const ExprPtr& e, std::vector<Affine>& out) {
        if (!e || e->kind != ExprKind::Binary)
            return;
        if (e->op == Op::LogicalAnd) {
            add_condition(e->args[0], out);
            add_condition(e->args[1], out);
            return;
        }
        bool comparison = e->op >= Op::Less && e->op <= Op::Equal;
        if (!comparison || !is_integer(e->args[0]->type))
            return;
        auto a = read_whole(e->args[0]), b = read_whole(e->args[1]);
        if (!a || !b)
            return;
        if (e->op == Op::Less || e->op == Op::LessEqual || e->op == Op::Equal)
            out.push_back(sum(*b, *a, -1, e->op == Op::Less ? -1 : 0));
        if (e->op == Op::Greater || e->op == Op::GreaterEqual || e->op == Op::Equal)
            out.push_back(sum(*a, *b, -1, e->op == Op::Greater ? -1 : 0));
    }

private:
    std::optional<Affine> read(const ExprPtr& e) {
        if (auto known = memo_.find(e.get()); known != memo_.end())
            return known->second;
        auto form = compute(e);
        if (form && too_large(*form))
            form.reset();
        memo_.emplace(e.get(), form);
        return form;
    }

    // Is the form of the expression its value, for all that is known of ranges? What is below a
    // `%`, a mask or a cast to fewer bits is asked about there, for what wrapped has a range after
    // those, too.
    bool exact(const ExprPtr& e) {
        if (!is_of_indices(e->type))
            return true;
        if (e->kind != ExprKind::Variable)
            return range_of(e, variables_).has_value();
        const auto let = lets_.find(e->name);
        return let == lets_.end() || let->second.exact;
    }

    // `any`: whatever values free axes may take.
    std::optional<Interval> variable_range(const std::string& name, bool any) {
        if (auto let = lets_.find(name); let != lets_.end())
            return any ? let->second.any_range : let->second.range;
        for (const auto& axis : axes_)
            if (axis.name == name)
                return axis.free && !any ? (free_ ? free_(name) : std::nullopt)
                                         : std::optional(Forms::range_of(axis));
        return std::nullopt;
    }

    std::optional<Affine> compute(const ExprPtr& e) {
        if (!is_integer(e->type))
            return std::nullopt;
        switch (e->kind) {
        case ExprKind::Constant: {
            std::int64_t value = 0;
            return constant_value(e, value) ? std::optional<Affine>(Affine{value, {}})
                                            : std::nullopt;
        }
        case ExprKind::Variable: return variable(e->name);
        case ExprKind::Cast: return cast(*e, exact(e));
        case ExprKind::Let: bind(*e); return read(e->args[1]);
        case ExprKind::Unary: return unary(*e);
        case ExprKind::Binary: return binary(*e);
        default: return std::nullopt;
        }
    }

    std::optional<Affine> variable(const std::string& name) {
        if (auto let = lets_.find(name); let != lets_.end())
            return let->second.form;
        for (std::size_t i = 0; i < axes_.size(); ++i)
            if (axes_[i].name == name)
                return Affine{0, {{static_cast<int>(i), 1}}};
        return std::nullopt;
    }

    std::optional<Affine> minimum(const Expr& e) {
        std::int64_t bound = 0;
        if (!constant_value(e.args[1], bound))
            return std::nullopt;
        for (const auto& [value, limit] : below_)
            if (bound >= limit - 1 && equal(value, e.args[0]))
                return read(e.args[0]);
        return std::nullopt;
    }

    // What an operation gives before it wraps, as its type has it.
    std::optional<Affine> in_type(const std::optional<Affine>& form, ScalarType type) {
        return form && !is_of_indices(type) ? forms_.wrapped(*form, type) : form;
    }

    std::optional<Affine> cast(const Expr& e, bool keeps_value) {
        if (is_of_indices(e.type))
            return keeps_value ? read(e.args[0]) : std::nullopt;
        const auto a = exact(e.args[0]) ? read(e.args[0]) : std::nullopt;
        return a ? forms_.wrapped(*a, e.type, range_of(e.args[0], any_variables_)) : std::nullopt;
    }

    std::optional<Affine> unary(const Expr& e) {
        const auto a = read(e.args[0]);
        if (!a || (e.op != Op::Negate && e.op != Op::BitNot))
            return std::nullopt;
        const auto negative = scaled(*a, -1); // ~a = -a - 1, and modulo 2^bits where it is unsigned
        return negative ? in_type(sum(*negative, {}, 1, e.op == Op::BitNot ? -1 : 0), e.type)
                        : std::nullopt;
    }

    std::optional<Affine> binary(const Expr& e) {
        if (e.op == Op::Min)
            return minimum(e);
        auto a = read(e.args[0]), b = read(e.args[1]);
        if (!a || !b)
            return std::nullopt;
        switch (e.op) {
        case Op::Add: return in_type(sum(*a, *b, 1), e.type);
        case Op::Subtract: return in_type(sum(*a, *b, -1), e.type);
        case Op::Multiply:
            if (b->terms.empty())
                return in_type(scaled(*a, b->constant), e.type);
            return a->terms.empty() ? in_type(scaled(*b, a->constant), e.type) : std::nullopt;
        case Op::Divide:
        case Op::Modulo:
            if (!b->terms.empty() || b->constant <= 0)
                return std::nullopt;
            if (e.op == Op::Divide)
                return forms_.division(*a, b->constant);
            return exact(e.args[0]) ? forms_.remainder(*a, b->constant) : std::nullopt;
        case Op::ShiftLeft:
        case Op::ShiftRight:
            if (!b->terms.empty() || !exact(e.args[0]) || !exact(e.args[1]))
                return std::nullopt;
            return in_type(
                forms_.shifted(*a, e.op == Op::ShiftLeft ? b->constant : -b->constant, e.type),
                e.type);
        case Op::BitAnd:
        case Op::BitOr:
        case Op::BitXor:
            if (!exact(e.args[0]) || !exact(e.args[1]))
                return std::nullopt;
            return forms_.bitwise(e.op, {*a, range_of(e.args[0], any_variables_)},
                                  {*b, range_of(e.args[1], any_variables_)});
        default: return std::nullopt;
        }
    }

    const std::vector<Axis>& axes_;
    Forms forms_;
    RangeOf free_, variables_, any_variables_;
    std::unordered_map<const Expr*, std::optional<Affine>> memo_;
    struct Bound {
        std::optional<Affine> form;
        bool exact = false;
        std::optional<Interval> range, any_range;
    };
    std::unordered_map<std::string, Bound> lets_;
    // value < limit wherever accesses are made
    std::vector<std::pair<ExprPtr, std::int64_t>> below_;
};

} // namespace

std::int64_t Affine::coefficient(int variable) const {
    for (const auto& [v, c] : terms)
        if (v == variable)
            return c;
    return 0;
}

bool Access::affine() const {
    return std::all_of(indices.begin(), indices.end(),
                       [](const auto& index) { return index.has_value(); });
}

std::optional<Affine> affine_of(const ExprPtr& index, const std::vector<Axis>& axes,
                                std::vector<Division>& divisions) {
    return Reader(axes, divisions, {}).read_whole(index);
}

Accesses own_accesses(const Stage& stage, const Definition& update, const RangeOf& free) {
    Accesses out;
    for (const auto& name : update.free)
        out.axes.push_back({name, 0, 0, true});
    for (const auto& axis : update.axes)
        out.axes.push_back({axis.name, axis.begin.hint(), axis.end.hint(), false});
    Reader reader(out.axes, out.divisions, free);
    // A condition that reads the stage does so in every iteration, whatever it says.
    bool reads_in_condition = false;
    if (update.condition)
        visit(update.condition, [&](const Expr& e) {
            reads_in_condition |= e.kind == ExprKind::Load && e.name == stage.name;
            return !reads_in_condition;
        });
    if (!reads_in_condition)
        reader.assume(update.condition);

    // Lets first: a load inside a let's body may use names that the let binds around it.
    std::vector<ExprPtr> roots = update.values;
    roots.insert(roots.end(), update.left.begin(), update.left.end());
    roots.push_back(update.condition);
    for (const auto& root : roots)
        if (root)
            visit(root, [&](const Expr& e) {
                if (e.kind == ExprKind::Let)
                    reader.bind(e);
                return true;
            });

    auto add = [&](bool write, const std::vector<ExprPtr>& indices) {
        Access access;
        access.write = write;
        for (const auto& index : indices) {
            access.indices.push_back(reader.read_whole(index));
            access.text += (access.text.empty() ? stage.name + "[" : ", ") + to_text(index);
        }
        access.text += indices.empty() ? stage.name : "]";
        if (std::none_of(out.list.begin(), out.list.end(), [&](const Access& other) {
                return other.write == write && other.text == access.text;
            }))
            out.list.push_back(std::move(access));
    };
    add(true, update.left);
    for (const auto& root : roots)
        if (root)
            visit(root, [&](const Expr& e) {
                if (e.kind == ExprKind::Load && e.name == stage.name)
                    add(false, e.args);
                return true;
            });
    if (!reads_in_condition)
        reader.add_condition(update.condition, out.conditions);
    return out;
}

} // namespace loopscope::polyhedral
