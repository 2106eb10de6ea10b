#include "core/schedule/tensor_indices.h"

#include "core/base/listed.h"

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

std::string ratio_text(std::int64_t step, std::int64_t of) {
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
    for (const auto& axis : operand.axes)
        for (std::size_t a = 0; a < intrinsic_.axes.size(); ++a)
            if (intrinsic_.axes[a].name == axis)
                out.parts.push_back(parts(attempt.spans[a]));
    const auto takes = "the intrinsic takes " + operand_text(operand);
    auto fail = [&](const std::string& what, const std::string& remedy) {
        if (!attempt.failure)
            attempt.failure = error("operand " + operand.name + " of " + intrinsic_.name + ", " +
                                        source + ", is " + verb + " " + what,
                                    remedy);
    };
    auto named = [&](const Part& at) { return spans_[attempt.spans[at.first][at.second]].axis; };
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
        const auto moving = part_of(at.least, attempt);
        if (!moving) {
            fail(text + moves_text(at.least), "its indices take each axis with the coefficient 1");
            continue;
        }
        const auto place = std::find(operand.axes.begin(), operand.axes.end(),
                                     intrinsic_.axes[moving->first].name);
        if (place == operand.axes.end()) {
            fail("at indices that move with " + named(*moving) + ", and " + operand_text(operand) +
                     " does not",
                 takes);
            continue;
        }
        auto& dimension =
            out.parts[static_cast<std::size_t>(place - operand.axes.begin())][moving->second]
                .dimension;
        if (dimension >= 0)
            fail("at two indices that move with " + named(*moving), takes);
        dimension = static_cast<int>(i);
        ++attempt.held;
    }
    for (std::size_t a = 0; a < intrinsic_.axes.size(); ++a) {
        const auto place =
            std::find(operand.axes.begin(), operand.axes.end(), intrinsic_.axes[a].name);
        if (place == operand.axes.end())
            continue;
        const auto& along = out.parts[static_cast<std::size_t>(place - operand.axes.begin())];
        for (std::size_t p = 0; p < along.size(); ++p)
            if (along[p].dimension < 0)
                fail("at indices that do not move with " + named({a, p}), takes);
    }
    return out;
}

// By which the form moves, by one; nothing: it moves otherwise.
std::optional<OperandIndices::Part> OperandIndices::part_of(const LinearForm& form,
                                                            const Attempt& attempt) const {
    for (std::size_t a = 0; a < attempt.spans.size(); ++a)
        for (std::size_t p = 0; p < attempt.spans[a].size(); ++p)
            if (!inside_.moves(form - spans_[attempt.spans[a][p]].value))
                return Part{a, p};
    return std::nullopt;
}

std::vector<AxisPart> OperandIndices::parts(const std::vector<std::size_t>& spans) const {
    std::vector<AxisPart> out;
    std::int64_t step = 1;
    for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
        out.push_back({-1, spans_[*span].extent, step});
        step *= spans_[*span].extent;
    }
    std::reverse(out.begin(), out.end());
    return out;
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
                parts.push_back("by " + ratio_text(own->second, step) + " with " + span.axis);
                break;
            }
    }
    return "moves " + listed(parts);
}

} // namespace loopscope
