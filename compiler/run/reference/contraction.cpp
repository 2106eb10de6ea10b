#include "compiler/run/reference/contraction.h"

#include <unordered_map>

namespace loopscope::reference {

namespace {

// The product that stands in the expression, inside of lets or not; null: it is none.
const Expr* product_in(const ExprPtr& e) {
    const Expr* inner = e.get();
    while (inner->kind == ExprKind::Let)
        inner = inner->args[1].get();
    bool product =
        inner->kind == ExprKind::Binary && inner->op == Op::Multiply && is_float(inner->type);
    return product ? inner : nullptr;
}

class Contraction {
public:
    ExprPtr apply(const ExprPtr& e) {
        if (e->args.empty())
            return e;
        if (auto found = done_.find(e.get()); found != done_.end())
            return found->second;
        bool sum = e->kind == ExprKind::Binary && (e->op == Op::Add || e->op == Op::Subtract) &&
                   is_float(e->type);
        auto result = sum ? of_sum(e) : of_args(e);
        done_.emplace(e.get(), result);
        return result;
    }

private:
    ExprPtr of_args(const ExprPtr& e) {
        std::vector<ExprPtr> args;
        for (const auto& a : e->args)
            args.push_back(apply(a));
        return with_args(e, std::move(args));
    }

    ExprPtr of_sum(const ExprPtr& e) {
        const auto &left = e->args[0], &right = e->args[1];
        bool minus = e->op == Op::Subtract;
        if (const auto* product = product_in(right)) {
            auto a = apply(product->args[0]);
            return within_lets(right, fma(minus ? unary(Op::Negate, a) : a, apply(product->args[1]),
                                          apply(left), e->where));
        }
        if (const auto* product = product_in(left)) {
            auto y = apply(right);
            return within_lets(left, fma(apply(product->args[0]), apply(product->args[1]),
                                         minus ? unary(Op::Negate, y) : y, e->where));
        }
        return of_args(e);
    }

    // The lets around a product, around its fma. What is added lies inside them then; names of lets
    // are those of one value in a pipeline, so that none means another thing there.
    ExprPtr within_lets(const ExprPtr& around, ExprPtr body) {
        if (around->kind != ExprKind::Let)
            return body;
        return let(around->name, apply(around->args[0]),
                   within_lets(around->args[1], std::move(body)), around->where);
    }

    std::unordered_map<const Expr*, ExprPtr> done_;
};

} // namespace

ExprPtr contracted(const ExprPtr& e) { return Contraction().apply(e); }

} // namespace loopscope::reference
