#pragma once
// Where the elements of an intrinsic's operand are: the third part of tensorize's proof. The
// source's indices are taken as linear forms; each either stands still in the loops inside, or
// moves by one with one axis, or with a part of one.

#include "core/schedule/intrinsics.h"
#include "core/schedule/tensor_match.h"
#include "core/schedule/tensor_spans.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loopscope {

class OperandIndices {
public:
    // An attempt at giving each axis of the intrinsic its span, with what follows.
    struct Attempt {
        std::vector<std::vector<std::size_t>> spans; // of an axis: its parts, the outermost first
        int held = 0;                                // indices that move as they should
        std::optional<Diagnostic> failure;           // the first
    };

    // `spans`: of axes that move inside. `name`: the definition's, for messages. All must outlive
    // this object.
    OperandIndices(const Intrinsic& intrinsic, const Layout& layout, const Definition& definition,
                   const NestLayout& plan, const InnerLoops& inside,
                   const std::vector<AxisSpan>& spans, const std::string& name);

    // The form of an index of the definition: constant ends where it is not known to be linear.
    FormInterval form(const ExprPtr& index) const;
    // Does the form change with loops inside that run over the axis?
    bool moves_with(const LinearForm& form, const AxisSpan& span) const;

    // The operand, if these indices of the source are its elements; else the attempt says what
    // differs. `verb`: "loaded".
    TensorMatch::Operand placed(const IntrinsicOperand& operand, const std::string& source,
                                const std::vector<ExprPtr>& indices, const char* verb,
                                Attempt& attempt) const;

private:
    // An axis of the intrinsic, and the part of it.
    using Part = std::pair<std::size_t, std::size_t>;
    std::optional<Part> part_of(const LinearForm& form, const Attempt& attempt) const;
    // The parts of an axis, whose dimensions are not yet known.
    std::vector<AxisPart> parts(const std::vector<std::size_t>& spans) const;
    std::string moves_text(const LinearForm& form) const;

    const Intrinsic& intrinsic_;
    const Layout& layout_;
    const Definition& definition_;
    const InnerLoops& inside_;
    const std::vector<AxisSpan>& spans_;
    const std::string& name_;
    std::map<std::string, FormInterval> axes_; // of the definition
};

} // namespace loopscope
