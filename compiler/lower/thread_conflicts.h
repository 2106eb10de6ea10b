#pragma once
// Do two accesses in a launch meet in one element, by different threads of one block? What barriers are for.

#include "compiler/lower/launch.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace loopscope::lower {

// A load, a store or a copy where it stands, with all that decides which elements it meets.
struct ThreadAccess {
    std::string buffer;
    bool writes = false;
    Op atomic = Op::None;            // combines by this operation
    std::vector<ExprPtr> indices;    // lets replaced by their values
    std::vector<ExprPtr> conditions; // that hold here; lets replaced
    // Loops around, outermost first; of vectors, lanes are loops as well.
    struct Loop {
        std::string name;
        ExprPtr begin, extent;
    };
    std::vector<Loop> loops;
    NodeId origin;
    std::int64_t room = -1, room_end = -1; // bytes of shared memory, where they are planned
};

// Accesses of the statements of a launch, found as a walk goes through it.
class AccessFinder {
public:
    // Buffers that a thread has for itself are left out.
    explicit AccessFinder(const LaunchShape& shape);

    // What stands around the statements that are looked at next; undone by leave().
    void enter(const Statement& s, std::size_t branch = 0);
    void leave(const Statement& s);
    // Of a statement's own expressions, and the place that it writes.
    std::vector<ThreadAccess> of(const Statement& s) const;
    // All copies of the token below `s`, as writes that are complete: in any iteration of the loops.
    std::vector<ThreadAccess> completed(const std::string& token) const;

private:
    ExprPtr resolved(const ExprPtr& e) const;
    void place(ThreadAccess& access) const;
    void follows(ThreadAccess& access, std::int64_t size, const std::string& name) const;
    void fills(ThreadAccess& access, const Statement& copy) const;
    std::map<std::string, ScalarType> types_; // of what is allocated
    std::map<std::string, std::vector<Extent>> extents_;
    std::vector<ExprPtr> first_thread_; // conditions that hold in it alone
    std::map<std::string, ExprPtr> lets_;
    std::vector<ExprPtr> conditions_;
    std::vector<ThreadAccess::Loop> loops_;
    std::map<std::string, int> private_;
    std::map<std::string, std::pair<std::int64_t, std::int64_t>>
        rooms_;             // of shared memory, in bytes
    LaunchDimension lanes_; // thread.x
    StatementPtr body_;
};

// How the two executions of accesses lie to each other.
struct Meeting {
    // Loops up to this many, counted from the outermost, are in the same iteration; nothing is known of others.
    std::size_t same = 0;
    // The loop after those: the second access is in a later iteration; in the next one, if `next`.
    bool later = false, next = false;
};

// An index as what varies and a constant; of a vector, of its first lane.
std::pair<ExprPtr, std::int64_t> without_constant(const ExprPtr& e);

// What was found out before, in one launch.
struct ConflictAnswers {
    std::map<std::string, bool> asked; // questions as isl got them: is there no such pair?
    std::map<std::string, std::shared_ptr<const class ThreadElements>> forms;

    // Of accesses at indices that differ by constants alone (thread_elements.h). Nothing: this way it is not known.
    std::optional<bool> of_one_form(const ThreadAccess& first, const ThreadAccess& second,
                                    const Meeting& meeting, const LaunchShape& shape);
};

// May the accesses, of which one writes, meet in one element in different threads? False is proven; so is what isl finds.
// Not proven within its quota, or not affine: true.
bool may_conflict(const ThreadAccess& first, const ThreadAccess& second, const Meeting& meeting,
                  const LaunchShape& shape, ConflictAnswers& answers);

// Accesses that differ by constants alone, as unrolled loops make them; and one that meets all that they do, and what lies
// between: where that meets nothing, none of them does.
struct AccessGroup {
    ThreadAccess whole;
    std::vector<ThreadAccess> members; // at least one
};
std::vector<AccessGroup> grouped(const std::vector<ThreadAccess>& accesses);
bool may_conflict(const AccessGroup& first, const AccessGroup& second, const Meeting& meeting,
                  const LaunchShape& shape, ConflictAnswers& answers);

} // namespace loopscope::lower
