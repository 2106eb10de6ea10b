// reuse_storage: shared memory is planned. Allocations that are not in use at the same time may lie
// at one place.
//
//     allocate a: f32[1024] in shared               … in shared at 0
//     a[…] = …                                      a[…] = …
//     allocate b: f32[1024] in shared        ->     … in shared at 4096
//     b[…] = … a[…]                                 b[…] = … a[…]
//     allocate c: f32[1024] in shared               … in shared at 0
//     c[…] = … b[…]                                 c[…] = … b[…]
//
// An allocation is in use from the first statement that touches it to the last one. Where loops
// inside of its scope touch it again and again, it is in use for all of the outermost of them; so
// it is for all of a condition that differs between threads: no barrier can stand there, between a
// thread that still reads and one that writes already. Larger allocations are placed first, each at
// the least offset at which it overlaps no other that is in use meanwhile.
//
// Expects launches after bind_levels. Guarantees that every shared allocation of constant size has
// an offset, aligned as it asks for (shared_alignment). An allocation that producer warpgroups load
// shares its place with no other. Barriers must be renewed afterwards: allocations at one place are
// one memory.
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <map>

namespace loopscope::lower {

namespace {

struct SharedAllocation {
    std::string buffer;
    std::int64_t size = 0, alignment = kSharedAlignment, offset = -1;
    std::size_t depth = 0;          // loops and conditions around the allocation
    int first = 1 << 30, last = -1; // statements that touch it, by number
    bool meets(const SharedAllocation& other) const {
        return first <= other.last && other.first <= last;
    }
};

class Planner {
public:
    explicit Planner(const LaunchShape& shape) : uniformity_(shape) {}

    void run(const StatementPtr& body) {
        visit(*body);
        keep_handed_over(body);
        std::vector<SharedAllocation*> order;
        for (auto& [name, allocation] : allocations_)
            order.push_back(&allocation);
        std::stable_sort(
            order.begin(), order.end(),
            [](const SharedAllocation* a, const SharedAllocation* b) { return a->size > b->size; });
        std::vector<SharedAllocation*> placed;
        for (auto* allocation : order) {
            allocation->offset = free_offset(*allocation, placed);
            placed.push_back(allocation);
        }
    }

    std::int64_t offset(const std::string& buffer) const { return allocations_.at(buffer).offset; }
    bool knows(const std::string& buffer) const { return allocations_.count(buffer) != 0; }

private:
    // Loads of producer warpgroups are under way at any time, with their mbarriers: no barrier
    // orders them with what the other threads do elsewhere.
    void keep_handed_over(const StatementPtr& body) {
        const auto tokens = handed_over(body);
        visit_statements(body, [&](const Statement& s) {
            if (s.step && tokens.count(s.step->token))
                for (const auto& operand : s.operands)
                    use(operand.buffer, 0, 1 << 30);
            return true;
        });
    }

    static std::int64_t free_offset(const SharedAllocation& allocation,
                                    const std::vector<SharedAllocation*>& placed) {
        std::vector<const SharedAllocation*> near;
        for (const auto* other : placed)
            if (other->meets(allocation))
                near.push_back(other);
        std::sort(near.begin(), near.end(),
                  [](const SharedAllocation* a, const SharedAllocation* b) {
                      return a->offset < b->offset;
                  });
        std::int64_t at = 0;
        for (const auto* other : near) {
            if (at + allocation.size <= other->offset)
                break;
            at = std::max(at, aligned(other->offset + other->size, allocation.alignment));
        }
        return at;
    }

    void visit(const Statement& s) {
        const int begin = ++number_;
        if (allocates_shared(s) && std::all_of(s.storage->extents.begin(), s.storage->extents.end(),
                                               [](const Extent& e) { return e.is_constant(); }))
            allocations_[s.storage->buffer] = {s.storage->buffer, bytes_of(s), shared_alignment(s),
                                               -1, around_.size()};
        const bool whole =
            s.kind == StatementKind::For ||
            (s.kind == StatementKind::If && uniformity_(s.condition) != Uniformity::Block);
        uniformity_.bind(s);
        if (whole)
            around_.push_back({begin, {}});
        touch(s);
        for (const auto& child : s.children)
            visit(*child);
        if (whole) {
            // What is touched inside of it and allocated outside is in use for all of it.
            const auto touched = std::move(around_.back().second);
            around_.pop_back();
            for (const auto& buffer : touched)
                if (allocations_.at(buffer).depth <= around_.size())
                    use(buffer, begin, number_);
        }
    }

    void touch(const Statement& s) {
        if (has_place(s))
            use(s.access->buffer, number_, number_);
        for (const auto& operand : s.operands)
            use(operand.buffer, number_, number_);
        for (const auto& e : expressions(s))
            loopscope::visit(e, [&](const Expr& x) {
                if (is_load(x))
                    use(x.name, number_, number_);
                return true;
            });
    }

    void use(const std::string& buffer, int first, int last) {
        auto allocation = allocations_.find(buffer);
        if (allocation == allocations_.end())
            return;
        allocation->second.first = std::min(allocation->second.first, first);
        allocation->second.last = std::max(allocation->second.last, last);
        for (auto& statement : around_)
            statement.second.push_back(buffer);
    }

    int number_ = 0;
    std::map<std::string, SharedAllocation> allocations_;
    UniformityOf uniformity_;
    // Loops and conditions around: number, what is touched.
    std::vector<std::pair<int, std::vector<std::string>>> around_;
};

} // namespace

Program reuse_storage(const Program& program, const TargetInfo&) {
    auto out = program;
    for (auto& launch : out.launches) {
        if (!on_device(launch))
            continue;
        Planner planner(*launch_shape(launch));
        planner.run(launch.body);
        launch.body = rewrite(launch.body, [&](const StatementPtr& s) {
            if (s->kind != StatementKind::Allocate || !planner.knows(s->storage->buffer))
                return s;
            return edited(s, [&](Statement& copy) {
                copy.storage->offset = planner.offset(s->storage->buffer);
            });
        });
    }
    return out;
}

} // namespace loopscope::lower
