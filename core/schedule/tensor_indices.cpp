#include "core/schedule/tensor_indices.h"

#include "core/schedule/listed.h"

#include <algorithm>

namespace loopscope {

namespace {

// "A[i, k]"
std::string operand_text(const IntrinsicOperand& operand) {
    std::string text;
    for (const auto& axis : operand.axes)
        text += (text.empty() ? "" : ", ") + axis;
    return operand.name + "[" + text + "]";
}

std::string ratio(std::int64_t step, std::int64_t of) {
    return step % of == 0 ? std::to_string(step / of)
                          : std::to_string(step) + "/" + std::to_string(of);
}

} // namespace

OperandIndices::OperandIndices(const Intrinsic& intrinsic, const Layout& layout,
                               const Definition& definition, const NestLayout& plan,
                               const InnerLoops& inside, const std::vector<AxisSpan>& spans,
                               const std::string& name)
    : intrinsic_(intrinsic),
      layout_(layout),
      definition_(definition),
      inside_(inside),
      spans_(spans),
      name_(name) {
    for (const auto& [axis, form] : plan.axes)
        axes_[axis] = {form, form, true};
}

FormInterval OperandIndices::form(const ExprPtr& index) const {
    return index_interval(index, definition_, axes_, layout_);
}

bool OperandIndices::moves_with(const LinearForm& form, const AxisSpan& span) const {
    const auto steps = inside_.steps(form), own = inside_.steps(span.value);
    return inside_.moves(form) &&
           (!steps || std::any_of(own->begin(), own->end(),
                                  [&](const auto& step) { return steps->count(step.first) > 0; }));
}

TensorMatch::Operand OperandIndices::placed(const IntrinsicOperand& operand,
                                            const std::string& source,
                                            const std::vector<ExprPtr>& indices, const char* verb,
                                            Attempt& attempt) const {
    TensorMatch::Operand out;
    out.dimensions.assign(operand.axes.size(), -1);
    const auto takes = "the intrinsic takes " + operand_text(operand);
    auto fail = [&](const std::string& what, const std::string& remedy) {
        if (!attempt.failure)
            attempt.failure = error("operand " + operand.name + " of " + intrinsic_.name + ", " +
                                        source + ", is " + verb + " " + what,
                                    remedy);
    };
    auto named = [&](std::size_t axis) { return spans_[attempt.spans[axis]].axis; };
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const auto at = form(indices[i]);
        const auto text =
            "where its index " + std::to_string(i) + ", " + to_text(indices[i]) + ", ";
        if (!at.exact || !(at.least == at.greatest)) {
            fail(text + "is not linear",
                 "gather such elements in a stage of their own, which " + name_ + " reads");
            continue;
        }
        out.base.push_back(inside_.base(at.least));
        if (!inside_.moves(at.least))
            continue;
        const auto axis = axis_of(at.least, attempt);
        if (!axis) {
            fail(text + moves_text(at.least), "its indices take each axis with the coefficient 1");
            continue;
        }
        const auto place =
            std::find(operand.axes.begin(), operand.axes.end(), intrinsic_.axes[*axis].name);
        if (place == operand.axes.end()) {
            fail("at indices that move with " + named(*axis) + ", and " + operand_text(operand) +
                     " does not",
                 takes);
            continue;
        }
        auto& dimension = out.dimensions[static_cast<std::size_t>(place - operand.axes.begin())];
        if (dimension >= 0)
            fail("at two indices that move with " + named(*axis), takes);
        dimension = static_cast<int>(i);
        ++attempt.held;
    }
    for (std::size_t a = 0; a < intrinsic_.axes.size(); ++a) {
        const auto place =
            std::find(operand.axes.begin(), operand.axes.end(), intrinsic_.axes[a].name);
        if (place != operand.axes.end() &&
            out.dimensions[static_cast<std::size_t>(place - operand.axes.begin())] < 0)
            fail("at indices that do not move with " + named(a), takes);
    }
    return out;
}

// The axis of the intrinsic by which the form moves, by one; nothing: it moves otherwise.
std::optional<std::size_t> OperandIndices::axis_of(const LinearForm& form,
                                                   const Attempt& attempt) const {
    for (std::size_t a = 0; a < attempt.spans.size(); ++a)
        if (!inside_.moves(form - spans_[attempt.spans[a]].value))
            return a;
    return std::nullopt;
}

// How a form moves that moves with no axis by one: "moves by 2 with k".
std::string OperandIndices::moves_text(const LinearForm& form) const {
    const auto steps = inside_.steps(form);
    if (!steps)
        return "is not linear";
    std::vector<std::string> parts;
    for (const auto& span : spans_) {
        const auto axis = inside_.steps(span.value);
        for (const auto& [variable, step] : *axis)
            if (auto own = steps->find(variable); own != steps->end()) {
                parts.push_back("by " + ratio(own->second, step) + " with " + span.axis);
                break;
            }
    }
    return "moves " + listed(parts);
}

} // namespace loopscope
