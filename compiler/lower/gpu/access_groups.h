#pragma once
// Groups of accesses that differ by constants alone, as unrolled loops make them by the hundred:
// one form and its constants.

#include "compiler/lower/gpu/thread_access.h"

#include <cstdint>
#include <set>
#include <vector>

namespace loopscope::lower {

struct AccessGroup {
    ThreadAccess form;                             // its indices without constants
    std::set<std::vector<std::int64_t>> constants; // of the accesses, by index; at least one

    // One access that meets all elements that the group's accesses do, and those between.
    ThreadAccess whole() const;
};

class AccessGroups {
public:
    AccessGroups() = default;
    explicit AccessGroups(const std::vector<ThreadAccess>& accesses);

    void add(const AccessGroups& more);
    // Adds a condition that holds.
    void assume(const ExprPtr& condition);
    void clear() { groups_.clear(); }

    bool empty() const { return groups_.empty(); }
    const std::vector<AccessGroup>& groups() const { return groups_; }

private:
    void add(AccessGroup group);

    std::vector<AccessGroup> groups_;
};

} // namespace loopscope::lower
