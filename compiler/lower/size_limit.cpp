#include "compiler/lower/size_limit.h"

#include "compiler/lower/gpu/instructions.h"

#include <algorithm>
#include <set>

namespace loopscope::lower {

namespace {

constexpr std::int64_t kSaturated = std::int64_t{1} << 62;

std::int64_t times(std::int64_t a, std::int64_t b) {
    return a != 0 && b > kSaturated / a ? kSaturated : a * b;
}

// An instruction that takes and gives so many registers is worth as many statements: register
// allocation looks at each of them beside all others. 32 products of 256 columns in a row take
// seconds, 128 some twenty.
std::int64_t weight(const Statement& s) { return is_product_of_group(s) ? sums_of_lane(s) : 1; }

// So is a copy of a long statement, by its expressions: most have no more than those of one.
constexpr std::int64_t kNodesOfStatement = 64;

std::int64_t length(const Statement& s) {
    std::vector<ExprPtr> all{s.value, s.condition};
    if (s.access) {
        all.insert(all.end(), s.access->indices.begin(), s.access->indices.end());
        all.push_back(s.access->mask);
    }
    return 1 + count_distinct(all) / kNodesOfStatement;
}

bool is_unrolled(const Statement& s) {
    return s.kind == StatementKind::For && s.loop->kind == ForKind::Unrolled;
}

// `copies`: each that an unrolled loop becomes counts. `inside`: of one.
std::int64_t statements(const Statement& s, bool copies, bool inside = false) {
    std::int64_t sum = !copies ? 1 : inside ? std::max(weight(s), length(s)) : weight(s);
    const bool unrolled = copies && is_unrolled(s);
    for (const auto& child : s.children)
        if (child)
            sum = std::min(kSaturated, sum + statements(*child, copies, inside || unrolled));
    std::int64_t extent = 1;
    if (unrolled)
        constant_value(s.loop->extent, extent);
    return times(std::max<std::int64_t>(extent, 1), sum);
}

std::int64_t statements(const Program& program, bool copies) {
    std::int64_t sum = 0;
    for (const auto& launch : program.launches)
        sum = std::min(kSaturated, sum + statements(*launch.body, copies));
    return sum;
}

bool nothing_is_needed(const Region& region) {
    return std::any_of(region.dimensions.begin(), region.dimensions.end(),
                       [](const auto& d) { return d.extent.hint() <= 0; });
}

// What the tree's nodes become at least: guards, blocks and names come on top.
std::int64_t least_statements(const ScheduleTree& tree) {
    std::int64_t count = 0;
    std::set<std::string> empty; // stages of which nothing is needed
    std::vector<const TreeNode*> open{tree.root.get()};
    while (!open.empty()) {
        const TreeNode& node = *open.back();
        open.pop_back();
        if (node.kind == TreeKind::Loop && node.extent.hint() <= 0)
            continue;
        if (node.kind == TreeKind::Storage && nothing_is_needed(node.region))
            empty.insert(node.id.stage);
        if (!empty.count(node.id.stage)) {
            if (node.kind == TreeKind::Loop || node.kind == TreeKind::Compute)
                ++count;
            else if (node.kind == TreeKind::Storage && !node.is_output)
                count += static_cast<std::int64_t>(node.types.size()); // an array each
        }
        for (auto child = node.children.rbegin(); child != node.children.rend(); ++child)
            open.push_back(child->get());
    }
    return count;
}

Diagnostic too_many_statements(const std::string& count) {
    return coded_error(kCodeTooManyStatements,
                       "the program has " + count + " statements, more than " +
                           std::to_string(kMaxStatements),
                       "inline stages, or make several pipelines of it");
}

void unrolled_loops(const Statement& s, std::string& names) {
    if (is_unrolled(s) && names.size() < 200)
        names +=
            (names.empty() ? "" : ", ") + s.origin.text() + " (" + to_text(s.loop->extent) + ")";
    for (const auto& child : s.children)
        if (child)
            unrolled_loops(*child, names);
}

} // namespace

std::int64_t unrolled_statements(const Program& program) { return statements(program, true); }

Status check_size(const ScheduleTree& tree) {
    const auto count = least_statements(tree);
    if (count <= kMaxStatements)
        return success();
    return too_many_statements("at least " + std::to_string(count));
}

Status check_size(const Program& program) {
    auto count = unrolled_statements(program);
    if (count <= kMaxStatements)
        return success();
    if (auto own = statements(program, false); own > kMaxStatements)
        return too_many_statements(std::to_string(own));
    std::string names;
    for (const auto& launch : program.launches)
        unrolled_loops(*launch.body, names);
    return coded_error(kCodeProgramTooLarge,
                       "unrolling would make " + std::to_string(count) + " statements, more than " +
                           std::to_string(kMaxStatements) + ": " + names,
                       "unroll fewer or shorter loops");
}

} // namespace loopscope::lower
