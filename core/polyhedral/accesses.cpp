#include "core/polyhedral/accesses.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

namespace loopscope::polyhedral {

namespace {

constexpr std::int64_t kLimit = std::int64_t{1}
                                << 40; // coefficients beyond this are not worth a proof

bool too_large_to_prove(std::int64_t value) { return value > kLimit || value < -kLimit; }

class Reader {
public:
    Reader(const std::vector<Axis>& axes, std::vector<Division>& divisions, RangeOf free)
        : axes_(axes), divisions_(divisions), free_(std::move(free)) {
        variables_ = [this](const std::string& name) { return variable_range(name); };
    }

    // The form of an index, or of a side of a condition. nullopt too where some part of it may wrap: the front end has
    // refused no index that wraps below a `%`, nor a condition.
    std::optional<Affine> read_whole(const ExprPtr& e) {
        auto form = read(e);
        return form && exact(e) ? form : std::nullopt;
    }

    // What a condition bounds from above: rfactor writes min(e, N - 1) beside the condition e < N, and e is meant.
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
        lets_.insert_or_assign(let.name, read(let.args[0]));
        let_ranges_.insert_or_assign(let.name, range_of(let.args[0], variables_));
    }

    // Adds what can be said of a condition: of a conjunction each side that is a comparison of affine forms.
    void add_condition(const ExprPtr& e, std::vector<Affine>& out) {
        if (!e || e->kind != ExprKind::Binary)
            return;
        if (e->op == Op::LogicalAnd) {
            add_condition(e->args[0], out);
            add_condition(e->args[1], out);
            return;
        }
        bool comparison = e->op >= Op::Less && e->op <= Op::Equal;
        if (!comparison || !is_signed(e->args[0]->type))
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
        if (form && (too_large_to_prove(form->constant) ||
                     std::any_of(form->terms.begin(), form->terms.end(),
                                 [](const auto& t) { return too_large_to_prove(t.second); })))
            form.reset();
        memo_.emplace(e.get(), form);
        return form;
    }

    // Does the arithmetic of the expression stay within its types? What is below a `%` is asked about there, for the
    // remainder of what wrapped has a range too.
    bool exact(const ExprPtr& e) {
        return e->kind == ExprKind::Variable || range_of(e, variables_).has_value();
    }

    std::optional<Interval> variable_range(const std::string& name) {
        if (auto let = let_ranges_.find(name); let != let_ranges_.end())
            return let->second;
        for (const auto& axis : axes_)
            if (axis.name == name)
                return axis.free ? (free_ ? free_(name) : std::nullopt)
                                 : std::optional(Interval{axis.begin, axis.end - 1});
        return std::nullopt;
    }

    static Affine sum(const Affine& a, const Affine& b, std::int64_t factor,
                      std::int64_t constant = 0) {
        Affine out;
        out.constant = a.constant + factor * b.constant + constant;
        auto i = a.terms.begin();
        auto j = b.terms.begin();
        while (i != a.terms.end() || j != b.terms.end()) {
            if (j == b.terms.end() || (i != a.terms.end() && i->first < j->first)) {
                out.terms.push_back(*i++);
            } else if (i == a.terms.end() || j->first < i->first) {
                out.terms.emplace_back(j->first, factor * j->second);
                ++j;
            } else {
                if (auto c = i->second + factor * j->second)
                    out.terms.emplace_back(i->first, c);
                ++i, ++j;
            }
        }
        return out;
    }

    static std::optional<Affine> scaled(const Affine& a, std::int64_t factor) {
        auto bound = kLimit / std::max<std::int64_t>(
                                  1, std::abs(factor)); // so that no product leaves 64 bits
        auto fits = [&](std::int64_t c) { return std::abs(c) <= bound; };
        if (too_large_to_prove(factor) || !fits(a.constant) ||
            !std::all_of(a.terms.begin(), a.terms.end(),
                         [&](const auto& t) { return fits(t.second); }))
            return std::nullopt;
        return factor == 0 ? Affine{} : sum(Affine{}, a, factor);
    }

    std::optional<Affine> compute(const ExprPtr& e) {
        // Unsigned and narrow arithmetic is wrapped on purpose, mostly: not worth a proof.
        if (e->type != ScalarType::I32 && e->type != ScalarType::I64)
            return std::nullopt;
        switch (e->kind) {
        case ExprKind::Constant: {
            std::int64_t value = 0;
            return constant_value(e, value) ? std::optional<Affine>(Affine{value, {}})
                                            : std::nullopt;
        }
        case ExprKind::Variable: return variable(e->name);
        case ExprKind::Cast: return exact(e) ? read(e->args[0]) : std::nullopt;
        case ExprKind::Let: bind(*e); return read(e->args[1]);
        case ExprKind::Unary: {
            auto a = e->op == Op::Negate ? read(e->args[0]) : std::nullopt;
            return a ? scaled(*a, -1) : std::nullopt;
        }
        case ExprKind::Binary: return binary(*e);
        default: return std::nullopt;
        }
    }

    std::optional<Affine> variable(const std::string& name) {
        if (auto let = lets_.find(name); let != lets_.end())
            return let->second;
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

    std::optional<Affine> binary(const Expr& e) {
        if (e.op == Op::Min)
            return minimum(e);
        auto a = read(e.args[0]), b = read(e.args[1]);
        if (!a || !b)
            return std::nullopt;
        switch (e.op) {
        case Op::Add: return sum(*a, *b, 1);
        case Op::Subtract: return sum(*a, *b, -1);
        case Op::Multiply:
            if (b->terms.empty())
                return scaled(*a, b->constant);
            return a->terms.empty() ? scaled(*b, a->constant) : std::nullopt;
        case Op::Divide:
        case Op::Modulo: {
            if (!b->terms.empty() || b->constant <= 0)
                return std::nullopt;
            if (e.op == Op::Modulo && !exact(e.args[0]))
                return std::nullopt;
            auto quotient = division(*a, b->constant);
            if (e.op == Op::Divide)
                return quotient;
            auto whole = scaled(quotient, b->constant);
            return whole ? std::optional<Affine>(sum(*a, *whole, -1)) : std::nullopt;
        }
        default: return std::nullopt;
        }
    }

    Affine division(const Affine& numerator, std::int64_t divisor) {
        if (divisor == 1)
            return numerator;
        Division wanted{numerator, divisor};
        auto found = std::find(divisions_.begin(), divisions_.end(), wanted);
        auto index = static_cast<int>(axes_.size()) + static_cast<int>(found - divisions_.begin());
        if (found == divisions_.end())
            divisions_.push_back(std::move(wanted));
        return Affine{0, {{index, 1}}};
    }

    const std::vector<Axis>& axes_;
    std::vector<Division>& divisions_;
    RangeOf free_, variables_;
    std::unordered_map<std::string, std::optional<Interval>> let_ranges_;
    std::unordered_map<const Expr*, std::optional<Affine>> memo_;
    std::unordered_map<std::string, std::optional<Affine>> lets_;
    std::vector<std::pair<ExprPtr, std::int64_t>>
        below_; // value < limit wherever accesses are made
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
