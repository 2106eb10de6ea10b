#include "compiler/run/reference/contraction.h"

#include <unordered_map>

namespace loopscope::reference {

namespace {

bool is_product(const ExprPtr& e) {
    return e->kind == ExprKind::Binary && e->op == Op::Multiply && is_float(e->type);
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
        if (is_product(right)) {
            auto a = apply(right->args[0]);
            return fma(minus ? unary(Op::Negate, a) : a, apply(right->args[1]), apply(left),
                       e->where);
        }
        if (is_product(left)) {
            auto y = apply(right);
            return fma(apply(left->args[0]), apply(left->args[1]), minus ? unary(Op::Negate, y) : y,
                       e->where);
        }
        return of_args(e);
    }

    std::unordered_map<const Expr*, ExprPtr> done_;
};

} // namespace

ExprPtr contracted(const ExprPtr& e) { return Contraction().apply(e); }

} // namespace loopscope::reference
