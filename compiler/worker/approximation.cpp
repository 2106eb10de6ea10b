#include "compiler/worker/approximation.h"

#include "compiler/worker/float_values.h"
#include "core/ir/functions.h"

#include <algorithm>

namespace loopscope::worker {

namespace {

constexpr auto kWide = ScalarType::F64;

// At least one unit: what is evaluated in a wider type is still rounded to this one.
double declared_error(const Expr& call) {
    return std::max(1.0, prelude_error_ulp(approximation_of(call.name), call.type)) *
           unit_roundoff(call.type);
}

bool has_absolute_error(const std::string& function) {
    return function == "sin" || function == "cos";
}

ExprPtr is_odd(const ExprPtr& count) {
    auto rest = binary(Op::Modulo, count, constant_int(ScalarType::I32, 2));
    return binary(Op::NotEqual, rest, constant_int(ScalarType::I32, 0));
}

class CallErrors {
public:
    CallErrors(const Stage& stage, const Definition& definition, ErrorSigns signs) : signs_(signs) {
        place_ = constant_int(ScalarType::I32, 0);
        const auto& names =
            definition.kind == DefinitionKind::Update ? definition.free : stage.variables;
        for (const auto& name : names)
            place_ = binary(Op::Add, place_, variable(name));
        for (const auto& axis : definition.axes)
            place_ = binary(Op::Add, place_, variable(axis.name));
    }

    ExprPtr apply(const ExprPtr& e) {
        if (!e)
            return e;
        return rewrite(e, [this](const ExprPtr& node) {
            return node->kind == ExprKind::Call ? with_error(node) : node;
        });
    }

private:
    ExprPtr with_error(const ExprPtr& call) {
        auto error = sign_times(declared_error(*call));
        auto value = cast(kWide, call);
        auto one = constant_float(kWide, 1);
        auto moved = has_absolute_error(call->name)
                         ? binary(Op::Add, value, error)
                         : binary(Op::Multiply, value, binary(Op::Add, one, error));
        return cast(call->type, moved);
    }

    // Neighbouring points, and neighbouring calls of one point, get different signs.
    ExprPtr sign_times(double error) {
        auto up = constant_float(kWide, error), down = constant_float(kWide, -error);
        if (signs_ == ErrorSigns::AllUp)
            return up;
        if (signs_ == ErrorSigns::AllDown)
            return down;
        return calls_++ % 2 ? select(is_odd(place_), up, down) : select(is_odd(place_), down, up);
    }

    const ErrorSigns signs_;
    ExprPtr place_;
    int calls_ = 0;
};

} // namespace

PipelinePtr with_call_errors(const Pipeline& pipeline, const DefinitionSet& approximated,
                             ErrorSigns signs) {
    auto moved = std::make_shared<Pipeline>(pipeline);
    for (auto& stage : moved->stages)
        for (std::size_t d = 0; d < stage.definitions.size(); ++d) {
            if (!approximated.count({stage.name, static_cast<int>(d)}))
                continue;
            auto& definition = stage.definitions[d];
            CallErrors errors(stage, definition, signs);
            // An index keeps its value: a box was inferred for it.
            for (auto& value : definition.values)
                value = errors.apply(value);
            definition.condition = errors.apply(definition.condition);
        }
    moved->seal();
    return moved;
}

} // namespace loopscope::worker
