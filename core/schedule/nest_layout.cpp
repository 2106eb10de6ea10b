#include "core/schedule/nest_layout.h"

#include "core/base/integer_division.h"
#include "core/ir/limits.h"
#include "core/schedule/directive.h"
#include "core/schedule/iteration_count.h"
#include "core/schedule/loop_kinds.h"
#include "core/schedule/padding.h"

#include <algorithm>

namespace loopscope {

namespace {

class NestPlan {
public:
    NestPlan(const Stage& stage, const StageState& state, int d,
             const std::vector<std::int64_t>& extents, const std::vector<LinearForm>& mins,
             const std::vector<std::string>& merged, bool of_block)
        : merged_(merged),
          stage_(stage),
          definition_(stage.definitions[static_cast<std::size_t>(d)]),
          nest_(state.definitions[static_cast<std::size_t>(d)]),
          of_block_(of_block),
          d_(d),
          name_(definition_name(stage.name, d)),
          needed_(extents),
          mins_(mins) {
        auto n = static_cast<std::size_t>(nest_.next_id);
        shape_.extent.assign(n, 0);
        shape_.reduction.assign(n, false);
        reach_.assign(n, 0);
        value_.resize(n);
        became_.assign(n, std::vector<bool>(nest_.loops.size(), false));
        for (std::size_t p = 0; p < nest_.loops.size(); ++p)
            became_[index(nest_.loops[p].id)][p] = true;
        for (auto r = nest_.relations.rbegin(); r != nest_.relations.rend(); ++r) {
            auto& parent = became_[index(r->parent)];
            auto& outer = became_[index(r->outer)];
            auto& inner = became_[index(r->inner)];
            if (is_split(*r))
                for (std::size_t p = 0; p < parent.size(); ++p)
                    parent[p] = outer[p] || inner[p];
            else
                outer = inner = parent;
        }
    }

    Result<NestLayout> run() {
        if (auto status = extents(); !status)
            return status.errors();
        decide_tails();
        if (auto status = loops(); !status)
            return status.errors();
        if (auto status = values(); !status)
            return status.errors();
        if (auto status = axes(); !status)
            return status.errors();
        auto body = iteration_count(nest_, shape_, true);
        auto initialization = iteration_count(nest_, shape_, false);
        out_.evaluations = body.count;
        out_.initializations = initialization.count;
        out_.exact = body.exact && initialization.exact;
        return std::move(out_);
    }

private:
    static std::size_t index(int id) { return static_cast<std::size_t>(id); }
    static bool is_split(const Relation& r) { return r.kind == Relation::Kind::Split; }

    Status extents() {
        for (std::size_t r = 0; r < nest_.roots.size(); ++r) {
            const auto& root = nest_.roots[r];
            shape_.reduction[index(root.id)] = root.reduction;
            shape_.extent[index(root.id)] =
                r < definition_.free.size()
                    ? needed_[stage_.dimension_of(definition_.free[r])]
                    : definition_.axes[r - definition_.free.size()].extent().hint();
        }
        for (const auto& relation : nest_.relations) {
            auto parent = index(relation.parent), outer = index(relation.outer),
                 inner = index(relation.inner);
            if (is_split(relation)) {
                shape_.extent[outer] = ceil_div(shape_.extent[parent], relation.factor);
                shape_.extent[inner] = relation.factor;
                shape_.reduction[outer] = shape_.reduction[inner] = shape_.reduction[parent];
                continue;
            }
            if (shape_.extent[outer] > 0 &&
                shape_.extent[inner] > kMaxExtent / shape_.extent[outer])
                return error("the fused loop of " + name_ + " would have an extent of " +
                                 std::to_string(shape_.extent[outer]) + " × " +
                                 std::to_string(shape_.extent[inner]) + ", above 2147483647",
                             "fuse shorter loops, or split first");
            shape_.extent[parent] = shape_.extent[outer] * shape_.extent[inner];
            shape_.reduction[parent] = shape_.reduction[outer] || shape_.reduction[inner];
        }
        return success();
    }

    bool divides(const Relation& split) const { return shape_.divides(split); }

    // The points that a shifted tail repeats differ in both loops of the split. A loop whose
    // iterations run at once must not meet them: not one that comes from the outer loop, nor one
    // from the inner with such a loop inside it. Blocks of a grid may: they have no memory in
    // common but the result's, where both store the same value.
    const LoopState* meets_itself(const Relation& split) const {
        const auto& outer = became_[index(split.outer)];
        const auto& inner = became_[index(split.inner)];
        for (std::size_t p = 0; p < nest_.loops.size(); ++p) {
            const auto& loop = nest_.loops[p];
            if (loop.numbers.unit == device::Unit::Grid || !runs_at_once(loop))
                continue;
            auto inside = outer.begin() + static_cast<std::ptrdiff_t>(p) + 1;
            if (outer[p] || (inner[p] && std::find(inside, outer.end(), true) != outer.end()))
                return &loop;
        }
        return nullptr;
    }

    // Threads of a block divide what they share among themselves, where the script does not: they
    // would meet.
    bool is_divided() const {
        return of_block_ && std::all_of(nest_.loops.begin(), nest_.loops.end(),
                                        [](const auto& loop) { return loop.binding.empty(); });
    }

    void decide_tails() {
        out_.tails.resize(nest_.loops.size());
        for (const auto& relation : nest_.relations) {
            shape_.used.push_back(relation.tail);
            if (!is_split(relation) || relation.tail == Tail::Guard || divides(relation))
                continue;
            LoopTail tail{relation.tail, relation.tail, {}};
            if (relation.tail == Tail::Shift) {
                auto extent = shape_.extent[index(relation.parent)];
                if (extent < relation.factor)
                    tail.reason =
                        std::to_string(extent) + " is below " + std::to_string(relation.factor);
                else if (const auto* loop = meets_itself(relation))
                    tail.reason =
                        loop->name + " is " +
                        (loop->binding.empty() ? std::string(name(loop->kind)) : loop->binding);
                else if (is_divided())
                    tail.reason = "the threads of a block divide " + stage_.name;
                if (!tail.reason.empty())
                    shape_.used.back() = tail.used = Tail::Guard;
            }
            const auto& loops = became_[index(relation.outer)];
            auto first = std::find(loops.begin(), loops.end(), true) - loops.begin();
            out_.tails[static_cast<std::size_t>(first)].push_back(std::move(tail));
        }
    }

    Status loops() {
        for (const auto& loop : nest_.loops) {
            auto id = index(loop.id);
            out_.extents.push_back(shape_.extent[id]);
            const auto p = out_.variables.size();
            out_.variables.push_back(
                p < merged_.size() ? merged_[p] : loop_variable(stage_.name, d_, loop.name));
            value_[id] = variable_form(out_.variables.back(),
                                       {0, std::max<std::int64_t>(shape_.extent[id] - 1, 0)});
            reach_[id] = shape_.extent[id];
            if (loop.kind == LoopKind::Vectorized && shape_.extent[id] > kMaxLanes)
                return error("the vectorised loop " + loop.name + " of " + name_ + " would have " +
                                 std::to_string(shape_.extent[id]) + " lanes, more than " +
                                 std::to_string(kMaxLanes),
                             name_ + ".vectorize(" + loop.name + ", native) splits it first");
        }
        return success();
    }

    // From the loops of the nest back to the axes. `reach_`: a loop that is no more takes the
    // values below it.
    Status values() {
        for (auto r = nest_.relations.size(); r-- > 0;) {
            const auto& relation = nest_.relations[r];
            auto parent = index(relation.parent), outer = index(relation.outer),
                 inner = index(relation.inner);
            if (!is_split(relation)) {
                auto width = std::max<std::int64_t>(shape_.extent[inner], 1);
                value_[outer] = floor_divide(value_[parent], width);
                value_[inner] = modulo(value_[parent], width);
                reach_[outer] = ceil_div(reach_[parent], width);
                reach_[inner] = std::min(reach_[parent], width);
                continue;
            }
            auto tiles = value_[outer] * relation.factor;
            auto last = relation.factor * (reach_[outer] - 1);
            bool cut = !divides(relation);
            // What a guard cuts off is counted all the same, in i32. (What pads is refused with its
            // axis.)
            const auto beyond = last + std::max<std::int64_t>(reach_[inner], 1) - 1;
            if (beyond > kMaxExtent && shape_.used[r] != Tail::Pad)
                return error("the loops that " + name_ + " splits by " +
                                 std::to_string(relation.factor) + " would count to " +
                                 std::to_string(beyond) + ", beyond 2147483647",
                             "split by a factor that divides the extent, or by a smaller one");
            if (cut && shape_.used[r] == Tail::Shift) {
                auto moved = shape_.extent[parent] - relation.factor;
                tiles = clamp(tiles, 0, moved);
                last = std::min(last, moved);
            }
            value_[parent] = tiles + value_[inner];
            reach_[parent] =
                reach_[outer] > 0 && reach_[inner] > 0 ? last + reach_[inner] : std::int64_t{0};
            if (cut && shape_.used[r] == Tail::Guard) {
                const bool whole =
                    std::any_of(nest_.roots.begin(), nest_.roots.end(),
                                [&](const auto& root) { return root.id == relation.parent; });
                out_.guards.push_back(
                    {value_[parent], shape_.extent[parent], shape_.reduction[parent], whole});
                reach_[parent] = std::min(reach_[parent], shape_.extent[parent]);
            }
        }
        return success();
    }

    Status axes() {
        for (std::size_t r = 0; r < nest_.roots.size(); ++r) {
            auto id = index(nest_.roots[r].id);
            if (r < definition_.free.size()) {
                auto dimension = stage_.dimension_of(definition_.free[r]);
                out_.axes.emplace_back(definition_.free[r], mins_[dimension] + value_[id]);
            } else {
                const auto& axis = definition_.axes[r - definition_.free.size()];
                out_.axes.emplace_back(axis.name, LinearForm(axis.begin.hint()) + value_[id]);
            }
            if (out_.axes.back().second.range().greatest > kMaxExtent &&
                reach_[id] > shape_.extent[id]) {
                return coded_error(kCodePadding,
                                   "the tail pad of " + name_ + " would compute " +
                                       std::to_string(reach_[id]) + " points along " +
                                       out_.axes.back().first + ", beyond 2147483647",
                                   "write guard instead of pad");
            }
            out_.computed.push_back(reach_[id]);
        }
        return success();
    }

    const std::vector<std::string>& merged_;
    const Stage& stage_;
    const Definition& definition_;
    const DefinitionState& nest_;
    const bool of_block_; // in memory that a block shares
    int d_;
    std::string name_;
    const std::vector<std::int64_t>& needed_;
    const std::vector<LinearForm>& mins_;
    // By the identity of a loop, also of one that is no more.
    NestShape shape_;
    std::vector<std::int64_t> reach_;
    std::vector<LinearForm> value_;
    std::vector<std::vector<bool>> became_; // of which loops of the nest, by position, it is part
    NestLayout out_;
};

} // namespace

std::string loop_variable(const std::string& stage, int definition, const std::string& loop) {
    return definition == 0 ? stage + "." + loop
                           : stage + ".u" + std::to_string(definition - 1) + "." + loop;
}

Result<NestLayout> lay_out_nest(const Stage& stage, const StageState& state, int definition,
                                const std::vector<std::int64_t>& extents,
                                const std::vector<LinearForm>& mins,
                                const std::vector<std::string>& merged, bool of_block) {
    return NestPlan(stage, state, definition, extents, mins, merged, of_block).run();
}

std::string tail_text(const LoopTail& tail) {
    std::string out = name(tail.used);
    return tail.reason.empty() ? out : out + " for " + name(tail.asked) + " (" + tail.reason + ")";
}

} // namespace loopscope
