#include "core/polyhedral/footprints.h"

namespace loopscope::polyhedral {

namespace {

std::string form(const Affine& affine, std::size_t axes) {
    std::string text;
    for (const auto& [variable, coefficient] : affine.terms) {
        auto v = static_cast<std::size_t>(variable);
        text += std::to_string(coefficient) + "*" +
                (v < axes ? "x" + std::to_string(v) : "q" + std::to_string(v - axes)) + " + ";
    }
    return "(" + text + std::to_string(affine.constant) + ")";
}

// The image of the domain under the access, as isl text.
std::string image(const Accesses& accesses, const Access& access,
                  const std::vector<Interval>& ranges) {
    auto axes = accesses.axes.size();
    std::string variables, constraints = "0 = 0", tuple;
    auto exists = [&](const std::string& name) {
        variables += (variables.empty() ? "" : ", ") + name;
    };
    for (std::size_t i = 0; i < axes; ++i) {
        auto name = "x" + std::to_string(i);
        exists(name);
        constraints += " and " + std::to_string(ranges[i].least) + " <= " + name +
                       " <= " + std::to_string(ranges[i].greatest);
    }
    for (std::size_t q = 0; q < accesses.divisions.size(); ++q) {
        const auto& division = accesses.divisions[q];
        auto quotient = std::to_string(division.divisor) + "*q" + std::to_string(q);
        exists("q" + std::to_string(q));
        constraints += " and " + quotient + " <= " + form(division.numerator, axes) + " and " +
                       form(division.numerator, axes) + " < " + quotient + " + " +
                       std::to_string(division.divisor);
    }
    for (const auto& condition : accesses.conditions)
        constraints += " and " + form(condition, axes) + " >= 0";
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
        auto name = "e" + std::to_string(d);
        tuple += (d == 0 ? "" : ", ") + name;
        constraints += " and " + name + " = " + form(*access.indices[d], axes);
    }
    return "{ [" + tuple + "] : " +
           (variables.empty() ? constraints : "exists (" + variables + " : " + constraints + ")") +
           " }";
}

} // namespace

std::optional<Footprint> footprint(const Accesses& accesses, const Access& access,
                                   const std::vector<Interval>& ranges, std::int64_t count_limit,
                                   unsigned long quota) {
    if (!access.affine())
        return std::nullopt;
    auto text = image(accesses, access, ranges);
    auto box = bounding_box(text, access.indices.size(), quota);
    if (!box)
        return std::nullopt;
    return Footprint{*box, count_points(text, count_limit, quota)};
}

} // namespace loopscope::polyhedral
