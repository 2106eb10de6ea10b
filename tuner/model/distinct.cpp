#include "tuner/model/distinct.h"

#include "core/ir/axis_form.h"
#include "core/schedule/padding.h"
#include "core/schedule/region.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace loopscope::model {

namespace {

constexpr double kMaxCells = 200000; // of the grid in which a union of boxes is counted

double volume(const Box& box) {
    double v = 1;
    for (const auto& i : box)
        v *= static_cast<double>(i.extent());
    return v;
}

bool contains(const Box& a, const Box& b) {
    for (std::size_t d = 0; d < a.size(); ++d)
        if (!a[d].contains(b[d]))
            return false;
    return true;
}

// Elements in the union of boxes, by the grid of their ends; `exact` is cleared where the grid
// would be too large.
double union_volume(std::vector<Box> boxes, bool& exact) {
    std::vector<Box> kept;
    for (const auto& box : boxes) {
        if (std::any_of(kept.begin(), kept.end(), [&](const Box& k) { return contains(k, box); }))
            continue;
        kept.erase(std::remove_if(kept.begin(), kept.end(),
                                  [&](const Box& k) { return contains(box, k); }),
                   kept.end());
        kept.push_back(box);
    }
    if (kept.empty())
        return 0;
    if (kept.size() == 1)
        return volume(kept[0]);
    auto rank = kept[0].size();
    std::vector<std::vector<std::int64_t>> cuts(rank);
    double cells = static_cast<double>(kept.size());
    for (std::size_t d = 0; d < rank; ++d) {
        for (const auto& box : kept) {
            cuts[d].push_back(box[d].least);
            cuts[d].push_back(box[d].greatest + 1);
        }
        std::sort(cuts[d].begin(), cuts[d].end());
        cuts[d].erase(std::unique(cuts[d].begin(), cuts[d].end()), cuts[d].end());
        cells *= static_cast<double>(cuts[d].size() - 1);
    }
    if (cells > kMaxCells) {
        Box all = kept[0];
        double sum = 0;
        for (const auto& box : kept) {
            all = hull(all, box);
            sum += volume(box);
        }
        exact = false;
        return std::min(sum, volume(all));
    }
    std::vector<std::size_t> at(rank, 0);
    double total = 0;
    while (true) {
        bool inside = std::any_of(kept.begin(), kept.end(), [&](const Box& box) {
            for (std::size_t d = 0; d < rank; ++d)
                if (cuts[d][at[d]] < box[d].least || cuts[d][at[d]] > box[d].greatest)
                    return false;
            return true;
        });
        if (inside) {
            double cell = 1;
            for (std::size_t d = 0; d < rank; ++d)
                cell *= static_cast<double>(cuts[d][at[d] + 1] - cuts[d][at[d]]);
            total += cell;
        }
        std::size_t d = rank;
        while (d > 0 && ++at[d - 1] == cuts[d - 1].size() - 1)
            at[--d] = 0;
        if (d == 0)
            return total;
    }
}

// The elements of one dimension of an input that indices in `range` reach through its boundary.
Interval through_boundary(BoundaryKind kind, Interval range, std::int64_t n, bool& exact) {
    Interval inside{std::clamp<std::int64_t>(range.least, 0, n - 1),
                    std::clamp<std::int64_t>(range.greatest, 0, n - 1)};
    if (range.least >= 0 && range.greatest < n)
        return inside;
    if (kind == BoundaryKind::Edge || kind == BoundaryKind::Zero ||
        kind == BoundaryKind::Constant || kind == BoundaryKind::None)
        return inside;
    Interval all{0, n - 1};
    if (inside == all)
        return all;
    // mirror: -1 reads 0; reflect: -1 reads 1. Where that lies inside what is read anyway, nothing
    // is added.
    std::int64_t shift = kind == BoundaryKind::Reflect ? 1 : 0;
    bool folded = kind != BoundaryKind::Wrap && range.least < n && range.greatest >= 0 &&
                  -range.least - 1 + shift <= inside.greatest &&
                  2 * n - 1 - range.greatest - shift >= inside.least;
    if (folded)
        return inside;
    exact = exact && range.extent() >= (kind == BoundaryKind::Wrap ? n : 2 * n);
    return all;
}

class Distinct {
public:
    explicit Distinct(const Work& work) : work_(work) {
        for (std::size_t b = 0; b < work.buffers.size(); ++b)
            buffers_.emplace(work.buffers[b].name, b);
    }

    std::map<std::string, DistinctBytes> run() {
        std::map<std::string, DistinctBytes> out;
        for (const auto& buffer : work_.buffers)
            if (!buffer.is_input)
                out[buffer.name] = {0, true};
        for (const auto& point : work_.points) {
            const auto& name = point.stage->stage.name;
            if (point.points <= 0)
                continue;
            const auto& buffer = work_.buffers[buffer_of(name)];
            // A short loop does not reach all slots of a pipelined stage.
            out[name] = {buffer.held_bytes * buffer.copies,
                         buffer.copies == 1 && fills_storage(*point.stage)};
            // An initialisation reads nothing; the step beside it does.
            if (point.role != ComputeRole::Init)
                reads(point);
        }
        for (std::size_t b = 0; b < work_.buffers.size(); ++b) {
            const auto& buffer = work_.buffers[b];
            if (!buffer.is_input)
                continue;
            auto& entry = inputs_[buffer.name];
            double elements = union_volume(std::move(entry.boxes), entry.exact);
            out[buffer.name] = {elements * buffer.element_bytes, entry.exact};
        }
        return out;
    }

private:
    struct Input {
        std::vector<Box> boxes;
        bool exact = true;
        std::unordered_set<Hash> seen; // loads already added, by the definition that they stand in
    };

    std::size_t buffer_of(const std::string& name) const {
        auto at = buffers_.find(name);
        return at == buffers_.end() ? 0 : at->second;
    }

    void reads(const Point& point) {
        const auto& stage = *point.stage;
        auto axes = axes_of(point);
        const auto& nest = nest_of(point);
        bool complete = covers_box(stage) && covers(nest, nest.computed.size(), nest.evaluations);
        auto in = [&](const ExprPtr& e, bool always) {
            if (e && (always || point.taken > 0))
                each_load(e, stage.stage.name, [&](const Expr& load, const Stage& input) {
                    add(load, input, axes,
                        complete && (always || (point.taken_exact && point.taken == point.points)));
                });
        };
        in(point.definition->condition, true);
        bool unconditional = !point.definition->condition;
        for (const auto& value : point.definition->values)
            in(value, unconditional);
        for (const auto& left : point.definition->left)
            in(left, unconditional);
    }

    void each_load(const ExprPtr& e, const std::string& reader,
                   const std::function<void(const Expr&, const Stage&)>& f) {
        visit(e, [&](const Expr& node) {
            if (node.kind != ExprKind::Load)
                return true;
            const Stage* source = work_.tree->derived->find(node.name);
            if (source && source->is_input &&
                inputs_[node.name].seen.insert(hash_of(reader, node.hash)).second)
                f(node, *source);
            return true;
        });
    }

    void add(const Expr& load, const Stage& input, const std::vector<Axis>& axes, bool complete) {
        auto& entry = inputs_[load.name];
        Box box;
        std::uint64_t used = 0;
        bool exact = complete;
        for (std::size_t d = 0; d < load.args.size(); ++d) {
            auto n = input.extents[d].hint();
            auto cover = coverage(load.args[d], axes);
            Interval range;
            if (cover) {
                exact = exact && cover->contiguous && !(used & cover->axes);
                used |= cover->axes;
                range = cover->range;
            } else {
                exact = false;
                auto known = work_.tree->input_boxes.find(load.name);
                range = known != work_.tree->input_boxes.end() && d < known->second.size()
                            ? known->second[d]
                            : Interval{0, n - 1};
            }
            box.push_back(range.empty() ? Interval{0, -1}
                                        : through_boundary(input.boundary.kind, range, n, exact));
        }
        if (std::any_of(box.begin(), box.end(), [](const Interval& i) { return i.empty(); }))
            return;
        entry.exact = entry.exact && exact;
        entry.boxes.push_back(std::move(box));
    }

    // Are, over all its executions, all points of the stage's box computed? At root: yes. Inside a
    // loop: when each reader computes all of its own box and reads without gaps. What one iteration
    // computes is a box that covers all reads in it, so that gaps between different reads are
    // filled.
    bool covers_box(const DerivedStage& stage) {
        if (auto it = covers_.find(stage.stage.name); it != covers_.end())
            return it->second;
        covers_[stage.stage.name] = false; // while it is being decided
        // Where it is stored says nothing: memory at root may be filled from iteration to
        // iteration.
        const StageState* state = work_.tree->state.find(stage.stage.name);
        bool yes = (state && state->compute.kind == Placement::Kind::Root) ||
                   (!pads(work_.tree->state) && read_without_gaps(stage));
        return covers_[stage.stage.name] = yes;
    }

    struct Read {
        const Point* reader;
        const Expr* load;
    };

    // All loads of each stage, by the points that do them.
    const std::vector<Read>& reads_of(const std::string& stage) {
        if (reads_.empty())
            for (const auto& reader : work_.points) {
                if (reader.points <= 0)
                    continue;
                auto in = [&](const ExprPtr& e) {
                    if (e)
                        visit(e, [&](const Expr& node) {
                            if (node.kind == ExprKind::Load)
                                reads_[node.name].push_back({&reader, &node});
                            return true;
                        });
                };
                for (const auto& value : reader.definition->values)
                    in(value);
                in(reader.definition->condition);
                for (const auto& left : reader.definition->left)
                    in(left);
            }
        return reads_[stage];
    }

    bool read_without_gaps(const DerivedStage& stage) {
        const auto& reads = reads_of(stage.stage.name);
        bool any = false;
        const Point* last = nullptr;
        std::vector<Axis> axes;
        for (const auto& read : reads) {
            if (read.reader->stage == &stage)
                continue;
            if (read.reader != last)
                axes = axes_of(*read.reader);
            last = read.reader;
            any = true;
            if (!without_gaps(*read.load, axes) || !covers_box(*read.reader->stage))
                return false;
        }
        return any;
    }

    static bool without_gaps(const Expr& load, const std::vector<Axis>& axes) {
        std::uint64_t used = 0; // two dimensions that move together cover a diagonal, not a box
        for (const auto& index : load.args) {
            auto cover = coverage(index, axes);
            if (!cover || !cover->contiguous || (used & cover->axes))
                return false;
            used |= cover->axes;
        }
        return true;
    }

    const StageLayout& layout_of(const Point& point) const {
        return work_.tree->layout->stages.at(point.stage->stage.name);
    }

    const NestLayout& nest_of(const Point& point) const {
        auto d = point.definition - point.stage->stage.definitions.data();
        return layout_of(point).nests[static_cast<std::size_t>(d)];
    }

    // Is every element of the stage's memory, but for its layout's padding, written? The first
    // definition computes most.
    bool fills_storage(const DerivedStage& stage) const {
        const auto& layout = work_.tree->layout->stages.at(stage.stage.name);
        const auto& nest = layout.nests.front();
        const auto& free = stage.stage.definitions.front().free;
        return covers(nest, free.size(), nest.initializations) &&
               std::equal(layout.extents.begin(), layout.extents.end(), nest.computed.begin());
    }

    std::vector<Axis> axes_of(const Point& point) const {
        std::vector<Axis> axes;
        for (const auto& v : point.definition->free) {
            auto d = point.stage->stage.dimension_of(v);
            auto range = point.stage->box[d];
            if (!range.empty()) // padded tails go beyond the box
                range.greatest += nest_of(point).computed[axes.size()] - layout_of(point).needed[d];
            axes.push_back({v, range});
        }
        for (const auto& axis : point.definition->axes)
            axes.push_back(
                {axis.name, {axis.begin.hint(), axis.begin.hint() + axis.extent().hint() - 1}});
        return axes;
    }

    const Work& work_;
    std::unordered_map<std::string, std::size_t> buffers_;
    std::unordered_map<std::string, std::vector<Read>> reads_;
    std::map<std::string, Input> inputs_;
    std::map<std::string, bool> covers_;
};

} // namespace

std::map<std::string, DistinctBytes> distinct_bytes(const Work& work) {
    return Distinct(work).run();
}

} // namespace loopscope::model
