#include "core/device/hierarchy.h"

#include <algorithm>
#include <array>

namespace loopscope::device {

namespace {

constexpr std::array<const char*, 7> kUnitNames{"grid", "cluster", "block",  "warpgroup",
                                                "warp", "thread",  "virtual"};

Unit members_of(Unit unit) {
    switch (unit) {
    case Unit::Grid:
    case Unit::Cluster: return Unit::Block;
    case Unit::WarpGroup: return Unit::Warp;
    default: return Unit::Thread;
    }
}

int axis_named(const std::string& level) {
    return level.ends_with(".y") ? 1 : level.ends_with(".z") ? 2 : 0;
}

} // namespace

const char* name(Unit unit) { return kUnitNames.at(static_cast<std::size_t>(unit)); }

std::optional<Unit> unit_named(const std::string& name) {
    const auto found = std::find(kUnitNames.begin(), kUnitNames.end(), name);
    if (found == kUnitNames.end())
        return std::nullopt;
    return static_cast<Unit>(found - kUnitNames.begin());
}

const std::vector<Unit>& level_units() {
    static const std::vector<Unit> units{Unit::Grid,      Unit::Cluster, Unit::Block,
                                         Unit::WarpGroup, Unit::Warp,    Unit::Virtual};
    return units;
}

const std::vector<Unit>& scope_units() {
    static const std::vector<Unit> units{Unit::Grid,      Unit::Cluster, Unit::Block,
                                         Unit::WarpGroup, Unit::Warp,    Unit::Thread};
    return units;
}

const std::vector<Level>& default_levels() {
    constexpr auto Grid = Unit::Grid, Cluster = Unit::Cluster, Block = Unit::Block,
                   Thread = Unit::Thread, Warp = Unit::Warp;
    static const std::vector<Level> levels{{"block.x", {Grid, Block, 0}},
                                           {"block.y", {Grid, Block, 1}},
                                           {"block.z", {Grid, Block, 2}},
                                           {"thread.x", {Block, Thread, 0}},
                                           {"thread.y", {Block, Thread, 1}},
                                           {"thread.z", {Block, Thread, 2}},
                                           {"warp", {Block, Warp, 0}},
                                           {"warp.x", {Block, Warp, 0}},
                                           {"warp.y", {Block, Warp, 1}},
                                           {"warpgroup", {Block, Unit::WarpGroup, 0}},
                                           {"cluster.x", {Cluster, Block, 0}},
                                           {"cluster.y", {Cluster, Block, 1}},
                                           {"vthread", {Unit::Virtual, Thread, 0}}};
    return levels;
}

const std::vector<MemoryScope>& default_scopes() {
    static const std::vector<MemoryScope> scopes{{"global", Unit::Grid},
                                                 {"shared", Unit::Block},
                                                 {"local", Unit::Thread},
                                                 {"register", Unit::Thread},
                                                 {"fragment", Unit::Warp}};
    return scopes;
}

Level own_level(const std::string& name, Unit unit) {
    const bool has_axes = unit <= Unit::Block;
    return {name, {unit, members_of(unit), has_axes ? axis_named(name) : 0}};
}

MemoryScope language_scope(const std::string& name) {
    const auto& scopes = default_scopes();
    const auto found = std::find_if(scopes.begin(), scopes.end(),
                                    [&](const MemoryScope& scope) { return scope.name == name; });
    return found == scopes.end() ? MemoryScope{name, Unit::Thread} : *found;
}

const MemoryScope& global_memory() {
    static const MemoryScope scope = language_scope("global");
    return scope;
}

const MemoryScope& shared_memory() {
    static const MemoryScope scope = language_scope("shared");
    return scope;
}

const MemoryScope& registers() {
    static const MemoryScope scope = language_scope("register");
    return scope;
}

const MemoryScope& fragments() {
    static const MemoryScope scope = language_scope("fragment");
    return scope;
}

} // namespace loopscope::device
