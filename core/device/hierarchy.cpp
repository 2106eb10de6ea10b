#include "core/device/hierarchy.h"

namespace loopscope::device {

const std::vector<std::string>& level_units() {
    static const std::vector<std::string> units{"grid",      "cluster", "block",
                                                "warpgroup", "warp",    "virtual"};
    return units;
}

const std::vector<std::string>& scope_units() {
    static const std::vector<std::string> units{"grid",      "cluster", "block",
                                                "warpgroup", "warp",    "thread"};
    return units;
}

const std::vector<Level>& default_levels() {
    static const std::vector<Level> levels{
        {"block.x", "grid"},    {"block.y", "grid"},      {"block.z", "grid"},
        {"thread.x", "block"},  {"thread.y", "block"},    {"thread.z", "block"},
        {"warp", "block"},      {"warp.x", "block"},      {"warp.y", "block"},
        {"warpgroup", "block"}, {"cluster.x", "cluster"}, {"cluster.y", "cluster"},
        {"vthread", "virtual"}};
    return levels;
}

const std::vector<Scope>& default_scopes() {
    static const std::vector<Scope> scopes{{"global", "grid"},
                                           {"shared", "block"},
                                           {"local", "thread"},
                                           {"register", "thread"},
                                           {"fragment", "warp"}};
    return scopes;
}

} // namespace loopscope::device
