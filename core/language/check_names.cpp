// Names of a def's body, checked where the def is written: an unused def is checked too.
#include "core/language/elaborate.h"
#include "core/language/words.h"

#include <algorithm>

namespace loopscope {

namespace {

class NameCheck {
public:
    NameCheck(Elaborator& elaborator, const ast::Statement& def, const NameScope& scope)
        : elaborator_(elaborator), def_(def), scope_(scope) {
        for (const auto& p : def.parameters)
            known_.push_back(p.text);
        for (const auto& v : def.variables)
            known_.push_back(v.text);
    }

    void check(const ast::Expr& e) {
        std::size_t outside = known_.size();
        switch (e.kind) {
        case ast::ExprKind::Name: use(e.name, false); break;
        case ast::ExprKind::Call: use(e.name, true); break;
        case ast::ExprKind::Let:
            check(*e.args[0]);
            known_.push_back(e.name.text);
            check(*e.args[1]);
            known_.resize(outside);
            return;
        case ast::ExprKind::Reduction:
            elaborator_.fail(e.span, scope_,
                             "a reduction stands only at the root of a stage's definition",
                             "make it a stage of its own, and read that", "reduction");
            return;
        default: break;
        }
        // Down a long chain by a loop.
        const ast::Expr* at = &e;
        while (at->kind == ast::ExprKind::Binary) {
            check(*at->args[1]);
            at = at->args[0].get();
        }
        if (at != &e)
            return check(*at);
        for (const auto& a : e.args)
            check(*a);
    }

private:
    void use(const ast::Name& name, bool function) {
        if (name.is_template() || is_reserved(name.text) ||
            std::find(known_.begin(), known_.end(), name.text) != known_.end())
            return;
        std::string text(name.text);
        if (name.text == def_.name.text && !def_.name.is_template())
            return elaborator_.fail(name.span, scope_, "the def '" + text + "' uses itself",
                                    "a def may use only those before it", "recursion");
        if (!elaborator_.find(text, scope_))
            elaborator_.unknown(text, name.span, scope_, function);
    }

    Elaborator& elaborator_;
    const ast::Statement& def_;
    const NameScope& scope_;
    std::vector<std::string_view> known_;
};

} // namespace

void Elaborator::check_names(const ast::Statement& def, const NameScope& scope) {
    NameCheck(*this, def, scope).check(*def.value);
}

} // namespace loopscope
