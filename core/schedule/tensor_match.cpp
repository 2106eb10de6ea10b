#include "core/schedule/tensor_match.h"

#include "core/schedule/identity.h"
#include "core/schedule/placement.h"
#include "core/schedule/tensor_spans.h"
#include "core/schedule/tensor_term.h"

#include <algorithm>
#include <numeric>

namespace loopscope {

namespace {

// "i 16, j 8 and k 16"
std::string listed(const std::vector<std::string>& parts) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : i + 1 < parts.size() ? ", " : " and ") + parts[i];
    return text;
}

class Matching {
public:
    Matching(const Intrinsic& intrinsic, const ScheduleState& state, const Layout& layout,
             const std::string& stage, int definition, std::size_t from)
        : intrinsic_(intrinsic),
          layout_(layout),
          stage_(*layout.derived->find(stage)),
          definition_(stage_.definitions[static_cast<std::size_t>(definition)]),
          d_(definition),
          nest_(nest_of(state, {stage, definition})),
          plan_(layout.stages.at(stage).nests[static_cast<std::size_t>(definition)]),
          inside_(nest_, plan_, from),
          name_(definition_name(stage, definition)),
          here_(name_ + "." + nest_.loops[from].name) {}

    Result<TensorMatch> run() {
        if (auto sums = check_sums(stage_, d_, intrinsic_); !sums)
            return sums.errors();
        auto terms = match_terms(stage_, d_, intrinsic_);
        if (!terms)
            return terms.errors();
        auto spans = axis_spans(nest_, plan_, inside_, name_, here_);
        if (!spans)
            return spans.errors();
        for (const auto& [axis, form] : plan_.axes)
            forms_[axis] = {form, form, true};
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
        std::vector<std::size_t> spans; // by axis of the intrinsic
        int held = -1;                  // indices that move as they should
        bool fits = false;              // extents are the intrinsic's
        std::optional<Diagnostic> failure;
    };

    // Of an update's axes those are summed over that decide no index of what it changes, be they free or not.
    void find_summed() {
        for (auto& span : spans_)
            span.reduction =
                std::none_of(definition_.left.begin(), definition_.left.end(), [&](const auto& e) {
                    const auto form = index_interval(e, definition_, forms_, layout_);
                    return moves_with(form.least, span) || moves_with(form.greatest, span);
                });
    }

    // As many axes inside as the intrinsic has, free ones and those summed over.
    Status check_axes() const {
        for (bool reduction : {false, true}) {
            const auto of = [&](const auto& axis) { return axis.reduction == reduction; };
            const auto has = std::count_if(spans_.begin(), spans_.end(), of);
            const auto takes = std::count_if(intrinsic_.axes.begin(), intrinsic_.axes.end(), of);
            if (has != takes)
                return error("inside of " + here_ + " there are " + inside_text() + ", and " +
                                 intrinsic_.name + " takes " + shape_text(),
                             has < takes
                                 ? "tensorize a loop further out, or put the loops that are "
                                   "missing inside of " +
                                       here_
                                 : "put the other loops outside of " + here_);
        }
        return success();
    }

    std::string inside_text() const {
        std::vector<std::string> parts;
        for (const auto& span : spans_)
            parts.push_back(span.axis + " " + std::to_string(span.extent));
        return parts.empty() ? "single iterations" : listed(parts);
    }

    std::string shape_text() const {
        std::vector<std::string> parts;
        for (const auto& axis : intrinsic_.axes)
            parts.push_back(axis.name + " " + std::to_string(axis.extent) +
                            (axis.reduction ? " summed over" : ""));
        return listed(parts);
    }

    // Tries each way to read the term with each way to name the axes.
    Status choose(const std::vector<TermMatch>& terms) {
        std::vector<std::size_t> free, summed;
        for (std::size_t s = 0; s < spans_.size(); ++s)
            (spans_[s].reduction ? summed : free).push_back(s);
        for (const auto& term : terms) {
            do {
                do {
                    consider(attempt(term, free, summed));
                } while (std::next_permutation(summed.begin(), summed.end()));
            } while (std::next_permutation(free.begin(), free.end()));
        }
        if (best_.failure)
            return *best_.failure;
        if (!best_.fits)
            return wrong_extents();
        return success();
    }

    void consider(Attempt attempt) {
        const auto rank = [](const Attempt& a) { return std::tuple(!a.failure, a.fits, a.held); };
        if (rank(attempt) > rank(best_) || best_.held < 0)
            best_ = std::move(attempt);
    }

    Attempt attempt(const TermMatch& term, const std::vector<std::size_t>& free,
                    const std::vector<std::size_t>& summed) const {
        Attempt out;
        out.held = 0;
        auto next_free = free.begin(), next_summed = summed.begin();
        for (const auto& axis : intrinsic_.axes)
            out.spans.push_back(*(axis.reduction ? next_summed++ : next_free++));
        out.fits = true;
        for (std::size_t a = 0; a < intrinsic_.axes.size(); ++a) {
            const auto& span = spans_[out.spans[a]];
            out.fits = out.fits && span.extent == intrinsic_.axes[a].extent;
            out.match.axes.push_back({span.axis, span.base});
        }
        for (const auto& operand : intrinsic_.operands) {
            const auto& load = term.loads.at(operand.name);
            out.match.operands.push_back(placed(operand, load->name, load->args, out, "loaded"));
            out.match.operands.back().load = load;
        }
        out.match.result = placed(intrinsic_.result, stage_.name, own_indices(), out, "stored");
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

    // Where elements of an operand are: each index of the source either stands still, or is one of the operand's axes.
    TensorMatch::Operand placed(const IntrinsicOperand& operand, const std::string& source,
                                const std::vector<ExprPtr>& indices, Attempt& attempt,
                                const char* verb) const {
        TensorMatch::Operand out;
        out.dimensions.assign(operand.axes.size(), -1);
        auto fail = [&](const std::string& what, const std::string& remedy) {
            if (!attempt.failure)
                attempt.failure = error("operand " + operand.name + " of " + intrinsic_.name +
                                            ", " + source + ", is " + verb + " " + what,
                                        remedy);
        };
        for (std::size_t i = 0; i < indices.size(); ++i) {
            const auto form = index_interval(indices[i], definition_, forms_, layout_);
            const auto text = "index " + std::to_string(i) + ", " + to_text(indices[i]) + ", ";
            if (!form.exact || !(form.least == form.greatest)) {
                fail("where its " + text + "is not linear",
                     "gather such elements in a stage of their own, which " + name_ + " reads");
                continue;
            }
            out.base.push_back(inside_.base(form.least));
            if (!inside_.moves(form.least))
                continue;
            const auto axis = axis_of(form.least, attempt);
            const auto a = axis ? position(operand, *axis) : operand.axes.size();
            if (!axis)
                fail("where its " + text + moves_text(form.least),
                     "its indices take each axis with the coefficient 1");
            else if (a == operand.axes.size())
                fail("at indices that move with " + attempt.match.axes[*axis].axis + ", and " +
                         operand_text(operand) + " does not",
                     "the intrinsic takes " + operand_text(operand));
            else if (out.dimensions[a] >= 0)
                fail("at two indices that move with " + attempt.match.axes[*axis].axis,
                     "the intrinsic takes " + operand_text(operand));
            else {
                out.dimensions[a] = static_cast<int>(i);
                ++attempt.held;
            }
        }
        for (std::size_t a = 0; a < operand.axes.size(); ++a)
            if (out.dimensions[a] < 0)
                fail("at indices that do not move with " +
                         definition_axis(operand.axes[a], attempt),
                     "the intrinsic takes " + operand_text(operand));
        return out;
    }

    // The axis of the intrinsic by which the form moves, by one; nothing: it moves otherwise.
    std::optional<std::size_t> axis_of(const LinearForm& form, const Attempt& attempt) const {
        for (std::size_t a = 0; a < attempt.spans.size(); ++a)
            if (!inside_.moves(form - spans_[attempt.spans[a]].value))
                return a;
        return std::nullopt;
    }

    std::size_t position(const IntrinsicOperand& operand, std::size_t axis) const {
        return static_cast<std::size_t>(
            std::find(operand.axes.begin(), operand.axes.end(), intrinsic_.axes[axis].name) -
            operand.axes.begin());
    }

    std::string definition_axis(const std::string& axis, const Attempt& attempt) const {
        for (std::size_t a = 0; a < intrinsic_.axes.size(); ++a)
            if (intrinsic_.axes[a].name == axis)
                return attempt.match.axes[a].axis;
        return axis;
    }

    // "A[i, k]"
    static std::string operand_text(const IntrinsicOperand& operand) {
        std::string text;
        for (const auto& axis : operand.axes)
            text += (text.empty() ? "" : ", ") + axis;
        return operand.name + "[" + text + "]";
    }

    // How a form moves that moves with no axis by one: "moves by 2 with k".
    std::string moves_text(const LinearForm& form) const {
        const auto steps = inside_.steps(form);
        if (!steps)
            return "is not linear";
        std::vector<std::string> parts;
        for (const auto& span : spans_) {
            const auto axis = inside_.steps(span.value);
            for (const auto& [variable, step] : *axis)
                if (auto own = steps->find(variable); own != steps->end()) {
                    parts.push_back("by " +
                                    (own->second % step == 0 ? std::to_string(own->second / step)
                                                             : std::to_string(own->second) + "/" +
                                                                   std::to_string(step)) +
                                    " with " + span.axis);
                    break;
                }
        }
        return "moves " + listed(parts);
    }

    Diagnostic wrong_extents() const {
        std::vector<std::string> splits;
        for (std::size_t a = 0; a < intrinsic_.axes.size(); ++a) {
            const auto& span = spans_[best_.spans[a]];
            const auto extent = intrinsic_.axes[a].extent;
            if (span.extent > extent)
                splits.push_back(span.axis + " by " + std::to_string(extent));
        }
        std::vector<std::string> shape;
        for (std::size_t a = 0; a < intrinsic_.axes.size(); ++a)
            shape.push_back(best_.match.axes[a].axis + " " +
                            std::to_string(intrinsic_.axes[a].extent));
        return error("inside of " + here_ + " there are " + inside_text() + ", and " +
                         intrinsic_.name + " takes " + listed(shape),
                     splits.empty()
                         ? "another intrinsic may be smaller"
                         : "split " + listed(splits) + " first, and tensorize the inner loops");
    }

    // An instruction has no conditions.
    Status check_guards() const {
        for (const auto& guard : plan_.guards)
            if (inside_.moves(guard.value)) {
                const auto span = std::find_if(spans_.begin(), spans_.end(), [&](const auto& each) {
                    return moves_with(guard.value, each);
                });
                const auto axis = span == spans_.end() ? std::string("an axis") : span->axis;
                return error("the loops over " + axis + " of " + name_ + " end at " +
                                 std::to_string(guard.limit) +
                                 ", within a tile: its tail is guarded, and " + intrinsic_.name +
                                 " computes whole tiles",
                             guard.reduction ? "split by factors that divide, or give " + axis +
                                                   " an extent that they divide"
                                             : "split by factors that divide, or with the tail "
                                               "pad");
            }
        return success();
    }

    // Does the form change with loops over the axis?
    bool moves_with(const LinearForm& form, const AxisSpan& span) const {
        const auto steps = inside_.steps(form), own = inside_.steps(span.value);
        return inside_.moves(form) &&
               (!steps || std::any_of(own->begin(), own->end(), [&](const auto& step) {
                   return steps->count(step.first) > 0;
               }));
    }

    const Intrinsic& intrinsic_;
    const Layout& layout_;
    const Stage& stage_;
    const Definition& definition_;
    int d_;
    const DefinitionState& nest_;
    const NestLayout& plan_;
    InnerLoops inside_;
    std::string name_, here_;
    std::map<std::string, FormInterval> forms_; // of axes
    std::vector<AxisSpan> spans_;               // of axes that move inside
    Attempt best_;
};

} // namespace

Result<TensorMatch> match_tensor(const Intrinsic& intrinsic, const ScheduleState& state,
                                 const Layout& layout, const std::string& stage, int definition,
                                 std::size_t from) {
    return Matching(intrinsic, state, layout, stage, definition, from).run();
}

} // namespace loopscope
