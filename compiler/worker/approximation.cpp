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

class CallErrors {
public:
    CallErrors(const Stage& stage, const Definition& definition, ErrorSigns signs) : signs_(signs) {
        point_ = definition.kind == DefinitionKind::Update ? definition.free : stage.variables;
        for (const auto& axis : definition.axes)
            point_.push_back(axis.name);
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
        auto error = signed_error(declared_error(*call), signs_, point_, calls_++);
        auto value = cast(kWide, call);
        auto one = constant_float(kWide, 1);
        auto moved = has_absolute_error(call->name)
                         ? binary(Op::Add, value, error)
                         : binary(Op::Multiply, value, binary(Op::Add, one, error));
        return cast(call->type, moved);
    }

    const ErrorSigns signs_;
    std::vector<std::string> point_;
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
