// Loops that a schedule binds to levels become the dimensions of their launch.
//
//     bound block.x for C.io in 0..8 {                  bound block.x for block_x in 0..8 {
//         bound thread.x for C.ii in 0..64 {                bound thread.x for thread_x in 0..128 {
//             C[64*C.io + C.ii] = …              ->             if thread_x < 64 {
//         }                                                         C[64*block_x + thread_x] = …
//     }                                                         }
//
// A block has as many threads along each level as the loop that needs most; what a loop of fewer
// encloses is masked, as is what no loop of the level encloses, in all threads but the first: not
// around work of all threads (kThreadsLevel), which stands in no condition, but around each
// statement beside it. Nor around what each thread writes for itself beside what others see: all of
// them read their own.
//
// Levels beyond the hardware's: warps number along thread.y (a second axis of them along thread.z),
// and groups of four of them along thread.z; thread.x then numbers the 128 threads of one, which
// are its lanes, or the 32 of a warp where warps are bound as well. Blocks of a cluster are a
// dimension of their own, inside of those of the grid, which then number clusters.
//
// Expects build_for_device's program, in which no condition that differs between threads is around
// such parts, for no barrier could stand between them: what is stored outside of a loop of threads
// and computed inside is refused. Guarantees the form of launches that program.h states, but
// for loops of kThreadsLevel, kVirtualLevel and kBlockLevel.
#include "compiler/lower/build.h"
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace loopscope::lower {

namespace {

bool contains_bound(const StatementPtr& s) {
    return any_statement(s, [&](const Statement& x) { return is_bound(x); });
}
// How the levels that a launch uses map to its dimensions.
class Levels {
public:
    Levels(const StatementPtr& body, NameSource& names) {
        visit_statements(body, [&](const Statement& s) {
            std::int64_t extent = 0;
            if (is_bound(s) && s.loop->level != kThreadsLevel && s.loop->level != kVirtualLevel &&
                s.loop->level != kBlockLevel && constant_value(s.loop->extent, extent)) {
                auto& greatest = extents_[s.loop->level];
                greatest = std::max(greatest, extent);
                if (s.loop->run_by > 0)
                    running_[s.loop->level] = s.loop->run_by;
            }
            return true;
        });
        const auto lanes = extents_.count(kLaneLevel) ? extents_[kLaneLevel] : 0;
        const bool warps = extents_.count("warp") || extents_.count("warp.x") ||
                           extents_.count("warp.y") || (lanes > 0 && lanes <= kWarp);
        const bool groups = extents_.count("warpgroup") || lanes > kWarp;
        const auto threads = block_threads(extents_, lanes, kWarp);
        if (groups || extents_.count("warp.y"))
            use("thread.z", threads[2], names);
        if (warps)
            use("thread.y", threads[1], names);
        if (warps || groups)
            use("thread.x", threads[0], names);
        for (const auto& [level, extent] : extents_) {
            const bool hardware = dimension_of_level(level) == level;
            if (hardware && !dimensions_.count(level))
                use(level, extent, names);
        }
    }

    // The coordinate at a level, and how many values it takes.
    ExprPtr coordinate(const std::string& level) const { return own(dimension_of_level(level)); }
    std::int64_t extent(const std::string& level) const {
        auto own = dimensions_.find(dimension_of_level(level));
        return own == dimensions_.end() ? extents_.at(level) : own->second.extent;
    }

    // The levels of threads, of which a statement may be in several at once.
    std::vector<std::string> of_threads() const {
        std::vector<std::string> out;
        for (const auto& [level, dimension] : dimensions_)
            if (level_unit(level) == "thread" && dimension.extent > 1)
                out.push_back(level);
        return out;
    }
    ExprPtr own(const std::string& dimension) const {
        auto found = dimensions_.find(dimension);
        return found == dimensions_.end() ? constant_index(0) : variable(found->second.variable);
    }

    StatementPtr around(StatementPtr body) const {
        for (const auto* level : {"thread.x", "thread.y", "thread.z", "cluster.x", "cluster.y",
                                  "block.x", "block.y", "block.z"}) {
            auto found = dimensions_.find(level);
            if (found == dimensions_.end())
                continue;
            auto loop =
                for_loop({}, found->second.variable, constant_index(0),
                         constant_index(found->second.extent), ForKind::Bound, std::move(body));
            const auto running = running_.find(level);
            body = edited(loop, [&](Statement& s) {
                s.loop->level = level;
                s.loop->run_by = running == running_.end() ? 0 : running->second;
            });
        }
        return body;
    }

private:
    struct Dimension {
        std::string variable;
        std::int64_t extent = 1;
    };
    void use(const std::string& dimension, std::int64_t extent, NameSource& names) {
        auto name = dimension;
        std::replace(name.begin(), name.end(), '.', '_');
        dimensions_[dimension] = {names.unused(name), std::max<std::int64_t>(extent, 1)};
    }

    std::map<std::string, std::int64_t> extents_; // of levels, as bound
    std::map<std::string, std::int64_t> running_; // of levels of persistent loops: their blocks
    std::map<std::string, Dimension> dimensions_; // of the hardware
};

class Binder {
public:
    Binder(const StatementPtr& body, NameSource& names) : levels_(body, names) {}

    StatementPtr run(const StatementPtr& body) { return levels_.around(statement(body)); }

private:
    StatementPtr statement(const StatementPtr& s) {
        if (is_bound(*s) && s->loop->level != kVirtualLevel)
            return s->loop->level == kThreadsLevel ? of_all_threads(s)
                   : s->loop->level == kBlockLevel ? of_block(s)
                                                   : bound(s);
        if (!contains_bound(s) && !has_own_masks(s))
            return masked(s);
        if (allocates_own(*s))
            private_.insert(s->storage->buffer);
        std::vector<StatementPtr> children;
        for (const auto& child : s->children)
            children.push_back(statement(child));
        return with_children(s, std::move(children));
    }

    StatementPtr bound(const StatementPtr& s) {
        const auto dimension = dimension_of_level(s->loop->level);
        const auto outer = path_; // a stage inside may number the same threads anew
        std::int64_t extent = 0;
        constant_value(s->loop->extent, extent);
        path_[dimension] = {s->loop->level, extent};
        const auto coordinate = levels_.coordinate(s->loop->level);
        auto body = statement(substitute(s->children[0], [&](const std::string& name) -> ExprPtr {
            return name == s->variable ? coordinate : nullptr;
        }));
        path_ = outer;
        return body;
    }

    // Loops of threads around number nobody in it.
    StatementPtr of_block(const StatementPtr& s) {
        const auto outer = path_;
        std::erase_if(path_, [](const auto& bound) { return level_unit(bound.first) == "thread"; });
        auto body = statement(s->children[0]);
        path_ = outer;
        return with_children(s, {body});
    }

    // All threads take part, whatever loops of threads are around.
    StatementPtr of_all_threads(const StatementPtr& s) {
        auto outer = std::exchange(path_, {});
        const bool all = std::exchange(all_, true);
        auto body = s->children[0];
        auto inside = contains_bound(body) ? statement(body) : body;
        all_ = all;
        path_ = std::move(outer);
        return with_children(s, {std::move(inside)});
    }

    // Only those threads that the loops around have.
    StatementPtr masked(const StatementPtr& s) {
        const bool collective = contains_collective(s);
        if (all_ || is_harmless(s) || (collective && !is_work_of_warps(s)))
            return s;
        ExprPtr condition;
        auto require = [&](const ExprPtr& coordinate, std::int64_t extent) {
            auto below = binary(Op::Less, coordinate, constant_index(extent));
            condition = condition ? binary(Op::LogicalAnd, condition, below) : below;
        };
        for (const auto& [dimension, bound] : path_)
            if (bound.second < levels_.extent(bound.first) &&
                !(collective && dimension == dimension_of_level(kLaneLevel)))
                require(levels_.coordinate(bound.first), bound.second);
        if (seen_by_others(s))
            for (const auto& dimension : levels_.of_threads())
                if (!path_.count(dimension))
                    require(levels_.own(dimension), 1);
        return condition ? if_then(s->origin, condition, s) : s;
    }

    // Instructions of whole warps: which warps execute them may depend on a condition.
    static bool is_work_of_warps(const StatementPtr& s) {
        bool warps = true;
        visit_statements(s, [&](const Statement& x) {
            warps = warps && (!is_collective(x.kind) ||
                              (x.kind == StatementKind::Intrinsic && x.level.empty()));
            return warps;
        });
        return warps;
    }

    // A thread's own, of nothing that may not be there: what begins a reduction over threads, which
    // all of them take part in.
    bool is_harmless(const StatementPtr& s) const {
        bool loads = false;
        visit_statements(s, [&](const Statement& x) {
            for (const auto& e : expressions(x))
                loads = loads || contains_load(e);
            for (const auto& operand : x.operands)
                loads = loads || operand.matrix;
            return !loads;
        });
        return !loads && !seen_by_others(s);
    }

    // Does it write what other threads see?
    bool seen_by_others(const StatementPtr& s) const {
        std::set<std::string> own;
        return any_statement(s, [&](const Statement& x) {
            if (x.kind == StatementKind::Allocate)
                own.insert(x.storage->buffer);
            return writes(x) && !own.count(x.access->buffer) && !private_.count(x.access->buffer);
        });
    }

    // Is it in parts, of which some stand in a mask and others do not? Such are what all threads
    // do together and what is beside it; and what each thread has for itself behind it, and what
    // others see, which one does.
    bool has_own_masks(const StatementPtr& s) const {
        if (s->children.empty())
            return false;
        if (contains_collective(s))
            return !is_work_of_warps(s);
        return seen_by_others(s) && any_statement(s, [&](const Statement& x) {
                   return writes(x) && private_.count(x.access->buffer) > 0;
               });
    }

    Levels levels_;
    // By dimension of the hardware: the level that is bound along it here, and its loop's extent.
    std::map<std::string, std::pair<std::string, std::int64_t>> path_;
    std::set<std::string> private_; // of each thread
    bool all_ = false;              // inside of work of all threads
};

} // namespace

Program bind_levels(const Program& program, const TargetInfo&) {
    NameSource names(program);
    auto out = program;
    for (auto& launch : out.launches)
        if (on_device(launch))
            launch.body = Binder(launch.body, names).run(launch.body);
    return out;
}

} // namespace loopscope::lower
