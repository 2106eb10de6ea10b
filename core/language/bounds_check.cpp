#include "core/language/bounds_check.h"

#include "core/ir/box.h"
#include "core/ir/lets.h"
#include "core/ir/limits.h"
#include "core/ir/value_ranges.h"
#include "core/language/expand.h"
#include "core/language/widen.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr Interval kI32{-2'147'483'648, 2'147'483'647};

ast::Span span_of(const SourceRange& r) {
    return {static_cast<std::uint32_t>(r.begin), static_cast<std::uint32_t>(r.end)};
}

std::string shown(const Interval& i) {
    return std::to_string(i.least) + ".." + std::to_string(i.greatest);
}

// The indices and conditions of one definition, over the ranges of its axes.
class DefinitionCheck {
public:
    DefinitionCheck(const Pipeline& pipeline, const Stage& stage,
                    std::map<std::string, Interval> axes, ValueRanges& values, Reporter& reporter)
        : pipeline_(pipeline), stage_(stage), axes_(std::move(axes)), reporter_(reporter) {
        variables_ = [this](const std::string& name) { return variable(name, let_ranges_, false); };
        wide_variables_ = [this](const std::string& name) {
            return variable(name, wide_let_ranges_, true);
        };
        loads_ = [&values](const std::string& stage, int component) {
            return values.of(stage, component);
        };
    }

    void run(const Definition& d) {
        for (const auto& v : d.values)
            collect_lets(v, lets_);
        for (const auto& v : d.left)
            collect_lets(v, lets_);
        collect_lets(d.condition, lets_);
        for (const auto& v : d.values)
            check_reads(v);
        for (std::size_t i = 0; i < d.left.size(); ++i) {
            check_index(stage_.name, i, d.left[i], false);
            check_reads(d.left[i]);
        }
        check_reads(d.condition);
        check_condition(d.condition);
    }

private:
    using LetRanges = std::map<std::string, std::optional<Interval>>;

    std::optional<Interval> variable(const std::string& name, LetRanges& known_lets, bool wide) {
        if (auto axis = axes_.find(name); axis != axes_.end())
            return axis->second;
        if (auto known = known_lets.find(name); known != known_lets.end())
            return known->second;
        auto let = lets_.find(name);
        if (let == lets_.end())
            return std::nullopt;
        auto range = wide ? wide_range(let->second) : narrow_range(let->second);
        known_lets.emplace(name, range);
        return range;
    }

    std::optional<Interval> narrow_range(const ExprPtr& e) {
        return range_of(with_float_lets(e, lets_), variables_, loads_);
    }
    // As it would be if nothing wrapped in i32.
    std::optional<Interval> wide_range(const ExprPtr& e) {
        return range_of(widen(with_float_lets(e, lets_)), wide_variables_, loads_);
    }

    void check_reads(const ExprPtr& e) {
        if (!e)
            return;
        visit(e, [this](const Expr& node) {
            if (node.kind == ExprKind::Load)
                check_read(node);
            return true;
        });
    }

    void check_read(const Expr& load) {
        const auto* target = pipeline_.find(load.name);
        if (!target)
            return;
        bool any_index = target->is_input && target->boundary.kind != BoundaryKind::None;
        for (std::size_t i = 0; i < load.args.size(); ++i) {
            auto range = check_index(load.name, i, load.args[i], any_index);
            if (!range || any_index || !target->is_input || range->empty())
                continue;
            Interval inside{0, target->extents[i].hint() - 1};
            if (!inside.contains(*range))
                reporter_.error(span_of(load.args[i]->where),
                                "the input '" + load.name + "' is read outside: index " +
                                    std::to_string(i) + " runs over " + shown(*range) +
                                    ", and the input has " + shown(inside) + in_stage(),
                                "give the input a boundary (edge, zero, constant(V), mirror, "
                                "reflect, wrap), or clamp the index to " +
                                    shown(inside),
                                "outside");
        }
    }

    std::string in_stage() const { return " (in the stage '" + stage_.name + "')"; }

    std::optional<Interval> check_index(const std::string& target, std::size_t dimension,
                                        const ExprPtr& index, bool any_index) {
        auto range = narrow_range(index);
        if (range) {
            if (!pipeline_.find(target)->is_input)
                check_point(target, dimension, index, *range);
            return range;
        }
        if (auto wide = wide_range(index)) {
            if (index->type == ScalarType::I32)
                leaves_i32("index " + std::to_string(dimension) + " of '" + target + "'", index,
                           *wide);
        } else if (!any_index) {
            reporter_.error(span_of(index->where),
                            "index " + std::to_string(dimension) + " of '" + target +
                                "' cannot be bounded" + in_stage(),
                            "clamp it to a range: clamp(" +
                                reporter_.quoted(span_of(index->where), "…") + ", LEAST, GREATEST)",
                            "unbounded-index");
        }
        return range;
    }

    // The stage's own variable takes this index's values.
    void check_point(const std::string& target, std::size_t dimension, const ExprPtr& index,
                     const Interval& range) {
        // check_size speaks of the last
        if (range.empty() || kI32.contains(range) || range.extent() > kMaxExtent)
            return;
        reporter_.error(span_of(index->where),
                        "the stage '" + target + "' has no such points: index " +
                            std::to_string(dimension) + " runs over " + shown(range) +
                            ", and index variables are i32, " + shown(kI32) + in_stage(),
                        "clamp the index, or define '" + target + "' over smaller coordinates",
                        "i32-range");
    }

    void leaves_i32(const std::string& what, const ExprPtr& e, const Interval& wide) {
        auto how = kI32.contains(wide) ? std::string("a part of it is too large")
                                       : "it runs over " + shown(wide);
        reporter_.error(span_of(e->where), what + " may leave i32: " + how + in_stage(),
                        "compute it in i64: i64(…)", "i32-range");
    }

    // Comparisons of a condition, for which index arithmetic must not wrap either.
    void check_condition(const ExprPtr& condition) {
        if (!condition)
            return;
        visit(condition, [this](const Expr& node) {
            bool compares =
                node.kind == ExprKind::Binary && node.op >= Op::Less && node.op <= Op::NotEqual;
            if (!compares || node.args[0]->type != ScalarType::I32)
                return true;
            for (const auto& side : node.args)
                if (!narrow_range(side))
                    if (auto wide = wide_range(side); wide && !kI32.contains(*wide))
                        leaves_i32("a condition", side, *wide);
            return true;
        });
    }

    const Pipeline& pipeline_;
    const Stage& stage_;
    std::map<std::string, Interval> axes_;
    Reporter& reporter_;
    RangeOf variables_;
    RangeOf wide_variables_;
    LoadRangeOf loads_;
    std::map<std::string, ExprPtr> lets_;
    LetRanges let_ranges_;
    LetRanges wide_let_ranges_;
};

// For its boxes only: its values' types are no longer those of the stages.
Pipeline widened(const Pipeline& pipeline) {
    Pipeline out = pipeline;
    for (auto& stage : out.stages)
        for (auto& d : stage.definitions)
            d = widen(d);
    out.seal();
    return out;
}

void check_size(const Stage& stage, const Box& box, Reporter& reporter) {
    __int128 size = 0;
    for (auto type : stage.types)
        size += bytes(type);
    for (std::size_t i = 0; i < box.size(); ++i) {
        if (box[i].extent() > kMaxExtent) {
            reporter.error(span_of(stage.origin.range),
                           "the stage '" + stage.name + "' is needed over " + shown(box[i]) +
                               " of '" + stage.variables[i] +
                               "', and an extent is at most 2147483647 (2^31 - 1)",
                           "clamp the index with which it is read", "extent");
            return;
        }
        size = std::min<__int128>(size * box[i].extent(), __int128{kMaxBytes} * 2);
    }
    if (size > kMaxBytes)
        reporter.error(span_of(stage.origin.range),
                       "the stage '" + stage.name + "' needs more than 2^62 bytes",
                       "make it smaller", "extent");
}

} // namespace

void check_bounds(const Pipeline& pipeline, Reporter& reporter) {
    auto boxes = required_boxes(pipeline);
    Diagnostics unbounded;
    if (!boxes) {
        // Perhaps an index only leaves i32; then the boxes follow in i64, and the check below says
        // so.
        unbounded = boxes.errors();
        boxes = required_boxes(widened(pipeline));
    }
    if (!boxes) {
        for (const auto& e : unbounded)
            reporter.add(e);
        return;
    }
    ValueRanges values(pipeline);
    for (const auto& stage : pipeline.stages) {
        const auto& box = boxes->at(stage.name);
        bool needed =
            std::none_of(box.begin(), box.end(), [](const Interval& i) { return i.empty(); });
        if (stage.is_input || !needed)
            continue;
        if (unbounded.empty()) // else the box is that of an index which is itself wrong
            check_size(stage, box, reporter);
        for (const auto& d : stage.definitions) {
            auto axes = axis_ranges(stage, d, box);
            bool runs = std::none_of(axes.begin(), axes.end(),
                                     [](const auto& a) { return a.second.empty(); });
            if (runs)
                DefinitionCheck(pipeline, stage, std::move(axes), values, reporter).run(d);
        }
    }
    if (reporter.error_count() == 0)
        for (const auto& e : unbounded)
            reporter.add(e);
}

} // namespace loopscope
