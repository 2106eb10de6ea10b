// group_products: a warpgroup's instructions that stand one behind the other are begun together,
// and awaited once.
//
//     intrinsic wgmma_m64n128k16_f16 C[0], …               intrinsic wgmma_begin_64 C[0]
//     intrinsic wgmma_m64n128k16_f16 C[0], …       ->      intrinsic wgmma_m64n128k16_f16 C[0], …
//                                                          intrinsic wgmma_m64n128k16_f16 C[0], …
//                                                          intrinsic wgmma_end_64 C[0]
//
// They run beside the warps that begin them: between the two steps nothing else may touch their
// sums, and what they read out of shared memory must stay there (PTX ISA, "Asynchronous Warpgroup
// Level Matrix Instructions": wgmma.fence before the first, a group of them, which is waited for).
//
// Expects a program whose barriers are settled. Guarantees that each such instruction stands in a
// group.
#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

#include <algorithm>

namespace loopscope::lower {

namespace {

// Whether the groups of the two steps have products of one shape.
bool same_shape(const Statement& end, const Statement& begin) {
    return end.instruction.substr(end.instruction.rfind('_')) ==
           begin.instruction.substr(begin.instruction.rfind('_'));
}

StatementPtr group(const StatementPtr& product) {
    const std::vector<Operand> sums{product->operands.front()};
    const auto count = std::to_string(sums_of_lane(*product));
    return block({intrinsic(product->origin, kBeginProducts + count, sums), product,
                  intrinsic(product->origin, kEndProducts + count, sums)});
}

bool is_in(const std::vector<Operand>& list, const Operand& operand) {
    return std::any_of(list.begin(), list.end(),
                       [&](const Operand& known) { return same_place(known, operand); });
}

StatementPtr with_sums(const StatementPtr& step, const std::vector<Operand>& more) {
    return edited(step, [&](Statement& s) {
        for (const auto& operand : more)
            if (!is_in(s.operands, operand))
                s.operands.push_back(operand);
    });
}

// May two places be one that are written differently? Numbers may not.
bool may_meet(const std::vector<Operand>& list, const Operand& operand) {
    return std::any_of(list.begin(), list.end(), [&](const Operand& known) {
        if (known.buffer != operand.buffer)
            return false;
        for (std::size_t d = 0; d < known.indices.size(); ++d) {
            std::int64_t a = 0, b = 0;
            if (constant_value(known.indices[d], a) && constant_value(operand.indices[d], b) &&
                a != b)
                return false;
        }
        return true;
    });
}

// Whether each sum of the next group is one of the group's, or certainly apart from all of them.
bool are_apart(const std::vector<Operand>& group, const std::vector<Operand>& next) {
    return std::all_of(next.begin(), next.end(), [&](const Operand& operand) {
        return is_in(group, operand) || !may_meet(group, operand);
    });
}

// Where one group ends and the next begins, the two are one.
StatementPtr with_joined_groups(const StatementPtr& s) {
    std::vector<StatementPtr> out;
    std::size_t begun = 0; // where the last group begins
    for (const auto& child : s->children) {
        if (begins_products(*child)) {
            if (!out.empty() && ends_products(*out.back()) && same_shape(*out.back(), *child) &&
                are_apart(out[begun]->operands, child->operands)) {
                out.pop_back();
                out[begun] = with_sums(out[begun], child->operands);
                continue;
            }
            begun = out.size();
        }
        out.push_back(ends_products(*child) ? with_sums(child, out[begun]->operands) : child);
    }
    return out.size() == s->children.size() ? s : block(std::move(out), s->origin);
}

} // namespace

Program group_products(const Program& program, const TargetInfo&) {
    return map_bodies(program, [](const StatementPtr& body) {
        bool any = false;
        visit_statements(
            body, [&](const Statement& s) { return !(any = any || is_product_of_group(s)); });
        if (!any)
            return body;
        return rewrite(body, [](const StatementPtr& s) {
            if (is_product_of_group(*s))
                return group(s);
            return s->kind == StatementKind::Block ? with_joined_groups(s) : s;
        });
    });
}

} // namespace loopscope::lower
