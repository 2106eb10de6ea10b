#include "compiler/worker/decisions.h"

#include "compiler/worker/marks.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace loopscope::worker {

namespace {

// Do the arguments choose what the node gives?
bool chooses(const Expr& e) {
    bool compares = e.kind == ExprKind::Binary && e.op >= Op::Less && e.op <= Op::NotEqual;
    return compares || e.kind == ExprKind::Load || (e.kind == ExprKind::Cast && is_bool(e.type));
}

class Walk {
public:
    Walk(const Definition& definition, const std::function<void(const Expr&, Decides)>& see)
        : see_(see) {
        for (const auto& root : expressions_of(definition))
            visit(root, [this](const Expr& e) {
                if (e.kind == ExprKind::Let)
                    lets_.emplace(e.name, e.args[0].get());
                return true;
            });
    }

    void from(const ExprPtr& root, Decides decides) {
        push(root.get(), decides);
        while (!waiting_.empty()) {
            auto [e, level] = waiting_.back();
            waiting_.pop_back();
            see_(*e, level);
            auto below = chooses(*e) ? std::max(level, Decides::Choice) : level;
            // The value of a let counts where its name stands.
            for (std::size_t i = e->kind == ExprKind::Let ? 1 : 0; i < e->args.size(); ++i)
                push(e->args[i].get(), below);
            if (e->kind == ExprKind::Variable)
                if (auto let = lets_.find(e->name); let != lets_.end())
                    push(let->second, level);
        }
    }

private:
    // A node is taken again only where it decides more than before: at most three times.
    void push(const Expr* e, Decides decides) {
        auto [known, first] = levels_.emplace(e, decides);
        if (!first && known->second >= decides)
            return;
        known->second = decides;
        waiting_.emplace_back(e, decides);
    }

    const std::function<void(const Expr&, Decides)>& see_;
    std::map<std::string, const Expr*> lets_; // their names are unique in a pipeline
    std::unordered_map<const Expr*, Decides> levels_;
    std::vector<std::pair<const Expr*, Decides>> waiting_;
};

} // namespace

void visit_decisions(const Definition& definition,
                     const std::function<void(const Expr&, Decides)>& see) {
    Walk walk(definition, see);
    bool picks = definition.kind == DefinitionKind::Reduction && is_arg(definition.reduction);
    for (const auto& value : definition.values)
        walk.from(value, picks ? Decides::Choice : Decides::Nothing);
    for (const auto& index : definition.left)
        walk.from(index, Decides::Place);
    if (definition.condition)
        walk.from(definition.condition, Decides::Place);
}

} // namespace loopscope::worker
