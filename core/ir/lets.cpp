#include "core/ir/lets.h"

namespace loopscope {

void collect_lets(const ExprPtr& e, std::map<std::string, ExprPtr>& lets) {
    if (!e)
        return;
    visit(e, [&](const Expr& node) {
        if (node.kind == ExprKind::Let)
            lets.emplace(node.name, node.args[0]);
        return true;
    });
}

} // namespace loopscope
