#include "compiler/worker/tolerance.h"

#include "compiler/worker/float_values.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

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

bool is_comparison(const Expr& e) {
    return e.kind == ExprKind::Binary && e.op >= Op::Less && e.op <= Op::NotEqual;
}

} // namespace

double Tolerance::Sum::error() const { return terms * unit_roundoff(type); }

Tolerance::Tolerance(const Pipeline& pipeline, const Marks& marks, std::optional<double> given)
    : given_(given) {
    approximates_ = !marks.approximated.empty();
    for (const auto& stage : pipeline.stages)
        if (!stage.is_input)
            examine(stage, marks);
    for (const auto& output : pipeline.outputs) {
        const auto& stage = *pipeline.find(output.stage);
        const auto& influence = influences_.at(stage.name);
        for (std::size_t c = 0; c < stage.types.size(); ++c) {
            auto array =
                stage.types.size() == 1 ? stage.name : stage.name + "." + std::to_string(c);
            outputs_[array] = influence;
            // What a comparison decides is whole; floats that hang on one are still held to the bound.
            outputs_[array].decided = influence.decided && !is_float(stage.types[c]);
        }
        if (influence.any && influence.sum.error() > worst_.error())
            worst_ = influence.sum;
    }
}

void Tolerance::examine(const Stage& stage, const Marks& marks) {
    Influence own;
    for (std::size_t d = 0; d < stage.definitions.size(); ++d) {
        const auto& definition = stage.definitions[d];
        inherit(own, definition);
        std::pair<std::string, int> place{stage.name, static_cast<int>(d)};
        if (marks.reassociated.count(place)) {
            own.any = true;
            Sum sum{terms_of(definition), coarsest(stage)};
            if (sum.error() > own.sum.error())
                own.sum = sum;
        }
        own.any = own.any || marks.approximated.count(place);
    }
    // Once anything before is off by a rounding, each rounding of its own may fall on the other side.
    if (own.any)
        for (const auto& definition : stage.definitions)
            own.rounding = std::max(own.rounding, coarsest_rounding(definition));
    influences_[stage.name] = own;
}

void Tolerance::inherit(Influence& own, const Definition& definition) const {
    auto follow = [&](const ExprPtr& root, bool decides) {
        visit(root, [&](const Expr& e) {
            auto found = e.kind == ExprKind::Load ? influences_.find(e.name) : influences_.end();
            if (found == influences_.end() || !found->second.any)
                return true;
            own.any = true;
            own.decided = own.decided || decides || found->second.decided;
            own.rounding = std::max(own.rounding, found->second.rounding);
            if (found->second.sum.error() > own.sum.error())
                own.sum = found->second.sum;
            return true;
        });
    };
    bool chooses = definition.kind == DefinitionKind::Reduction && is_arg(definition.reduction);
    for (const auto& value : definition.values)
        follow(value, chooses);
    for (const auto& index : definition.left)
        follow(index, true);
    if (definition.condition)
        follow(definition.condition, true);
    // Inside of an expression: a comparison, what a select asks, where a load goes.
    for (const auto& value : definition.values)
        visit(value, [&](const Expr& e) {
            if (is_comparison(e) || e.kind == ExprKind::Load ||
                (e.kind == ExprKind::Cast && is_bool(e.type)))
                for (const auto& arg : e.args)
                    follow(arg, true);
            return true;
        });
}

const Tolerance::Influence& Tolerance::of(const std::string& array) const {
    static const Influence none;
    auto found = outputs_.find(array);
    return found == outputs_.end() ? none : found->second;
}

Tolerance::Rule Tolerance::rule(const std::string& array) const {
    const auto& influence = of(array);
    return !influence.any ? Rule::Bits : influence.decided ? Rule::NotCompared : Rule::Bound;
}

void Tolerance::add_change(const std::string& output, const Buffer& reference,
                           const Buffer& moved) {
    double greatest = 0;
    for (std::int64_t i = 0; i < reference.count(); ++i) {
        double change = std::fabs(element_value(moved, i) - element_value(reference, i));
        if (std::isfinite(change))
            greatest = std::max(greatest, change);
    }
    auto& known = changes_[output];
    known = std::max(known, greatest);
}

double Tolerance::allowed(const std::string& array, const Buffer& reference) const {
    if (given_)
        return *given_;
    const auto& influence = of(array);
    if (!influence.any)
        return 0;
    const double u = influence.sum.terms > 0 ? unit_roundoff(influence.sum.type) : 0;
    double rounding = influence.rounding;
    if (is_float(reference.type))
        rounding = std::max(rounding, unit_roundoff(reference.type));
    double factor = 4 * influence.sum.error() + (rounding > u ? 4 * rounding : 0);
    auto change = changes_.find(array);
    return factor * greatest_magnitude(reference) +
           (change == changes_.end() ? 0 : 4 * change->second) + (is_float(reference.type) ? 0 : 1);
}

std::string Tolerance::text() const {
    char text[160];
    if (given_) {
        std::snprintf(text, sizeof text, "the tolerance %g", *given_);
        return text;
    }
    std::string sum;
    if (worst_.terms > 0) {
        std::snprintf(text, sizeof text, "4 n u max|ref| (n = %.0f, u = 2^-%d of %s)", worst_.terms,
                      significand_bits(worst_.type), name(worst_.type));
        sum = text;
    }
    if (!approximates_)
        return sum.empty() ? "4 u max|ref|" : sum;
    double greatest = 0;
    for (const auto& [array, change] : changes_)
        greatest = std::max(greatest, change);
    std::snprintf(text, sizeof text,
                  "%s + 4 a (a = %.3g at most: what the approximations' declared errors change)",
                  sum.empty() ? "4 u max|ref|" : sum.c_str(), greatest);
    return text;
}

Excess beyond(const Buffer& actual, const Buffer& reference, double allowed) {
    Excess excess;
    const bool floats = is_float(reference.type);
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

} // namespace loopscope::worker
