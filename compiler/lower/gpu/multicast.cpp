#include "compiler/lower/gpu/multicast.h"

#include "compiler/lower/statements.h"
#include "core/base/result.h"

#include <algorithm>

namespace loopscope::lower {

namespace {

// Rows that a pattern of swizzled chunks repeats after (core/schedule/gpu/swizzling.h).
constexpr std::int64_t kPatternRows = 8;

bool is_step(const Statement& s) {
    return s.kind == StatementKind::Acquire || s.kind == StatementKind::BulkCopy ||
           s.kind == StatementKind::Commit || s.kind == StatementKind::Wait ||
           s.kind == StatementKind::Release;
}

bool any(const std::array<bool, 3>& dimensions) {
    return dimensions[0] || dimensions[1] || dimensions[2];
}

std::array<bool, 3> united(std::array<bool, 3> a, const std::array<bool, 3>& b) {
    for (std::size_t d = 0; d < 3; ++d)
        a[d] = a[d] || b[d];
    return a;
}

bool is_cluster_barrier(const StatementPtr& s) {
    return s->kind == StatementKind::Barrier && s->level == kClusterLevel;
}

// Does a part begin where the TMA's addresses allow, and at a whole pattern of swizzled rows, which
// are as long as the pattern?
bool begins_aligned(const BoxPart& part, const Statement& copy, ScalarType type) {
    return copy.box->swizzle > 0 ? part.elements / part.box.back() % kPatternRows == 0
                                 : part.elements * bytes(type) % kSharedAlignment == 0;
}

// Does the block around the threads' parts begin and end with a barrier of the cluster?
bool is_enclosed(const StatementPtr& body) {
    bool enclosed = false;
    visit_statements(body, [&](const Statement& s) {
        const bool parts = std::any_of(s.children.begin(), s.children.end(), [](const auto& child) {
            return child->kind == StatementKind::Threads;
        });
        if (parts)
            enclosed =
                is_cluster_barrier(s.children.front()) && is_cluster_barrier(s.children.back());
        return !parts;
    });
    return enclosed;
}

} // namespace

bool shares_copies(const StatementPtr& body) {
    return any_statement(body, [&](const Statement& s) {
        return s.kind == StatementKind::BulkCopy && !s.level.empty();
    });
}

std::array<bool, 3> shared_along(const std::string& level) {
    if (level == kClusterLevel)
        return {true, true, true};
    std::array<bool, 3> out{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        out[axis] = level == std::string("cluster.") + "xyz"[axis];
    return out;
}

std::int64_t sharing_blocks(const LaunchShape& shape, const std::string& level) {
    const auto along = shared_along(level);
    std::int64_t blocks = 1;
    for (std::size_t axis = 0; axis < 3; ++axis)
        blocks *= along[axis] ? shape.cluster[axis].extent : 1;
    return blocks;
}

std::optional<BoxPart> box_part(const Statement& copy, std::int64_t blocks) {
    BoxPart part;
    for (const auto& extent : copy.box->extents)
        part.box.push_back(extent.constant());
    while (part.dimension + 1 < part.box.size() && part.box[part.dimension] == 1)
        ++part.dimension;
    auto& divided = part.box[part.dimension];
    if (divided % blocks != 0)
        return std::nullopt;
    divided /= blocks;
    for (auto along : part.box)
        part.elements *= along;
    return part;
}

SharedCopies::SharedCopies(const LaunchShape& shape) : shape_(shape) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (shape.cluster[axis].extent > 1)
            names_[shape.cluster[axis].variable][axis] = true;
    walk(*shape.body, {});
}

void SharedCopies::walk(const Statement& s, Dimensions around) {
    if (s.kind == StatementKind::Let)
        names_[s.variable] = depends(s.value);
    if (s.kind == StatementKind::For) {
        around = united(around, united(depends(s.loop->begin), depends(s.loop->extent)));
        names_[s.variable] = united(depends(s.loop->begin), depends(s.loop->extent));
    }
    if (s.kind == StatementKind::If)
        around = united(around, depends(s.condition));
    if (s.kind == StatementKind::Allocate)
        types_[s.storage->buffer] = s.storage->type;
    if (is_step(s) && any(around))
        apart_.insert(s.step->token);
    if (s.kind == StatementKind::BulkCopy) {
        auto& of = copies_[&s];
        for (std::size_t o : {0, 1})
            for (const auto& index : s.operands[o].indices)
                of = united(of, depends(index));
    }
    for (const auto& child : s.children)
        walk(*child, around);
}

// What is loaded may be another value in each block.
SharedCopies::Dimensions SharedCopies::depends(const ExprPtr& e) const {
    Dimensions out{};
    visit(e, [&](const Expr& x) {
        if (is_load(x))
            out = {true, true, true};
        else if (auto found = names_.find(x.name);
                 x.kind == ExprKind::Variable && found != names_.end())
            out = united(out, found->second);
        return true;
    });
    return out;
}

std::string SharedCopies::level_of(const Statement& copy) const {
    if (!in_step(copy.step->token))
        return {};
    const auto& apart = copies_.at(&copy);
    std::string level;
    std::size_t several = 0, shared = 0; // dimensions
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (shape_.cluster[axis].extent == 1)
            continue;
        ++several;
        if (!apart[axis] && ++shared > 0)
            level = std::string("cluster.") + "xyz"[axis];
    }
    if (shared > 1)
        level = shared == several ? kClusterLevel : "";
    const auto type = types_.find(copy.operands[0].buffer);
    if (level.empty() || type == types_.end())
        return {};
    const auto part = box_part(copy, sharing_blocks(shape_, level));
    return part && begins_aligned(*part, copy, type->second) ? level : "";
}

Diagnostics check_multicast(const Launch& launch) {
    std::set<std::string> tokens; // of copies that blocks share
    visit_statements(launch.body, [&](const Statement& s) {
        if (s.kind == StatementKind::BulkCopy && !s.level.empty())
            tokens.insert(s.step->token);
        return true;
    });
    const auto shape = launch_shape(launch);
    if (tokens.empty() || !shape)
        return {};
    Diagnostics errors;
    const SharedCopies copies(*shape);
    const auto handed = handed_over(shape->body);
    visit_statements(shape->body, [&](const Statement& s) {
        if (!s.step || !tokens.count(s.step->token))
            return true;
        if (s.kind == StatementKind::BulkCopy && !s.level.empty()) {
            const auto level = copies.level_of(s);
            if (!handed.count(s.step->token) || (level != s.level && level != kClusterLevel))
                errors.push_back(error("blocks along " + s.level +
                                       " do not share the bulk copy to " + s.operands[0].buffer));
        }
        if (s.kind == StatementKind::Release && s.level != kClusterLevel)
            errors.push_back(error("a release of the pipeline " + s.step->token +
                                   " that not all blocks count which write to its slots"));
        return true;
    });
    if (!is_enclosed(shape->body))
        errors.push_back(
            error("blocks of a cluster write to each other's memory, and not all have "
                  "begun, or some may have ended: barriers of the cluster are missing"));
    return errors;
}

} // namespace loopscope::lower
