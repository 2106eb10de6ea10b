#include "compiler/lower/size_limit.h"

#include <algorithm>

namespace loopscope::lower {

namespace {

constexpr std::int64_t kSaturated = std::int64_t{1} << 62;

std::int64_t times(std::int64_t a, std::int64_t b) {
    return a != 0 && b > kSaturated / a ? kSaturated : a * b;
}

std::int64_t statements(const Statement& s) {
    std::int64_t sum = 1;
    for (const auto& child : s.children)
        if (child)
            sum = std::min(kSaturated, sum + statements(*child));
    std::int64_t extent = 1;
    if (s.kind == StatementKind::For && s.for_kind == ForKind::Unrolled)
        constant_value(s.extent, extent);
    return times(std::max<std::int64_t>(extent, 1), sum);
}

void unrolled_loops(const Statement& s, std::string& names) {
    if (s.kind == StatementKind::For && s.for_kind == ForKind::Unrolled && names.size() < 200)
        names += (names.empty() ? "" : ", ") + s.origin.text() + " (" + to_text(s.extent) + ")";
    for (const auto& child : s.children)
        if (child)
            unrolled_loops(*child, names);
}

} // namespace

std::int64_t unrolled_statements(const Program& program) {
    std::int64_t sum = 0;
    for (const auto& launch : program.launches)
        sum = std::min(kSaturated, sum + statements(*launch.body));
    return sum;
}

Status check_size(const Program& program) {
    auto count = unrolled_statements(program);
    if (count <= kMostStatements)
        return success();
    std::string names;
    for (const auto& launch : program.launches)
        unrolled_loops(*launch.body, names);
    auto problem =
        error("unrolling would make " + std::to_string(count) + " statements, more than " +
                  std::to_string(kMostStatements) + ": " + names,
              "unroll fewer or shorter loops");
    problem.code = kCodeProgramTooLarge;
    return problem;
}

} // namespace loopscope::lower
