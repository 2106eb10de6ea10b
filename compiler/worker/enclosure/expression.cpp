#include "compiler/worker/enclosure/expression.h"

#include "compiler/worker/enclosure/functions.h"

namespace loopscope::worker {

Enclosure EnclosingExpressions::enclose(const ExprPtr& e) {
    if (auto found = known_.find(e.get()); found != known_.end())
        return found->second;
    auto result = of(e);
    known_.emplace(e.get(), result);
    alive_.push_back(e);
    return result;
}

Enclosure EnclosingExpressions::of(const ExprPtr& e) {
    if (e->kind == ExprKind::Let) {
        lets_[e->name] = e->args[0];
        return enclose(e->args[1]);
    }
    if (e->kind == ExprKind::Load)
        return of_load(*e);
    if (e->kind == ExprKind::Variable)
        if (auto let = lets_.find(e->name); let != lets_.end())
            return enclose(let->second);
    std::vector<Enclosure> args;
    std::vector<ExprPtr> lows;
    for (const auto& arg : e->args) {
        args.push_back(enclose(arg));
        lows.push_back(args.back().low);
    }
    const bool computes_exactly = e->kind != ExprKind::Call || !approximated_;
    if (computes_exactly && all_exact(args))
        return exactly(with_args(e, std::move(lows)));
    switch (e->kind) {
    case ExprKind::Unary: return enclose_unary(e->op, args[0]);
    case ExprKind::Binary: return enclose_binary(e->op, args[0], args[1]);
    case ExprKind::Select: return enclose_select(args[0], args[1], args[2]);
    case ExprKind::Cast: return enclose_cast(e->type, args[0]);
    case ExprKind::Fma: return enclose_fma(args[0], args[1], args[2]);
    case ExprKind::Call: return enclose_call(e->name, approximated_, args);
    default: break;
    }
    return enclose_certain(
        args, [&](const std::vector<ExprPtr>& values) { return with_args(e, values); });
}

// An element whose place is in doubt may be any; it is still read at a place that the definition
// could read, as boxes are inferred from that.
Enclosure EnclosingExpressions::of_load(const Expr& e) {
    auto certain = constant_bool(true);
    std::vector<ExprPtr> indices;
    for (const auto& arg : e.args) {
        auto index = enclose(arg);
        indices.push_back(index.exact() ? index.low : read_index(arg));
        if (!index.exact())
            certain = binary(Op::LogicalAnd, certain, is_certain(index));
    }
    auto part = [&](const std::string& from, int component) {
        return load(from, e.type, indices, component, e.where);
    };
    auto ends = [&](const StageEnclosure& enclosure) {
        auto low = part(enclosure.stage, 2 * e.component);
        return enclosure.exact[static_cast<std::size_t>(e.component)]
                   ? exactly(low)
                   : Enclosure{low, part(enclosure.stage, 2 * e.component + 1)};
    };
    auto other = reads_.others.find(e.name);
    auto element = e.name == reads_.own           ? ends(reads_.before)
                   : other != reads_.others.end() ? ends(other->second)
                                                  : exactly(part(e.name, e.component));
    if (is_constant(certain))
        return element;
    auto none = anything(e.type);
    return {select(certain, element.low, none.low), select(certain, element.high, none.high)};
}

// An index as the reference has it, but that what a stage reads of itself is the low end.
ExprPtr EnclosingExpressions::read_index(const ExprPtr& e) {
    if (auto found = indices_.find(e.get()); found != indices_.end())
        return found->second;
    ExprPtr result;
    if (e->kind == ExprKind::Let) {
        lets_[e->name] = e->args[0];
        result = read_index(e->args[1]);
    } else if (auto let = lets_.find(e->name);
               e->kind == ExprKind::Variable && let != lets_.end()) {
        result = read_index(let->second);
    } else {
        std::vector<ExprPtr> args;
        for (const auto& arg : e->args)
            args.push_back(read_index(arg));
        result = e->kind == ExprKind::Load && e->name == reads_.own
                     ? load(reads_.before.stage, e->type, args, 2 * e->component, e->where)
                     : with_args(e, args);
    }
    indices_.emplace(e.get(), result);
    alive_.push_back(e);
    return result;
}

} // namespace loopscope::worker
