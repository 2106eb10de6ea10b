#include "compiler/lower/build_inputs.h"

#include "compiler/lower/build.h"
#include "compiler/lower/statements.h"
#include "core/schedule/region.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace loopscope::lower {

namespace {

void add_interior(const ExprPtr& index, std::int64_t n, Interior& interior) {
    auto at = [&](std::int64_t lane) {
        return substitute(index, [&](const std::string& name) -> ExprPtr {
            return name == interior.variable ? constant_int(ScalarType::I32, lane) : nullptr;
        });
    };
    auto require = [&](const ExprPtr& e) {
        auto both =
            binary(Op::LogicalAnd, binary(Op::GreaterEqual, e, constant_int(ScalarType::I32, 0)),
                   binary(Op::Less, e, constant_int(ScalarType::I32, n)));
        interior.condition =
            interior.condition ? binary(Op::LogicalAnd, interior.condition, both) : both;
    };
    require(at(0));
    if (uses_variable(index, interior.variable))
        require(at(interior.extent - 1));
}

} // namespace

ExprPtr InputLoads::load(const Expr& at, const Stage& input, Interior* interior) const {
    std::vector<ExprPtr> indices;
    ExprPtr inside;
    for (std::size_t d = 0; d < at.args.size(); ++d) {
        const auto& index = at.args[d];
        auto n = input.extents[d].hint();
        if (input.boundary.kind != BoundaryKind::None && in_range(index, n)) {
            indices.push_back(bounded_index(index, BoundaryKind::None, n).index);
            continue;
        }
        // On a device a condition of all lanes is a vector's mask, and no branch.
        if (interior && input.boundary.kind != BoundaryKind::None &&
            (!device_ || uses_variable(index, interior->variable)) &&
            index->type == ScalarType::I32 && affine_in(index, interior->variable)) {
            add_interior(index, n, *interior);
            indices.push_back(index);
            continue;
        }
        auto bounded = bounded_index(index, input.boundary.kind, n);
        indices.push_back(bounded.index);
        if (bounded.inside)
            inside = inside ? binary(Op::LogicalAnd, inside, bounded.inside) : bounded.inside;
    }
    auto value = loopscope::load(at.name, at.type, std::move(indices), at.component, at.where);
    if (!inside)
        return value;
    auto outside = input.boundary.kind == BoundaryKind::Constant ? input.boundary.value
                                                                 : constant_bits(at.type, 0);
    return select(inside, value, outside);
}

// A load would be read before the guard that makes it safe, a let's name means nothing outside its
// let.
bool InputLoads::affine_in(const ExprPtr& e, const std::string& name) const {
    switch (e->kind) {
    case ExprKind::Constant: return true;
    case ExprKind::Variable: return variable_range(e->name).has_value();
    case ExprKind::Unary: return e->op == Op::Negate && affine_in(e->args[0], name);
    case ExprKind::Binary: {
        if (!affine_in(e->args[0], name) || !affine_in(e->args[1], name))
            return false;
        if (e->op == Op::Add || e->op == Op::Subtract || !uses_variable(e, name))
            return true;
        return e->op == Op::Multiply && (is_constant(e->args[0]) || is_constant(e->args[1]));
    }
    default: return false;
    }
}

bool InputLoads::in_range(const ExprPtr& index, std::int64_t n) const {
    auto range = range_of(index, [&](const std::string& name) { return variable_range(name); });
    return range && range->least >= 0 && range->greatest < n;
}

std::optional<Interval> InputLoads::variable_range(const std::string& name) const {
    const auto& layout = *tree_.layout;
    auto base = name.size() > 5 && name.compare(name.size() - 5, 5, ".init") == 0
                    ? name.substr(0, name.size() - 5)
                    : name;
    if (auto loop = layout.loop_extents.find(base); loop != layout.loop_extents.end()) {
        auto begin = layout.starts.find(base);
        return Interval{begin == layout.starts.end() ? 0 : begin->second,
                        std::max<std::int64_t>(loop->second - 1, 0)};
    }
    if (auto region = layout.region_variables.find(name); region != layout.region_variables.end())
        return region->second.least.range();
    return std::nullopt;
}

} // namespace loopscope::lower
