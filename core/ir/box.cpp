#include "core/ir/box.h"

#include "core/ir/lets.h"
#include "core/ir/value_ranges.h"

#include <algorithm>
#include <functional>

namespace loopscope {

namespace {

using AxisRanges = std::map<std::string, Interval>;

bool is_empty(const Box& box) {
    return std::any_of(box.begin(), box.end(), [](const Interval& i) { return i.empty(); });
}

Box empty_box(int rank) { return Box(static_cast<std::size_t>(rank)); }

// The loads and the let values of one definition, its condition and its left side.
struct Accesses {
    std::vector<const Expr*> loads;
    std::map<std::string, ExprPtr> lets;

    void collect(const ExprPtr& e) {
        if (!e)
            return;
        visit(e, [&](const Expr& node) {
            if (node.kind == ExprKind::Load)
                loads.push_back(&node);
            return true;
        });
        collect_lets(e, lets);
    }
    explicit Accesses(const Definition& d) {
        for (const auto& value : d.values)
            collect(value);
        for (const auto& index : d.left)
            collect(index);
        collect(d.condition);
    }
};

// AxisRanges of index expressions of one definition: its axes, its lets, and the values of the
// stages it reads.
class IndexRanges {
public:
    IndexRanges(const Pipeline& pipeline, const AxisRanges& axes, const Accesses& accesses,
                ValueRanges& values)
        : pipeline_(pipeline), axes_(axes), accesses_(accesses) {
        variables_ = [this](const std::string& name) { return variable(name); };
        loads_ = [&values](const std::string& stage, int component) {
            return values.of(stage, component);
        };
    }

    std::optional<Interval> of(const ExprPtr& index) {
        return range_of(with_float_lets(index, accesses_.lets), variables_, loads_);
    }

private:
    std::optional<Interval> variable(const std::string& name) {
        if (auto axis = axes_.find(name); axis != axes_.end())
            return axis->second;
        if (auto known = lets_.find(name); known != lets_.end())
            return known->second;
        if (auto let = accesses_.lets.find(name); let != accesses_.lets.end()) {
            auto range = of(let->second);
            lets_.emplace(name, range);
            return range;
        }
        for (const auto& symbol : pipeline_.symbols)
            if (symbol.name == name)
                return Interval{symbol.hint, symbol.hint};
        return std::nullopt;
    }

    const Pipeline& pipeline_;
    const AxisRanges& axes_;
    const Accesses& accesses_;
    RangeOf variables_;
    LoadRangeOf loads_;
    std::map<std::string, std::optional<Interval>> lets_;
};

Diagnostic unbounded(const std::string& target, std::size_t dimension, const ExprPtr& index) {
    auto text = to_text(index);
    if (text.size() > 120)
        text = text.substr(0, 117) + "...";
    return coded_error("unbounded-index",
                       "index " + std::to_string(dimension) + " of '" + target +
                           "' cannot be bounded: " + text,
                       "clamp it to a range: clamp(INDEX, LEAST, GREATEST)", index->where);
}

void note_boundless(const std::string& stage, const Definition& d, Diagnostics& errors) {
    auto e =
        error("the box of '" + stage + "' grows without end through its own updates",
              "clamp the index that moves, or put the variable in `over` with a range", d.where);
    e.code = "unbounded-index";
    errors.push_back(std::move(e));
}

bool is_free_position(const Stage& stage, const Definition& d, std::size_t dimension) {
    const auto& variable = stage.variables[dimension];
    return std::find(d.free.begin(), d.free.end(), variable) != d.free.end();
}

// Hulls of all reads of one definition whose axes run over `axes`.
void add_reads(const Pipeline& pipeline, const AxisRanges& axes, const Accesses& accesses,
               ValueRanges& values, std::map<std::string, Box>& boxes, Diagnostics& errors) {
    IndexRanges ranges(pipeline, axes, accesses, values);
    for (const auto* read : accesses.loads) {
        const auto* target = pipeline.find(read->name);
        bool has_boundary =
            target && target->is_input && target->boundary.kind != BoundaryKind::None;
        Box box;
        for (std::size_t i = 0; i < read->args.size(); ++i) {
            auto range = ranges.of(read->args[i]);
            if (!range && has_boundary)
                range = Interval{0, std::max<std::int64_t>(target->extents[i].hint() - 1,
                                                           0)}; // any index is legal there
            if (!range)
                errors.push_back(unbounded(read->name, i, read->args[i]));
            box.push_back(range.value_or(Interval{}));
        }
        auto [known, added] = boxes.emplace(read->name, box);
        if (!added)
            known->second = hull(known->second, box);
    }
}

bool runs(const AxisRanges& axes) {
    return std::none_of(axes.begin(), axes.end(),
                        [](const auto& axis) { return axis.second.empty(); });
}

// The box that an update writes when its axes run over `axes`.
Box written(const Pipeline& pipeline, const Stage& stage, const Definition& d,
            const AxisRanges& axes, const Box& box, ValueRanges& values, Diagnostics& errors) {
    Accesses accesses(d);
    IndexRanges ranges(pipeline, axes, accesses, values);
    Box result = box;
    for (std::size_t i = 0; i < d.left.size(); ++i) {
        if (is_free_position(stage, d, i))
            continue;
        auto range = ranges.of(d.left[i]);
        if (!range)
            errors.push_back(unbounded(stage.name, i, d.left[i]));
        else
            result[i] = *range;
    }
    return is_empty(result) ? box : hull(box, result);
}

// Extends a stage's box by what its updates write and read of the stage itself.
Box closed_under_updates(const Pipeline& pipeline, const Stage& stage, Box box, ValueRanges& values,
                         Diagnostics& errors) {
    // A free variable stands unchanged in self-reads, so each dimension settles; a chain of updates
    // can hand an extension on once per definition and dimension.
    auto rounds = stage.definitions.size() * (stage.variables.size() + 1) + 1;
    for (std::size_t round = 0; round < rounds; ++round) {
        Box before = box;
        for (std::size_t i = 1; i < stage.definitions.size(); ++i) {
            const auto& d = stage.definitions[i];
            auto axes = axis_ranges(stage, d, box);
            if (!runs(axes))
                continue;
            box = written(pipeline, stage, d, axes, box, values, errors);
            std::map<std::string, Box> reads;
            add_reads(pipeline, axes, Accesses(d), values, reads, errors);
            if (auto self = reads.find(stage.name); self != reads.end())
                box = hull(box, self->second);
        }
        if (box == before || !errors.empty())
            return box;
    }
    note_boundless(stage.name, stage.definitions.back(), errors);
    return box;
}

} // namespace

Box hull(const Box& a, const Box& b) {
    if (is_empty(a))
        return b;
    if (is_empty(b))
        return a;
    Box result = a;
    for (std::size_t i = 0; i < result.size() && i < b.size(); ++i)
        result[i] = hull(a[i], b[i]);
    return result;
}

ExprPtr with_float_lets(const ExprPtr& index, const std::map<std::string, ExprPtr>& lets) {
    std::map<std::string, ExprPtr> known;
    std::function<ExprPtr(const std::string&)> value_of = [&](const std::string& name) -> ExprPtr {
        auto let = lets.find(name);
        if (let == lets.end() || !is_float(let->second->type))
            return nullptr;
        if (auto found = known.find(name); found != known.end())
            return found->second;
        auto value = substitute(let->second, value_of);
        known.emplace(name, value);
        return value;
    };
    return substitute(index, value_of);
}

std::map<std::string, Interval> axis_ranges(const Stage& stage, const Definition& definition,
                                            const Box& box) {
    AxisRanges ranges;
    for (std::size_t i = 0; i < stage.variables.size(); ++i)
        if (is_free_position(stage, definition, i))
            ranges[stage.variables[i]] = box[i];
    for (const auto& axis : definition.axes)
        ranges[axis.name] = Interval{axis.begin.hint(), axis.end.hint() - 1};
    return ranges;
}

Result<Box> box_with_updates(const Pipeline& pipeline, const Stage& stage, const Box& needed,
                             ValueRanges& values) {
    Diagnostics errors;
    auto closed = closed_under_updates(pipeline, stage, needed, values, errors);
    if (!errors.empty())
        return errors;
    return closed;
}

Result<std::map<std::string, Box>> boxes_read(const Pipeline& pipeline, const Stage&,
                                              const Definition& definition,
                                              const std::map<std::string, Interval>& ranges) {
    ValueRanges values(pipeline);
    return boxes_read(pipeline, definition, ranges, values);
}

Result<std::map<std::string, Box>> boxes_read(const Pipeline& pipeline,
                                              const Definition& definition,
                                              const std::map<std::string, Interval>& ranges,
                                              ValueRanges& values) {
    std::map<std::string, Box> boxes;
    Diagnostics errors;
    if (runs(ranges))
        add_reads(pipeline, ranges, Accesses(definition), values, boxes, errors);
    if (!errors.empty())
        return errors;
    return boxes;
}

std::optional<Interval> value_range(const Pipeline& pipeline, const std::string& stage,
                                    int component) {
    return ValueRanges(pipeline).of(stage, component);
}

StageBox stage_box(const Pipeline& pipeline, const Stage& stage, const Box& needed,
                   ValueRanges& values, Diagnostics& errors) {
    StageBox out{needed, {}};
    if (is_empty(needed))
        return out;
    out.box = closed_under_updates(pipeline, stage, needed, values, errors);
    if (!errors.empty())
        return out;
    for (const auto& d : stage.definitions)
        if (auto axes = axis_ranges(stage, d, out.box); runs(axes))
            add_reads(pipeline, axes, Accesses(d), values, out.reads, errors);
    out.reads.erase(stage.name);
    return out;
}

Result<std::map<std::string, Box>> required_boxes(const Pipeline& pipeline) {
    std::map<std::string, Box> boxes;
    for (const auto& stage : pipeline.stages)
        boxes[stage.name] = empty_box(stage.rank());
    for (const auto& output : pipeline.outputs) {
        Box box;
        for (const auto& extent : output.extents)
            box.push_back({0, extent.hint() - 1});
        boxes[output.stage] = hull(boxes[output.stage], box);
    }
    Diagnostics errors;
    ValueRanges values(pipeline);
    for (auto stage = pipeline.stages.rbegin(); stage != pipeline.stages.rend(); ++stage) {
        auto& box = boxes[stage->name];
        if (stage->is_input)
            continue;
        auto found = stage_box(pipeline, *stage, box, values, errors);
        // boxes of producers would only repeat it
        if (!errors.empty())
            return errors;
        box = std::move(found.box);
        for (const auto& [name, read] : found.reads)
            boxes[name] = hull(boxes[name], read);
    }
    return boxes;
}

} // namespace loopscope
