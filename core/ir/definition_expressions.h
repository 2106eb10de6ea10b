#pragma once
// All expressions of a definition, and the loads in them.

#include "core/ir/pipeline.h"

#include <utility>

namespace loopscope {

// Values, the condition where there is one, the left side. They may be changed in a definition that
// is not const.
template <typename AnyDefinition, typename Visit>
void each_expression(AnyDefinition& definition, Visit&& of_each) {
    auto one = [&](auto& e) {
        if (e)
            of_each(e);
    };
    for (auto& value : definition.values)
        one(value);
    one(definition.condition);
    for (auto& index : definition.left)
        one(index);
}

// A load that stands in several places of one expression, as one node, is visited once.
template <typename Visit> void each_load(const Definition& definition, Visit&& of_each) {
    each_expression(definition, [&](const ExprPtr& e) {
        visit(e, [&](const Expr& node) {
            if (node.kind == ExprKind::Load)
                of_each(node);
            return true;
        });
    });
}

inline bool reads(const Definition& definition, const std::string& stage) {
    bool found = false;
    each_load(definition, [&](const Expr& load) { found = found || load.name == stage; });
    return found;
}

} // namespace loopscope
