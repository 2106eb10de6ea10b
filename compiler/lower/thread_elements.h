#pragma once
// The elements that the threads of a block meet by one form of indices, counted out: whether accesses by that form, of which
// one is moved by a constant, meet in different threads. It answers what unrolled loops ask hundreds of times.

#include "compiler/lower/thread_conflicts.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope::lower {

class ThreadElements {
public:
    // `access`: of the form, its indices without constants; the first `same` loops around are in the same iteration. Null: too
    // many elements, or threads and what they have in common do not stand apart in the indices.
    static std::shared_ptr<const ThreadElements> of(const ThreadAccess& access,
                                                    const std::vector<ExprPtr>& indices,
                                                    std::size_t same, const LaunchShape& shape);

    // Do different threads meet, where the second moves so far along each dimension?
    bool meet(const std::vector<std::int64_t>& moved) const;

private:
    struct Element {
        std::vector<std::int64_t> at;
        std::int64_t thread = 0;
    };
    static std::string key(const std::vector<std::int64_t>& at);

    std::vector<Element> elements_;
    std::unordered_map<std::string, std::int64_t> threads_; // that meet an element; -1: several
    mutable std::map<std::vector<std::int64_t>, bool> answers_;
};

} // namespace loopscope::lower
