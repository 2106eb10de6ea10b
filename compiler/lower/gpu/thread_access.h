#pragma once
// Accesses of a launch's statements, with the loops, conditions and lets around that decide which
// elements they touch.

#include "compiler/lower/gpu/launch.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace loopscope::lower {

// A load, a store or a copy where it stands, with all that decides which elements it touches.
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
    // Private storage is left out.
    explicit AccessFinder(const LaunchShape& shape);

    // Enters a statement around those that are looked at next; undone by leave().
    void enter(const Statement& s, std::size_t branch = 0);
    void leave(const Statement& s);
    // Accesses of a statement's own expressions, and to the place that it writes.
    std::vector<ThreadAccess> of(const Statement& s) const;
    // All copies of the token below `s`, as writes that are complete, in any iteration of the
    // loops.
    std::vector<ThreadAccess> completed(const std::string& token) const;

private:
    ExprPtr resolved(const ExprPtr& e) const;
    void place(ThreadAccess& access) const;
    void follows(ThreadAccess& access, std::int64_t size, const std::string& name) const;
    void fills(ThreadAccess& access, const Statement& copy) const;
    void takes(ThreadAccess& access, const SharedMatrix& matrix, const std::string& name) const;
    void moves(ThreadAccess& access, const Statement& s) const;
    // Adds a loop around the access; returns its variable.
    static ExprPtr over(ThreadAccess& access, const std::string& name, std::int64_t extent);
    std::map<std::string, ScalarType> types_; // of what is allocated
    std::map<std::string, std::vector<Extent>> extents_;
    std::vector<ExprPtr> first_thread_; // conditions that hold in it alone
    std::map<std::string, ExprPtr> lets_;
    std::vector<ExprPtr> conditions_;
    std::vector<ThreadAccess::Loop> loops_;
    std::map<std::string, int> private_;
    // Where planned allocations lie in shared memory, in bytes
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> rooms_;
    LaunchDimension lanes_; // thread.x
    StatementPtr body_;
    std::set<std::string> handed_over_; // tokens
};

} // namespace loopscope::lower
