#include "core/schedule/tensor_match.h"

#include "core/base/listed.h"
#include "core/schedule/identity.h"
#include "core/schedule/placement.h"
#include "core/schedule/tensor_indices.h"
#include "core/schedule/tensor_spans.h"
#include "core/schedule/tensor_term.h"

#include <algorithm>
#include <tuple>

namespace loopscope {

namespace {

class Matching {
public:
    Matching(const Intrinsic& intrinsic, const ScheduleState& state, const Layout& layout,
             const std::string& stage, int definition, std::size_t from)
        : intrinsic_(intrinsic),
          stage_(*layout.derived->find(stage)),
          definition_(stage_.definitions[static_cast<std::size_t>(definition)]),
          d_(definition),
          nest_(nest_of(state, {stage, definition})),
          plan_(layout.stages.at(stage).nests[static_cast<std::size_t>(definition)]),
          inside_(nest_, plan_, from),
          name_(definition_name(stage, definition)),
          here_(name_ + "." + nest_.loops[from].name),
          indices_(intrinsic_, layout, definition_, plan_, inside_, spans_, name_) {}

    Result<TensorMatch> run() {
        if (auto sums = check_sums(stage_, d_, intrinsic_); !sums)
            return sums.errors();
        auto terms = match_terms(stage_, d_, intrinsic_);
        if (!terms)
            return terms.errors();
        auto spans = axis_spans(nest_, plan_, inside_, name_, here_);
        if (!spans)
            return spans.errors();
        for (auto& span : *spans)
            if (span.extent > 1)
                spans_.push_back(std::move(span));
        if (definition_.kind == DefinitionKind::Update)
            find_summed();
        if (auto count = check_axes(); !count)
            return count.errors();
        if (auto found = choose(*terms); !found)
            return found.errors();
        if (auto whole = check_guards(); !whole)
            return whole.errors();
        return std::move(best_.match);
    }

private:
    // A way to take the definition for the intrinsic, as far as it goes.
    struct Attempt {
        TensorMatch match;
        OperandIndices::Attempt indices;
        bool tried = false;
        bool fits = false; // extents are the intrinsic's

        auto rank() const { return std::tuple(tried, !indices.failure, fits, indices.held); }
    };

    // Finds the axes that are summed over: in an update, those that decide no index of what it
    // changes, free or not.
    void find_summed() {
        for (auto& span : spans_)
            span.reduction =
                std::none_of(definition_.left.begin(), definition_.left.end(), [&](const auto& e) {
                    const auto form = indices_.form(e);
                    return indices_.moves_with(form.least, span) ||
                           indices_.moves_with(form.greatest, span);
                });
    }

    // As many axes inside as the intrinsic has, free ones and those summed over; or more free ones,
    // which together are its.
    Status check_axes() const {
        const bool joins = joins_free();
        for (bool reduction : {false, true}) {
            const auto of = [&](const auto& axis) { return axis.reduction == reduction; };
            const auto has = std::count_if(spans_.begin(), spans_.end(), of);
            const auto takes = std::count_if(intrinsic_.axes.begin(), intrinsic_.axes.end(), of);
            if (has == takes || (has > takes && !reduction && joins))
                continue;
            std::vector<std::string> shape;
            for (const auto& axis : intrinsic_.axes)
                shape.push_back(axis.name + " " + std::to_string(axis.extent) +
                                (axis.reduction ? " summed over" : ""));
            return differs(shape, has < takes
                                      ? "tensorize a loop further out, or put the loops that are "
                                        "missing inside of " +
                                            here_
                                      : "put the other loops outside of " + here_ +
                                            (reduction ? "" : joined_remedy()));
        }
        return success();
    }

    // Rows of an operand that an instruction reads out of shared memory may be those of several
    // dimensions; and are their number.
    bool joins_free() const {
        std::int64_t has = 1, takes = 1;
        for (const auto& span : spans_)
            has *= span.reduction ? 1 : span.extent;
        for (const auto& axis : intrinsic_.axes)
            takes *= axis.reduction ? 1 : axis.extent;
        return reads_shared() && has == takes;
    }

    // The remedy for an intrinsic that reads factors out of shared memory.
    std::string joined_remedy() const {
        std::string extents;
        for (const auto& axis : intrinsic_.axes)
            if (!axis.reduction)
                extents += (extents.empty() ? "" : " and ") + std::to_string(axis.extent);
        return reads_shared()
                   ? ", or, where several number the rows of one operand, split them so that "
                     "the extents' products are " +
                         extents
                   : "";
    }

    bool reads_shared() const {
        return std::any_of(intrinsic_.operands.begin(), intrinsic_.operands.end(),
                           [](const IntrinsicOperand& operand) { return operand.shared; });
    }

    Diagnostic differs(const std::vector<std::string>& shape, std::string remedy) const {
        std::vector<std::string> parts;
        for (const auto& span : spans_)
            parts.push_back(span.axis + " " + std::to_string(span.extent));
        return error("inside of " + here_ + " there are " +
                         (parts.empty() ? "single iterations" : listed(parts)) + ", and " +
                         intrinsic_.name + " takes " + listed(shape),
                     std::move(remedy));
    }

    // Tries each way to read the term with each way to name the axes.
    Status choose(const std::vector<TermMatch>& terms) {
        std::vector<std::size_t> free, summed;
        for (std::size_t s = 0; s < spans_.size(); ++s)
            (spans_[s].reduction ? summed : free).push_back(s);
        std::vector<Groups> ways;
        if (free.size() > free_axes())
            ways = joined(free);
        else
            do {
                auto& way = ways.emplace_back();
                for (auto span : free)
                    way.push_back({span});
            } while (std::next_permutation(free.begin(), free.end()));
        for (const auto& term : terms)
            for (const auto& way : ways)
                do {
                    if (auto now = attempt(term, way, summed); now.rank() > best_.rank())
                        best_ = std::move(now);
                } while (std::next_permutation(summed.begin(), summed.end()));
        if (best_.indices.failure)
            return *best_.indices.failure;
        return best_.fits ? success() : Status(wrong_extents());
    }

    using Groups = std::vector<std::vector<std::size_t>>; // of spans, one for each free axis

    std::size_t free_axes() const {
        return static_cast<std::size_t>(
            std::count_if(intrinsic_.axes.begin(), intrinsic_.axes.end(),
                          [](const auto& axis) { return !axis.reduction; }));
    }

    // Where in the nest the loops over a span begin: axes that are one together count as their
    // loops stand.
    std::size_t position(const AxisSpan& span) const {
        const auto steps = inside_.steps(span.value);
        std::size_t at = 0;
        while (at < plan_.variables.size() && steps->count(plan_.variables[at]) == 0)
            ++at;
        return at;
    }

    // More spans than the intrinsic has free axes: to each axis those that go together.
    std::vector<Groups> joined(std::vector<std::size_t> free) const {
        std::sort(free.begin(), free.end(), [&](std::size_t a, std::size_t b) {
            return position(spans_[a]) < position(spans_[b]);
        });
        std::vector<Groups> out{Groups(free_axes())};
        for (auto span : free) {
            std::vector<Groups> longer;
            for (const auto& way : out)
                for (std::size_t axis = 0; axis < way.size(); ++axis) {
                    longer.push_back(way);
                    longer.back()[axis].push_back(span);
                }
            out = std::move(longer);
        }
        std::erase_if(out, [](const Groups& way) {
            return std::any_of(way.begin(), way.end(), [](const auto& of) { return of.empty(); });
        });
        return out;
    }

    Attempt attempt(const TermMatch& term, const Groups& free,
                    const std::vector<std::size_t>& summed) const {
        Attempt out;
        out.tried = out.fits = true;
        auto next_free = free.begin();
        auto next_summed = summed.begin();
        for (std::size_t a = 0; a < intrinsic_.axes.size(); ++a) {
            const auto& axis = intrinsic_.axes[a];
            const auto places =
                axis.reduction ? std::vector<std::size_t>{*next_summed++} : *next_free++;
            std::int64_t extent = 1;
            for (auto place : places) {
                extent *= spans_[place].extent;
                out.match.axes.push_back({a, spans_[place].axis, spans_[place].base});
            }
            out.fits = out.fits && extent == axis.extent;
            out.indices.spans.push_back(places);
        }
        for (const auto& operand : intrinsic_.operands) {
            const auto& load = term.loads.at(operand.name);
            out.match.operands.push_back(
                indices_.placed(operand, load->name, load->args, "loaded", out.indices));
            out.match.operands.back().load = load;
        }
        out.match.result =
            indices_.placed(intrinsic_.result, stage_.name, own_indices(), "stored", out.indices);
        out.match.rounds = term.rounds;
        out.match.term = rewrite(intrinsic_.term(), [&](const ExprPtr& node) {
            return node->kind == ExprKind::Load ? term.loads.at(node->name) : node;
        });
        return out;
    }

    std::vector<ExprPtr> own_indices() const {
        if (definition_.kind == DefinitionKind::Update)
            return definition_.left;
        std::vector<ExprPtr> out;
        for (const auto& index : stage_.variables)
            out.push_back(variable(index));
        return out;
    }

    Diagnostic wrong_extents() const {
        std::vector<std::string> shape, splits;
        for (std::size_t a = 0; a < intrinsic_.axes.size(); ++a) {
            const auto& places = best_.indices.spans[a];
            const auto& span = spans_[places.front()];
            const auto extent = std::to_string(intrinsic_.axes[a].extent);
            std::vector<std::string> names;
            for (auto place : places)
                names.push_back(spans_[place].axis);
            shape.push_back(listed(names) + " " + extent);
            if (places.size() == 1 && span.extent > intrinsic_.axes[a].extent)
                splits.push_back(span.axis + " by " + extent);
        }
        return differs(shape, splits.empty() ? "another intrinsic may be smaller"
                                             : "split " + listed(splits) +
                                                   " first, and tensorize the inner loops");
    }

    // An instruction has no conditions.
    Status check_guards() const {
        for (const auto& guard : plan_.guards) {
            if (!inside_.moves(guard.value))
                continue;
            const auto span = std::find_if(spans_.begin(), spans_.end(), [&](const AxisSpan& each) {
                return indices_.moves_with(guard.value, each);
            });
            const auto axis = span == spans_.end() ? std::string("an axis") : span->axis;
            return error("the loops over " + axis + " of " + name_ + " end at " +
                             std::to_string(guard.limit) +
                             ", within a tile: its tail is guarded, and " + intrinsic_.name +
                             " computes whole tiles",
                         guard.reduction ? "split by factors that divide, or give " + axis +
                                               " an extent that they divide"
                                         : "split by factors that divide, or with the tail pad");
        }
        return success();
    }

    const Intrinsic& intrinsic_;
    const Stage& stage_;
    const Definition& definition_;
    int d_;
    const DefinitionState& nest_;
    const NestLayout& plan_;
    InnerLoops inside_;
    std::string name_, here_;
    std::vector<AxisSpan> spans_; // of axes that move inside
    OperandIndices indices_;
    Attempt best_;
};

} // namespace

Result<TensorMatch> match_tensor(const Intrinsic& intrinsic, const ScheduleState& state,
                                 const Layout& layout, const std::string& stage, int definition,
                                 std::size_t from) {
    return Matching(intrinsic, state, layout, stage, definition, from).run();
}

} // namespace loopscope
