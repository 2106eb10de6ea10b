#include "compiler/worker/tolerance.h"

#include "compiler/worker/float_values.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace loopscope::worker {

namespace {

// Terms that one element combines: of an update, its value before is one more. Its free variables reach other elements.
double terms_of(const Definition& definition) {
    double terms = 1;
    for (const auto& axis : definition.axes)
        terms *= static_cast<double>(axis.extent().hint());
    return definition.kind == DefinitionKind::Update ? terms + 1 : terms;
}

// The coarsest float type of a tuple's parts.
ScalarType coarsest(const Stage& stage) {
    auto worst = ScalarType::F64;
    for (auto type : stage.types)
        if (is_float(type) && unit_roundoff(type) > unit_roundoff(worst))
            worst = type;
    return worst;
}

double coarsest_rounding(const Definition& definition) {
    double greatest = 0;
    for (const auto& e : expressions_of(definition))
        visit(e, [&](const Expr& node) {
            if (is_float(node.type) && node.kind != ExprKind::Load)
                greatest = std::max(greatest, unit_roundoff(node.type));
            return true;
        });
    return greatest;
}

} // namespace

double reordering_error(const Stage& stage, const Definition& definition) {
    return terms_of(definition) * unit_roundoff(coarsest(stage));
}

double Tolerance::Sum::error() const { return terms * unit_roundoff(type); }

Tolerance::Tolerance(const Pipeline& pipeline, const Marks& marks, std::optional<double> given)
    : given_(given) {
    approximates_ = !marks.approximated.empty();
    for (const auto& stage : pipeline.stages)
        if (!stage.is_input)
            examine(stage, marks);
    for (const auto& output : pipeline.outputs) {
        const auto& stage = *pipeline.find(output.stage);
        for (std::size_t c = 0; c < stage.types.size(); ++c) {
            auto array =
                stage.types.size() == 1 ? stage.name : stage.name + "." + std::to_string(c);
            outputs_[array] = bound_of(influences_.at(stage.name), stage.types[c]);
        }
    }
}

Tolerance::Bound Tolerance::bound_of(const Influence& influence, ScalarType type) {
    Bound bound;
    if (!influence.any)
        return bound;
    // What a comparison decides is whole; floats that hang on one are still held to the bound.
    bool held = influence.decided == Decides::Nothing ||
                (influence.decided == Decides::Choice && is_float(type));
    bound.rule = held ? Rule::Bound : Rule::NotCompared;
    bound.sum = influence.sum;
    bound.follows = influence.follows;
    double rounding = influence.rounding;
    if (is_float(type))
        rounding = std::max(rounding, unit_roundoff(type));
    const double u = influence.sum.terms > 0 ? unit_roundoff(influence.sum.type) : 0;
    bound.rounding = rounding > u ? rounding : 0;
    bound.whole = is_float(type) ? 0 : 1;
    return bound;
}

void Tolerance::examine(const Stage& stage, const Marks& marks) {
    Influence own;
    for (std::size_t d = 0; d < stage.definitions.size(); ++d) {
        const auto& definition = stage.definitions[d];
        const std::pair<std::string, int> place{stage.name, static_cast<int>(d)};
        const bool approximated = marks.approximated.count(place) != 0;
        own.follows = own.follows || own.sum.terms > 0; // it changes what an earlier one left
        own.any = own.any || approximated;
        if (marks.reassociated.count(place)) {
            own.any = true;
            Sum sum{terms_of(definition), coarsest(stage)};
            if (sum.error() > own.sum.error())
                own.sum = sum;
        }
        influences_[stage.name] = own; // updates read what was before them
        inherit(own, definition, approximated);
    }
    // Once anything before is off by a rounding, each rounding of its own may fall on the other side.
    if (own.any)
        for (const auto& definition : stage.definitions)
            own.rounding = std::max(own.rounding, coarsest_rounding(definition));
    influences_[stage.name] = own;
}

void Tolerance::inherit(Influence& own, const Definition& definition, bool approximated) const {
    visit_decisions(definition, [&](const Expr& e, Decides decides) {
        if (approximated && e.kind == ExprKind::Call)
            own.decided = std::max(own.decided, decides);
        auto found = e.kind == ExprKind::Load ? influences_.find(e.name) : influences_.end();
        if (found == influences_.end() || !found->second.any)
            return;
        own.any = true;
        own.follows = own.follows || found->second.sum.terms > 0;
        own.decided = std::max({own.decided, decides, found->second.decided});
        own.rounding = std::max(own.rounding, found->second.rounding);
        if (found->second.sum.error() > own.sum.error())
            own.sum = found->second.sum;
    });
}

Tolerance::Rule Tolerance::rule(const std::string& array) const {
    auto found = outputs_.find(array);
    return found == outputs_.end() ? Rule::Bits : found->second.rule;
}

bool Tolerance::follows() const {
    return std::any_of(outputs_.begin(), outputs_.end(), [](const auto& output) {
        return output.second.rule == Rule::Bound && output.second.follows;
    });
}

void Tolerance::add_change(const std::string& output, const Buffer& reference,
                           const Buffer& moved) {
    double greatest = 0;
    for (std::int64_t i = 0; i < reference.count(); ++i) {
        const double now = element_value(moved, i), before = element_value(reference, i);
        const double change = std::fabs(now - before);
        if (std::isnan(now) != std::isnan(before))
            greatest = std::numeric_limits<double>::infinity();
        else if (std::isfinite(change)) // of what overflows: `beyond`
            greatest = std::max(greatest, change);
    }
    auto& known = changes_[output];
    known = std::max(known, greatest);
}

double Tolerance::allowed(const std::string& array, const Buffer& reference) const {
    if (given_)
        return *given_;
    auto found = outputs_.find(array);
    if (found == outputs_.end() || found->second.rule == Rule::Bits)
        return 0;
    const auto& bound = found->second;
    auto change = changes_.find(array);
    return 4 * (bound.sum.error() + bound.rounding) * greatest_magnitude(reference) +
           (change == changes_.end() ? 0 : 4 * change->second) + bound.whole;
}

std::string Tolerance::text() const {
    char text[160];
    if (given_) {
        std::snprintf(text, sizeof text, "the tolerance %g", *given_);
        return text;
    }
    Bound worst;
    for (const auto& [array, bound] : outputs_) {
        if (bound.sum.error() > worst.sum.error())
            worst.sum = bound.sum;
        worst.rounding = std::max(worst.rounding, bound.rounding);
        if (bound.rule == Rule::Bound)
            worst.whole = std::max(worst.whole, bound.whole);
    }
    double change = 0;
    for (const auto& [array, greatest] : changes_)
        change = std::max(change, greatest);
    std::string all;
    auto add = [&](const char* format, auto... values) {
        std::snprintf(text, sizeof text, format, values...);
        all += (all.empty() ? "" : " + ") + std::string(text);
    };
    if (worst.sum.terms > 0)
        add("4 n u max|ref| (n = %.0f, u = 2^-%d of %s)", worst.sum.terms,
            significand_bits(worst.sum.type), name(worst.sum.type));
    if (worst.rounding > 0)
        add("4 v max|ref| (v = 2^%d)", std::ilogb(worst.rounding));
    if (approximates_ || !changes_.empty()) {
        const char* errors = !follows() ? "approximations' declared errors"
                             : approximates_
                                 ? "approximations' declared errors and the sums' bounds"
                                 : "sums' bounds";
        add("4 a (a = %.3g at most: what the %s change)", change, errors);
    }
    if (worst.whole > 0)
        all += std::string(all.empty() ? "" : " + ") + "1 for whole numbers";
    return all.empty() ? "0: no output depends on it" : all;
}

Excess beyond(const Buffer& actual, const Buffer& reference, double allowed) {
    Excess excess;
    const bool floats = is_float(reference.type);
    if (std::isinf(allowed))
        return excess;
    const double end = floats ? overflow_threshold(reference.type) : 0;
    for (std::int64_t i = 0; i < reference.count(); ++i) {
        double a = element_value(actual, i), b = element_value(reference, i);
        bool same = a == b || (std::isnan(a) && std::isnan(b));
        if (!same && std::isinf(a) != std::isinf(b) && std::isfinite(end)) {
            a = std::isinf(a) ? std::copysign(end, a) : a;
            b = std::isinf(b) ? std::copysign(end, b) : b;
        }
        if (same || std::fabs(a - b) <= allowed)
            continue;
        if (excess.elements++ == 0)
            excess.first = i;
    }
    return excess;
}

bool excludes_nothing(double allowed, const Buffer& reference) {
    const double greatest = greatest_magnitude(reference);
    return greatest > 0 && allowed >= greatest;
}

} // namespace loopscope::worker
