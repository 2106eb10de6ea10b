#include "compiler/lower/one_lane.h"

#include "compiler/lower/statements.h"

namespace loopscope::lower {

bool OneLane::mentions_chunk(const ExprPtr& e) const {
    return !chunk_.empty() && uses_variable(e, chunk_);
}

void OneLane::name(const std::string& name, const ExprPtr& value) {
    if (value->lanes > 1)
        scalars_.insert(name);
}

ExprPtr OneLane::of(const ExprPtr& e) {
    if (e->lanes == 1)
        return mentions_chunk(e) ? nullptr : e;
    if (auto known = known_.find(e.get()); known != known_.end())
        return known->second;
    auto result = e->lanes == lanes_ ? computed(e) : nullptr;
    known_.emplace(e.get(), result);
    return result;
}

ExprPtr OneLane::computed(const ExprPtr& e) {
    if (e->kind == ExprKind::Ramp)
        return ramp(*e);
    if (e->kind == ExprKind::Broadcast)
        return of(e->args[0]);
    if (e->kind == ExprKind::Variable)
        return scalars_.count(e->name) ? variable(e->name, e->type) : nullptr;
    if (is_load(*e))
        return load(*e);
    if (e->kind == ExprKind::Let)
        name(e->name, e->args[0]);
    std::vector<ExprPtr> args;
    for (const auto& a : e->args) {
        args.push_back(of(a));
        if (!args.back())
            return nullptr;
    }
    switch (e->kind) {
    case ExprKind::Unary: return unary(e->op, args[0]);
    case ExprKind::Binary: return binary(e->op, args[0], args[1]);
    case ExprKind::Select: return select(args[0], args[1], args[2]);
    case ExprKind::Cast: return cast(e->type, args[0]);
    case ExprKind::Let: return let(e->name, args[0], args[1]);
    case ExprKind::Fma: return fma(args[0], args[1], args[2]);
    case ExprKind::Call: return call(e->name, args);
    case ExprKind::Reinterpret: return reinterpret(e->type, args[0]);
    default: return nullptr;
    }
}

// base + stride*lane, where the base grows by stride*lanes from chunk to chunk.
ExprPtr OneLane::ramp(const Expr& e) {
    std::int64_t stride = 0;
    if (!constant_value(e.args[1], stride) || e.type != element_->type)
        return nullptr;
    auto rest = e.args[0];
    if (!chunk_.empty()) {
        auto form = scope_.affine(e.args[0]);
        if (!form || form->coefficient(variable(chunk_, e.type)) != stride * lanes_)
            return nullptr;
        for (const auto& term : form->terms)
            if (term.atom->kind != ExprKind::Variable && mentions_chunk(term.atom))
                return nullptr;
        rest = substitute(rest, [&](const std::string& name) {
            return name == chunk_ ? constant_int(e.type, 0) : nullptr;
        });
    }
    return binary(Op::Add, rest, binary(Op::Multiply, element_, e.args[1]));
}

ExprPtr OneLane::load(const Expr& e) {
    bool masked = e.kind == ExprKind::MaskedLoad;
    bool on = masked && mask_ && equal(e.args.back(), mask_);
    std::vector<ExprPtr> args;
    for (std::size_t i = 0; i < e.args.size() - (on ? 1 : 0); ++i) {
        args.push_back(of(e.args[i]));
        if (!args.back())
            return nullptr;
    }
    if (!masked || on)
        return loopscope::load(e.name, e.type, args, e.component);
    auto mask = args.back();
    args.pop_back();
    return masked_load(e.name, e.type, args, mask);
}

} // namespace loopscope::lower
