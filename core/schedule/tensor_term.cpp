#include "core/schedule/tensor_term.h"

#include "core/schedule/combining.h"
#include "core/schedule/identity.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr std::size_t kShownTerm = 60; // characters of a term in messages

std::string expression_shown(const ExprPtr& e) {
    const auto text = to_text(e);
    return text.size() > kShownTerm ? "a longer one" : text;
}

// Binary digits that values of a type have at most; of integers without the sign.
int digits(ScalarType t) {
    switch (t) {
    case ScalarType::F16: return 11;
    case ScalarType::BF16: return 8;
    case ScalarType::F32: return 24;
    case ScalarType::F64: return 53;
    case ScalarType::Bool: return 1;
    default: return bits(t) - (is_signed(t) ? 1 : 0);
    }
}

// Does a cast keep every value?
bool keeps_values(ScalarType from, ScalarType to) {
    if (from == to)
        return true;
    // f16 has fewer exponents than bf16 has, and too few for integers of 16 bits and more
    if (is_float(to))
        return digits(from) <= digits(to) && to != ScalarType::F16 &&
               !(from == ScalarType::F16 && to == ScalarType::BF16);
    return !is_float(from) && digits(from) <= digits(to) && (!is_signed(from) || is_signed(to));
}

ExprPtr without_casts(const ExprPtr& e) {
    return e->kind == ExprKind::Cast && keeps_values(e->args[0]->type, e->type)
               ? without_casts(e->args[0])
               : e;
}

ExprPtr without_lets(const ExprPtr& e) {
    return rewrite(e, [](const ExprPtr& node) -> ExprPtr {
        if (node->kind != ExprKind::Let)
            return node;
        return substitute(node->args[1], [&](const std::string& name) -> ExprPtr {
            return name == node->name ? node->args[0] : nullptr;
        });
    });
}

class TermMatcher {
public:
    TermMatcher(const Intrinsic& intrinsic, std::string name)
        : intrinsic_(intrinsic), name_(std::move(name)) {}

    // Those of `from` that hold here too, with the operands inside.
    std::vector<TermMatch> match(std::vector<TermMatch> from, const ExprPtr& e, const ExprPtr& p) {
        if (const auto* operand = operand_of(p))
            return match_operand(std::move(from), e, p, *operand);
        const auto term = e->kind == ExprKind::Cast ? without_casts(e) : e;
        if (term->kind != p->kind || term->op != p->op || term->args.size() != p->args.size() ||
            (term->kind == ExprKind::Constant && !equal(term, p)) || term->name != p->name)
            return differ("the term of " + name_ + " is " + expression_shown(e) +
                              ", where that of " + intrinsic_.name + " is " + expression_shown(p),
                          "compute the other parts in a stage of their own");
        if (term->type != p->type)
            return differ(expression_shown(term) + " in " + name_ + " is of " + name(term->type) +
                              ", and " + expression_shown(p) + " in " + intrinsic_.name + " of " +
                              name(p->type),
                          "cast the operands: " + std::string(name(p->type)) + "(…)");
        auto out = in_order(from, *term, *p, false);
        if (p->kind == ExprKind::Binary && (p->op == Op::Add || p->op == Op::Multiply))
            for (auto& match : in_order(from, *term, *p, true))
                if (std::none_of(out.begin(), out.end(),
                                 [&](const auto& other) { return same(other, match); }))
                    out.push_back(std::move(match));
        return out;
    }

    const Diagnostic& difference() const { return *difference_; }

private:
    std::vector<TermMatch> in_order(std::vector<TermMatch> from, const Expr& e, const Expr& p,
                                    bool swapped) {
        for (std::size_t a = 0; a < p.args.size() && !from.empty(); ++a)
            from = match(std::move(from), e.args[swapped ? p.args.size() - 1 - a : a], p.args[a]);
        return from;
    }

    std::vector<TermMatch> match_operand(std::vector<TermMatch> from, const ExprPtr& e,
                                         const ExprPtr& p, const Expr& operand) {
        const auto* found = operand_of(e);
        if (!found)
            return differ("operand " + operand.name + " of " + intrinsic_.name +
                              " is one element, and " + name_ + " takes " + expression_shown(e),
                          "compute that in a stage of its own, of type " +
                              std::string(name(operand.type)));
        // As the intrinsic rounds it, or not at all.
        const bool as_it_is = without_casts(e).get() == found;
        const auto type = intrinsic_.operand(operand.name)->type;
        if (found->type != type)
            return differ("operand " + operand.name + " of " + intrinsic_.name + " is of " +
                              name(type) + ", and " + found->name + " in " + name_ + " of " +
                              name(found->type),
                          "another intrinsic takes " + std::string(name(found->type)) +
                              ", or a stage of " + name(type) + " in place of " + found->name);
        if (e->type != p->type)
            return differ(name_ + " takes " + expression_shown(e) + " as " + name(e->type) +
                              ", and " + intrinsic_.name + " operand " + operand.name + " as " +
                              name(p->type),
                          "cast it: " + std::string(name(p->type)) + "(…)");
        const bool rounded = without_casts(p).get() != &operand;
        if (!as_it_is && !(rounded && equal(with(p, operand, *found), e)))
            return differ(name_ + " takes " + expression_shown(e) + ", which is not as " +
                              intrinsic_.name + " takes its operand " + operand.name,
                          "compute that in a stage of its own");
        std::vector<TermMatch> out;
        for (auto& match : from) {
            auto load = load_of(*found);
            auto known = match.loads.emplace(operand.name, load);
            if (!known.second && !equal(known.first->second, load))
                continue;
            match.rounds = match.rounds || (rounded && as_it_is);
            out.push_back(std::move(match));
        }
        if (out.empty())
            return differ("operand " + operand.name + " of " + intrinsic_.name +
                              " stands there twice, and in " + name_ + " two elements do",
                          "");
        return out;
    }

    static ExprPtr load_of(const Expr& e) {
        return load(e.name, e.type, e.args, e.component, e.where);
    }
    static ExprPtr with(const ExprPtr& p, const Expr& operand, const Expr& found) {
        return rewrite(p, [&](const ExprPtr& node) {
            return node->kind == ExprKind::Load && node->name == operand.name ? load_of(found)
                                                                              : node;
        });
    }

    static bool same(const TermMatch& a, const TermMatch& b) {
        return a.rounds == b.rounds && std::equal(a.loads.begin(), a.loads.end(), b.loads.begin(),
                                                  b.loads.end(), [](const auto& x, const auto& y) {
                                                      return x.first == y.first &&
                                                             equal(x.second, y.second);
                                                  });
    }

    // The first difference, of operands in the order written, is told.
    std::vector<TermMatch> differ(std::string message, std::string remedy) {
        if (!difference_)
            difference_ = error(std::move(message), std::move(remedy));
        return {};
    }

    const Intrinsic& intrinsic_;
    std::string name_;
    std::optional<Diagnostic> difference_;
};

std::string operator_text(const Definition& definition) {
    switch (definition.kind) {
    case DefinitionKind::Pure: return "computes each of its elements once";
    case DefinitionKind::Reduction:
        return std::string("is a reduction by ") + name(definition.reduction);
    case DefinitionKind::Update: break;
    }
    return std::string("is an update by ") + name(definition.update);
}

} // namespace

Status check_sums(const Stage& stage, int d, const Intrinsic& intrinsic) {
    const auto& definition = stage.definitions[static_cast<std::size_t>(d)];
    const auto name = definition_name(stage.name, d);
    const bool sums =
        (definition.kind == DefinitionKind::Reduction &&
         definition.reduction == ReductionOp::Sum) ||
        (definition.kind == DefinitionKind::Update && definition.update == UpdateOp::Add);
    if (!sums)
        return error(name + " " + operator_text(definition) + ", and " + intrinsic.name +
                         " adds up " + expression_shown(intrinsic.term()),
                     "tensorize a definition by sum, or by +=");
    if (stage.types.size() != 1)
        return error(name + " sums tuples, and " + intrinsic.name + " single values",
                     "sum each component in a stage of its own");
    if (definition.condition)
        return error(name + " has a condition, `where`, and " + intrinsic.name + " has none",
                     "compute terms that do not count as 0, in a stage that " + name + " reads");
    if (auto reason = not_combining(stage, definition); !reason.empty())
        return error(name + " cannot be tensorised: " + reason,
                     "tensorize a definition by sum, or by +=");
    if (stage.types.front() != intrinsic.result.type)
        return error(name + " sums in " + loopscope::name(stage.types.front()) + ", and " +
                         intrinsic.name + " in " + loopscope::name(intrinsic.result.type),
                     "sum in " + std::string(loopscope::name(intrinsic.result.type)) +
                         ", and cast the result in a stage that reads it");
    return success();
}

Result<std::vector<TermMatch>> match_terms(const Stage& stage, int d, const Intrinsic& intrinsic) {
    const auto& definition = stage.definitions[static_cast<std::size_t>(d)];
    TermMatcher matcher(intrinsic, definition_name(stage.name, d));
    auto matches =
        matcher.match({TermMatch{}}, without_lets(definition.values.front()), intrinsic.term());
    if (matches.empty())
        return matcher.difference();
    return matches;
}

} // namespace loopscope
