#include "core/schedule/directives/contract.h"

#include "core/schedule/nest.h"

namespace loopscope {

const char* Contract::summary() const {
    return "Fuses multiplications and additions by rule: one rounding instead of two.";
}

void Contract::visit_fields(FieldVisitor&) {}

Status Contract::apply(ScheduleState& state, const ApplyContext&) const {
    auto found = find_definition(state, receiver);
    if (!found)
        return at("receiver", found.errors());
    const auto* definition = state.definition(receiver.stage, receiver.definition);
    if (!definition)
        return refuse("receiver", receiver.text() + " is a copy: there is nothing to fuse",
                      "contract the stage that computes");
    bool floats = false;
    for (const auto& value : definition->values)
        visit(value, [&](const Expr& e) {
            floats = floats || (is_float(e.type) &&
                                (e.kind == ExprKind::Binary || e.kind == ExprKind::Unary));
            return !floats;
        });
    if (!floats && !is_float(state.declared(receiver.stage).types.front()))
        return refuse("receiver",
                      receiver.text() + " computes " +
                          name(state.declared(receiver.stage).types.front()) +
                          ": there is nothing to fuse",
                      "contract is for definitions that compute floats");
    state.edit(receiver.stage).definitions[static_cast<std::size_t>(receiver.definition)].contract =
        true;
    return success();
}

std::string Contract::describe() const { return "contract " + receiver.text(); }

} // namespace loopscope
