#include "compiler/lower/thread_elements.h"

#include "compiler/lower/statements.h"

#include <algorithm>
#include <functional>
#include <set>

namespace loopscope::lower {

namespace {

constexpr std::int64_t kMostElements = 1 << 13;

using Values = std::map<std::string, std::int64_t>;

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
    return b == 0 ? 0 : a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

bool fits(std::int64_t value, ScalarType type) {
    if (bits(type) == 64)
        return is_signed(type) || value >= 0;
    const auto half = std::int64_t{1} << (bits(type) - 1);
    return is_signed(type) ? -half <= value && value < half : 0 <= value && value < 2 * half;
}

std::optional<std::int64_t> exact_value(const Expr& e, const Values& values);

// Nothing: no such arithmetic, or it wraps, as a program's own index may.
std::optional<std::int64_t> value_of(const Expr& e, const Values& values) {
    const auto value = exact_value(e, values);
    return value && fits(*value, e.type) ? value : std::nullopt;
}

std::optional<std::int64_t> exact_value(const Expr& e, const Values& values) {
    std::int64_t out = 0;
    switch (e.kind) {
    case ExprKind::Constant:
        return is_integer(e.type) ? std::optional(static_cast<std::int64_t>(e.bits)) : std::nullopt;
    case ExprKind::Variable: {
        auto found = values.find(e.name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    }
    case ExprKind::Cast:
        return is_integer(e.type) && is_integer(e.args[0]->type) ? value_of(*e.args[0], values)
                                                                 : std::nullopt;
    case ExprKind::Binary: break;
    default: return std::nullopt;
    }
    const auto a = value_of(*e.args[0], values), b = value_of(*e.args[1], values);
    if (!a || !b)
        return std::nullopt;
    switch (e.op) {
    case Op::Add: return __builtin_add_overflow(*a, *b, &out) ? std::nullopt : std::optional(out);
    case Op::Subtract:
        return __builtin_sub_overflow(*a, *b, &out) ? std::nullopt : std::optional(out);
    case Op::Multiply:
        return __builtin_mul_overflow(*a, *b, &out) ? std::nullopt : std::optional(out);
    case Op::Divide: return floor_divide(*a, *b);
    case Op::Modulo: return *b == 0 ? 0 : *a - *b * floor_divide(*a, *b);
    case Op::Min: return std::min(*a, *b);
    case Op::Max: return std::max(*a, *b);
    default: return std::nullopt;
    }
}

// What lowering makes of indices, which does not wrap.
bool is_index(ScalarType type) { return type == ScalarType::I32 || type == ScalarType::I64; }

// The parts of a sum, each with its factor.
struct Term {
    ExprPtr e;
    std::int64_t factor = 1;
};

void terms_of(const ExprPtr& e, std::int64_t factor, std::vector<Term>& out) {
    std::int64_t by = 0;
    if (!is_index(e->type)) {
        out.push_back({e, factor});
        return;
    }
    if (e->kind == ExprKind::Cast && is_index(e->args[0]->type) &&
        bytes(e->type) >= bytes(e->args[0]->type))
        return terms_of(e->args[0], factor, out);
    if (e->kind == ExprKind::Binary && (e->op == Op::Add || e->op == Op::Subtract)) {
        terms_of(e->args[0], factor, out);
        return terms_of(e->args[1], e->op == Op::Add ? factor : -factor, out);
    }
    if (e->kind == ExprKind::Binary && e->op == Op::Multiply && constant_value(e->args[1], by) &&
        !__builtin_mul_overflow(factor, by, &by))
        return terms_of(e->args[0], by, out);
    out.push_back({e, factor});
}

} // namespace

std::shared_ptr<const ThreadElements> ThreadElements::of(const ThreadAccess& access,
                                                         const std::vector<ExprPtr>& indices,
                                                         std::size_t same,
                                                         const LaunchShape& shape) {
    // What each execution has for itself: its thread, iterations of loops further in, and a vector's lane.
    std::vector<std::pair<std::string, std::int64_t>> own;
    std::set<std::string> names;
    for (const auto& dimension : shape.block)
        if (!dimension.variable.empty())
            own.emplace_back(dimension.variable, dimension.extent);
    const auto threads = own.size();
    std::set<std::string> used;
    for (const auto& index : indices)
        visit(index, [&](const Expr& x) {
            if (x.kind == ExprKind::Variable)
                used.insert(x.name);
            return true;
        });
    for (std::size_t l = same; l < access.loops.size(); ++l) {
        const auto& loop = access.loops[l];
        std::int64_t begin = 0, extent = 0;
        if (!used.count(loop.name))
            continue;
        if (!constant_value(loop.begin, begin) || begin != 0 ||
            !constant_value(loop.extent, extent))
            return nullptr;
        own.emplace_back(loop.name, extent);
    }
    int lanes = 1;
    for (const auto& index : indices)
        lanes = std::max<int>(lanes, index->lanes);
    static const std::string kLane = "$lane";
    if (lanes > 1)
        own.emplace_back(kLane, lanes);
    std::int64_t count = 1;
    for (const auto& [name, extent] : own) {
        names.insert(name);
        if (extent < 1 || extent > kMostElements / count)
            return nullptr;
        count *= extent;
    }

    // Of each index the parts that such variables decide; others are the same on both sides.
    std::vector<std::vector<Term>> parts;
    for (const auto& index : indices) {
        auto base = index;
        std::vector<Term> terms;
        if (base->kind == ExprKind::Broadcast)
            base = base->args[0];
        if (base->kind == ExprKind::Ramp) {
            std::int64_t stride = 0;
            if (!constant_value(base->args[1], stride))
                return nullptr;
            terms.push_back({variable(kLane), stride});
            base = base->args[0];
        }
        if (base->lanes > 1)
            return nullptr;
        terms_of(base, 1, terms);
        auto& of_index = parts.emplace_back();
        for (auto& term : terms) {
            bool mine = false, others = false;
            visit(term.e, [&](const Expr& x) {
                if (x.kind == ExprKind::Variable)
                    (names.count(x.name) ? mine : others) = true;
                others = others || x.kind == ExprKind::Load || x.kind == ExprKind::MaskedLoad;
                return true;
            });
            if (mine && others)
                return nullptr;
            if (others && contains_load(term.e))
                return nullptr;
            if (mine)
                of_index.push_back(std::move(term));
        }
    }

    auto out = std::make_shared<ThreadElements>();
    Values values;
    for (std::int64_t n = 0; n < count; ++n) {
        auto rest = n;
        Element element;
        std::int64_t stride = 1;
        for (std::size_t v = 0; v < own.size(); ++v, rest /= own[v - 1].second) {
            const auto value = rest % own[v].second;
            values[own[v].first] = value;
            if (v < threads) {
                element.thread += value * stride;
                stride *= own[v].second;
            }
        }
        for (const auto& terms : parts) {
            std::int64_t at = 0;
            for (const auto& term : terms) {
                const auto value = value_of(*term.e, values);
                std::int64_t part = 0;
                if (!value || __builtin_mul_overflow(*value, term.factor, &part) ||
                    !fits(part, ScalarType::I32))
                    return nullptr;
                at += part;
            }
            element.at.push_back(at);
        }
        auto [known, first] = out->threads_.emplace(key(element.at), element.thread);
        if (!first && known->second != element.thread)
            known->second = -1;
        out->elements_.push_back(std::move(element));
    }
    return out;
}

std::string ThreadElements::key(const std::vector<std::int64_t>& at) {
    return std::string(reinterpret_cast<const char*>(at.data()), at.size() * sizeof(at[0]));
}

bool ThreadElements::meet(const std::vector<std::int64_t>& moved) const {
    auto [known, first] = answers_.try_emplace(moved, false);
    if (!first)
        return known->second;
    known->second = std::any_of(elements_.begin(), elements_.end(), [&](const Element& element) {
        auto at = element.at;
        for (std::size_t d = 0; d < at.size(); ++d)
            at[d] += moved[d];
        auto found = threads_.find(key(at));
        return found != threads_.end() && found->second != element.thread;
    });
    return known->second;
}

std::optional<bool> ConflictAnswers::of_one_form(const ThreadAccess& first,
                                                 const ThreadAccess& second, const Meeting& meeting,
                                                 const LaunchShape& shape) {
    if (first.indices.empty() || first.indices.size() != second.indices.size() ||
        first.loops.size() != second.loops.size())
        return std::nullopt;
    for (std::size_t l = 0; l < first.loops.size(); ++l)
        if (first.loops[l].name != second.loops[l].name)
            return std::nullopt;
    std::vector<ExprPtr> form;
    std::vector<std::int64_t> moved;
    std::string key = std::to_string(meeting.same);
    for (std::size_t d = 0; d < first.indices.size(); ++d) {
        auto [a, from] = without_constant(first.indices[d]);
        auto [b, to] = without_constant(second.indices[d]);
        if (a->hash != b->hash || !equal(a, b))
            return std::nullopt;
        key += " " + loopscope::to_text(a);
        form.push_back(a);
        moved.push_back(from - to);
    }
    auto known = forms.find(key);
    if (known == forms.end())
        known = forms.emplace(key, ThreadElements::of(first, form, meeting.same, shape)).first;
    if (!known->second)
        return std::nullopt;
    return known->second->meet(moved);
}

} // namespace loopscope::lower
