#include "compiler/lower/gpu/launch.h"

#include "compiler/lower/statements.h"

#include <algorithm>
#include <set>

namespace loopscope::lower {

namespace {

bool is_dimension(const Statement& s) {
    return is_bound(s) && s.loop->level != kThreadsLevel && s.loop->level != kVirtualLevel &&
           s.loop->level != kBlockLevel;
}

bool contains_dimension(const StatementPtr& s) {
    return any_statement(s, [&](const Statement& x) { return is_dimension(x); });
}

} // namespace

std::string level_unit(const std::string& level) { return level.substr(0, level.find('.')); }

std::optional<LaunchShape> launch_shape(const Launch& launch) {
    LaunchShape shape;
    std::vector<LaunchDimension*> order; // as the chain has them
    for (const auto& [unit, name] : {std::pair{&shape.grid, "block."},
                                     {&shape.cluster, "cluster."},
                                     {&shape.block, "thread."}})
        for (std::size_t axis = 3; axis-- > 0;) {
            (*unit)[axis].level = std::string(name) + "xyz"[axis];
            order.push_back(&(*unit)[axis]);
        }
    auto next = order.begin();
    shape.body = launch.body;
    while (shape.body && is_dimension(*shape.body)) {
        const auto& loop = *shape.body;
        next = std::find_if(next, order.end(),
                            [&](const auto* d) { return d->level == loop.loop->level; });
        std::int64_t begin = 0, extent = 0;
        if (next == order.end() || !constant_value(loop.loop->begin, begin) || begin != 0 ||
            !constant_value(loop.loop->extent, extent) || extent < 1)
            return std::nullopt;
        (*next)->variable = loop.variable;
        (*next)->extent = extent;
        (*next)->type = loop.loop->begin->type;
        ++next;
        shape.body = loop.children.front();
    }
    if (!shape.body || contains_dimension(shape.body))
        return std::nullopt;
    return shape;
}

StatementPtr detail::around_inside(const StatementPtr& chain, StatementPtr inside) {
    if (!is_dimension(*chain))
        return inside;
    return with_children(chain, {around_inside(chain->children.front(), std::move(inside))});
}

Launch device_launch(const Program& program, std::string name, StatementPtr body) {
    std::set<std::string> used;
    visit_statements(body, [&](const Statement& s) {
        if (has_place(s))
            used.insert(s.access->buffer);
        for (const auto& operand : s.operands)
            used.insert(operand.buffer);
        for (const auto& e : expressions(s))
            visit(e, [&](const Expr& x) {
                if (is_load(x))
                    used.insert(x.name);
                return true;
            });
        return true;
    });
    Launch launch;
    launch.name = std::move(name);
    launch.place = "device";
    for (const auto& argument : program.arguments)
        if (used.count(argument.buffer))
            launch.arguments.push_back(argument.buffer);
    for (const auto& buffer : program.buffers)
        if (used.count(buffer.buffer))
            launch.arguments.push_back(buffer.buffer);
    launch.body = std::move(body);
    return launch;
}

bool on_device(const Launch& launch) { return launch.place == "device"; }

bool on_device(const Program& program) {
    return std::any_of(program.launches.begin(), program.launches.end(),
                       [](const Launch& launch) { return on_device(launch); });
}

std::string dimension_of_level(const std::string& level) {
    if (level == kLaneLevel)
        return "thread.x";
    for (const auto& [name, numbers] : device::default_levels())
        if (name == level && numbers.of_threads())
            return std::string("thread.") + "xyz"[block_axis(numbers)];
    return level;
}

bool is_collective(StatementKind kind) {
    return kind == StatementKind::Barrier || kind == StatementKind::Acquire ||
           kind == StatementKind::Commit || kind == StatementKind::Wait ||
           kind == StatementKind::Release || kind == StatementKind::Intrinsic ||
           kind == StatementKind::BulkCopy;
}

std::set<std::string> handed_over(const StatementPtr& body) {
    std::set<std::string> tokens;
    visit_statements(body, [&](const Statement& s) {
        if (s.kind == StatementKind::Acquire && !s.operands.empty())
            tokens.insert(s.step->token);
        return true;
    });
    return tokens;
}

bool contains_collective(const StatementPtr& s) {
    return any_statement(s, [&](const Statement& x) { return is_collective(x.kind); });
}

std::int64_t bytes_of(const Statement& allocation) {
    std::int64_t size = bytes(allocation.storage->type);
    for (const auto& extent : allocation.storage->extents)
        size *= std::max<std::int64_t>(extent.hint(), 1);
    return size;
}

std::int64_t shared_alignment(const Statement& allocation) {
    return std::max<std::int64_t>(kSharedAlignment, allocation.storage->alignment);
}

std::int64_t shared_alignment(const StatementPtr& body) {
    auto most = kSharedAlignment;
    visit_statements(body, [&](const Statement& s) {
        if (allocates_shared(s))
            most = std::max(most, shared_alignment(s));
        return true;
    });
    return most;
}

std::int64_t shared_bytes(const StatementPtr& body) {
    std::int64_t bytes = 0;
    std::vector<const Statement*> unplanned;
    visit_statements(body, [&](const Statement& s) {
        if (!allocates_shared(s))
            return true;
        if (s.storage->offset >= 0)
            bytes = std::max(bytes, s.storage->offset + bytes_of(s));
        else
            unplanned.push_back(&s);
        return true;
    });
    for (const auto* s : unplanned)
        bytes = aligned(aligned(bytes, shared_alignment(*s)) + bytes_of(*s), kSharedAlignment);
    return bytes;
}

} // namespace loopscope::lower
