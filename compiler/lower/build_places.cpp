#include "compiler/lower/build_places.h"

#include "compiler/lower/statements.h"

#include <utility>

namespace loopscope::lower {

namespace {

// A minimum without clamps is substituted, so that indices relative to it cancel; others get a
// name.
bool is_plain(const ExprPtr& e) {
    bool plain = true;
    visit(e, [&](const Expr& node) {
        plain = plain && !(node.kind == ExprKind::Binary &&
                           (node.op == Op::Min || node.op == Op::Max || node.op == Op::Divide ||
                            node.op == Op::Modulo));
        return plain;
    });
    return plain;
}

} // namespace

void Places::enter(const TreeNode& node, std::vector<std::size_t> storage_order) {
    orders_[node.id.stage] = std::move(storage_order);
    auto& places = places_[node.id.stage];
    places.clear();
    rotations_.erase(node.id.stage);
    if (node.rotation > 1) {
        // Its minima are those of two iterations, the one that computes and the one that uses: no
        // name stands for both.
        for (const auto& d : node.region.dimensions)
            if (!d.variable.empty())
                plain_[d.variable] = resolved(d.min);
        rotations_[node.id.stage] = binary(Op::Modulo, variable(node.rotates_with),
                                           constant_int(ScalarType::I32, node.rotation));
    }
    for (const auto& d : node.region.dimensions)
        places.push_back({node.rotation > 1 || d.variable.empty() || is_plain(d.min)
                              ? resolved(d.min)
                              : variable(d.variable),
                          d.unfolded > 0 ? d.extent.hint() : 0});
    note_minima(node.region);
}

void Places::note_minima(const Region& region) {
    for (const auto& d : region.dimensions)
        if (!d.variable.empty())
            (is_plain(d.min) ? plain_ : named_)[d.variable] = resolved(d.min);
}

ExprPtr Places::spelled_out(const ExprPtr& e) const {
    return substitute(e, [&](const std::string& name) -> ExprPtr {
        auto it = named_.find(name);
        return it == named_.end() ? nullptr : spelled_out(it->second);
    });
}

StatementPtr Places::with_minima(const TreeNode& node, StatementPtr body) const {
    for (auto d = node.region.dimensions.rbegin(); d != node.region.dimensions.rend(); ++d)
        if (!d->variable.empty() && !is_plain(d->min))
            body = let_statement(node.id, d->variable, resolved(d->min), std::move(body));
    return body;
}

// What stands for a variable may have been noted before that of a stage around it was: memory of a
// pipelined stage lies outside of the stages that it is computed in.
ExprPtr Places::resolved(const ExprPtr& e) const {
    return substitute(e, [&](const std::string& name) -> ExprPtr {
        auto it = plain_.find(name);
        return it == plain_.end() ? nullptr : resolved(it->second);
    });
}

std::vector<ExprPtr> Places::relative(const std::string& stage,
                                      const std::vector<ExprPtr>& indices) const {
    const auto& places = places_.at(stage);
    std::vector<ExprPtr> out;
    for (std::size_t d = 0; d < indices.size(); ++d) {
        auto index =
            indices[d]->type == ScalarType::I32 ? indices[d] : cast(ScalarType::I32, indices[d]);
        if (places[d].fold > 0) {
            out.push_back(binary(Op::Modulo, index, constant_int(ScalarType::I32, places[d].fold)));
            continue;
        }
        std::int64_t zero = 1;
        const auto least = resolved(places[d].min);
        bool plain = constant_value(least, zero) && zero == 0;
        out.push_back(plain ? index : binary(Op::Subtract, index, least));
    }
    std::vector<ExprPtr> in_memory;
    for (auto d : orders_.at(stage))
        in_memory.push_back(out[d]);
    if (auto rotation = rotations_.find(stage); rotation != rotations_.end())
        in_memory.insert(in_memory.begin(), rotation->second);
    return in_memory;
}

} // namespace loopscope::lower
