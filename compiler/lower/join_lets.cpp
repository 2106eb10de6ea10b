// join_lets: of lets in one another that have one value, the outermost is left.
//
//     let a.min = y*4 - 1                    let a.min = y*4 - 1
//     a[0] = s[a.min]                        a[0] = s[a.min]
//     let b.min = y*4 - 1              →     b[0] = a[a.min - a.min]
//     b[0] = a[b.min - a.min]
//
// Stages that are computed at one place begin at one place, each by a let of its own. Where such
// differences are not seen to be constants, arrays that threads have for themselves are indexed by
// variables, and lie in memory instead of registers.
//
// Expects: any verified program, whose names are unique and hidden by no let of an expression.
// Guarantees: the same values; no let within another one of an equal value that loads nothing.
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <unordered_map>

namespace loopscope::lower {

namespace {

class Joining {
public:
    StatementPtr run(const StatementPtr& s) {
        auto own = map_expressions(s, [&](const ExprPtr& e) { return renamed(e); });
        if (own->kind != StatementKind::Let)
            return with_children(own, joined(own->children));
        // Memory may change between one load and another.
        const bool may_join = own->value->lanes == 1 && !contains_load(own->value);
        const auto same = std::find_if(around_.begin(), around_.end(), [&](const auto* let) {
            return may_join && equal(let->value, own->value);
        });
        if (same != around_.end()) {
            names_[s->variable] = variable((*same)->variable, own->value->type);
            return run(s->children[0]);
        }
        around_.push_back(own.get());
        auto body = joined(own->children);
        around_.pop_back();
        return with_children(own, std::move(body));
    }

private:
    std::vector<StatementPtr> joined(const std::vector<StatementPtr>& children) {
        std::vector<StatementPtr> out;
        for (const auto& child : children)
            out.push_back(child ? run(child) : child);
        return out;
    }

    ExprPtr renamed(const ExprPtr& e) const {
        if (names_.empty())
            return e;
        return substitute(e, [&](const std::string& name) {
            auto found = names_.find(name);
            return found == names_.end() ? nullptr : found->second;
        });
    }

    std::vector<const Statement*> around_;           // lets
    std::unordered_map<std::string, ExprPtr> names_; // of lets that are gone
};

} // namespace

Program join_lets(const Program& program, const TargetInfo&) {
    return map_bodies(program, [](const StatementPtr& body) { return Joining().run(body); });
}

} // namespace loopscope::lower
