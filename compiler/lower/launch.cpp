#include "compiler/lower/launch.h"

#include "compiler/lower/statements.h"

#include <algorithm>

namespace loopscope::lower {

namespace {

bool is_bound(const Statement& s) {
    return s.kind == StatementKind::For && s.for_kind == ForKind::Bound;
}

bool contains_bound(const StatementPtr& s) {
    bool found = false;
    visit_statements(s, [&](const Statement& x) { return !(found = found || is_bound(x)); });
    return found;
}

} // namespace

std::string level_unit(const std::string& level) { return level.substr(0, level.find('.')); }

std::optional<LaunchShape> launch_shape(const Launch& launch) {
    LaunchShape shape;
    std::vector<LaunchDimension*> order; // as the chain has them
    for (auto* unit : {&shape.grid, &shape.block})
        for (std::size_t axis = 3; axis-- > 0;) {
            (*unit)[axis].level =
                std::string(unit == &shape.grid ? "block." : "thread.") + "xyz"[axis];
            order.push_back(&(*unit)[axis]);
        }
    auto next = order.begin();
    shape.body = launch.body;
    while (shape.body && is_bound(*shape.body)) {
        const auto& loop = *shape.body;
        next =
            std::find_if(next, order.end(), [&](const auto* d) { return d->level == loop.level; });
        std::int64_t begin = 0, extent = 0;
        if (next == order.end() || !constant_value(loop.begin, begin) || begin != 0 ||
            !constant_value(loop.extent, extent) || extent < 1)
            return std::nullopt;
        (*next)->variable = loop.name;
        (*next)->extent = extent;
        (*next)->type = loop.begin->type;
        ++next;
        shape.body = loop.children.front();
    }
    if (!shape.body || contains_bound(shape.body))
        return std::nullopt;
    return shape;
}

bool on_device(const Launch& launch) { return launch.place == "device"; }

bool on_device(const Program& program) {
    return std::any_of(program.launches.begin(), program.launches.end(),
                       [](const Launch& launch) { return on_device(launch); });
}

bool is_collective(StatementKind kind) {
    return kind == StatementKind::Barrier || kind == StatementKind::Acquire ||
           kind == StatementKind::Commit || kind == StatementKind::Wait ||
           kind == StatementKind::Release || kind == StatementKind::Intrinsic;
}

bool contains_collective(const StatementPtr& s) {
    bool found = false;
    visit_statements(s,
                     [&](const Statement& x) { return !(found = found || is_collective(x.kind)); });
    return found;
}

std::int64_t shared_bytes(const StatementPtr& body) {
    std::int64_t sum = 0;
    visit_statements(body, [&](const Statement& s) {
        if (s.kind != StatementKind::Allocate || s.scope != "shared")
            return true;
        std::int64_t size = bytes(s.type);
        for (const auto& extent : s.extents)
            size *= std::max<std::int64_t>(extent.hint(), 1);
        sum += size;
        return true;
    });
    return sum;
}

} // namespace loopscope::lower
