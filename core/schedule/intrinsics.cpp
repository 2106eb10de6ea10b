#include "core/schedule/intrinsics.h"

#include "core/base/listed.h"
#include "core/device/gpu.h"
#include "core/schedule/levels.h"
#include "core/schedule/nest.h"

#include <algorithm>

namespace loopscope {

namespace {

// The only load inside, of whatever number; null: none, or several stages or inputs.
const Expr* only_load(const ExprPtr& e) {
    const Expr* found = nullptr;
    bool only = true;
    visit(e, [&](const Expr& node) {
        if (node.kind != ExprKind::Load)
            return true;
        only = only && (!found || found->hash == node.hash);
        found = &node;
        return false;
    });
    return only ? found : nullptr;
}

} // namespace

const IntrinsicOperand* Intrinsic::operand(const std::string& name) const {
    auto found = std::find_if(operands.begin(), operands.end(),
                              [&](const auto& operand) { return operand.name == name; });
    return found == operands.end() ? nullptr : &*found;
}

std::shared_ptr<const Intrinsic> IntrinsicTable::find(const std::string& name) const {
    auto found = std::find_if(all.begin(), all.end(),
                              [&](const auto& intrinsic) { return intrinsic->name == name; });
    return found == all.end() ? nullptr : *found;
}

const Expr* operand_of(const ExprPtr& e) {
    switch (e->kind) {
    case ExprKind::Load: return e.get();
    case ExprKind::Cast: return operand_of(e->args[0]);
    case ExprKind::Reinterpret: return is_float(e->type) ? only_load(e) : nullptr;
    default: return nullptr;
    }
}

std::vector<std::string> known_intrinsics(const ApplyContext& context) {
    std::vector<std::string> names;
    const auto& gpu = target_gpu(context);
    if (context.intrinsics)
        for (const auto& intrinsic : context.intrinsics->all)
            if (gpu.has_intrinsic(intrinsic->name))
                names.push_back(intrinsic->name);
    return names;
}

Result<std::shared_ptr<const Intrinsic>> find_intrinsic(const std::string& name,
                                                        const ApplyContext& context) {
    const auto declared = context.intrinsics ? context.intrinsics->find(name) : nullptr;
    const bool has = target_gpu(context).has_intrinsic(name);
    if (declared && has)
        return declared;
    const auto known = known_intrinsics(context);
    const auto target = target_gpu_name(context);
    const auto remedy = known.empty() ? "vectorize the innermost loop and unroll those around it"
                                      : "tensorize takes " + listed(known) + " there";
    if (has)
        return error(target + " has " + name +
                         ", but what it computes is not declared in the tensor-expression language",
                     remedy);
    const auto nearest = declared ? "" : did_you_mean(name, known);
    return error(target + " declares no intrinsic " + name, nearest.empty() ? remedy : nearest);
}

} // namespace loopscope
