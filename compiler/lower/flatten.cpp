// flatten: several indices become one, row-major.
//
//     input A: f32[20, 30]
//     out[y, x] = A[y + 1, 2*x]        →     out[y*30 + x] = A[(y + 1)*30 + 2*x]
//
// Expects: indices within their buffers' extents where a lane is on. Guarantees: every load and
// store has one index, in elements; the source of a bulk copy keeps its own. The index is i32 where
// the buffer has at most 2^31-1 elements, else i64: what the index is modulo 2^32 then says all, so
// sums on the way may wrap. Extents that are symbols make it i64.
#include "compiler/lower/passes.h"
#include "compiler/lower/simplify_expression.h"
#include "compiler/lower/statements.h"

#include <limits>

namespace loopscope::lower {

namespace {

ExprPtr extent_expression(const Extent& extent) {
    auto sum = constant_int(ScalarType::I64, extent.constant());
    for (const auto& [symbol, coefficient] : extent.terms()) {
        auto term = binary(Op::Multiply, variable(symbol, ScalarType::I64),
                           constant_int(ScalarType::I64, coefficient));
        sum = binary(Op::Add, sum, term);
    }
    return sum;
}

struct Layout {
    ScalarType index = ScalarType::I32;
    std::vector<ExprPtr> strides; // one per dimension, of type `index`
};

Layout layout_of(const std::vector<Extent>& extents) {
    Layout layout;
    std::int64_t count = 1;
    bool constant = true;
    for (const auto& e : extents) {
        constant = constant && e.is_constant();
        __int128 product = __int128{count} * (e.is_constant() ? e.constant() : 1);
        constexpr std::int64_t kMaxIndex = std::numeric_limits<std::int32_t>::max();
        if (product > kMaxIndex)
            layout.index = ScalarType::I64;
        count = product > (__int128{1} << 62) ? std::int64_t{1} << 62
                                              : static_cast<std::int64_t>(product);
    }
    if (!constant)
        layout.index = ScalarType::I64;
    auto stride = constant_int(layout.index, 1);
    for (auto e = extents.rbegin(); e != extents.rend(); ++e) {
        layout.strides.insert(layout.strides.begin(), stride);
        auto length =
            e->is_constant() ? constant_int(layout.index, e->constant()) : extent_expression(*e);
        stride = binary(Op::Multiply, stride, length);
    }
    return layout;
}

class Flattening {
public:
    explicit Flattening(const Program& program) {
        for (const auto& b : program.buffers)
            layouts_[b.buffer] = layout_of(b.extents);
        for (const auto& a : program.arguments)
            layouts_[a.buffer] = layout_of(a.extents);
    }

    StatementPtr run(const StatementPtr& s) {
        if (s->kind == StatementKind::Allocate)
            layouts_[s->storage->buffer] = layout_of(s->storage->extents);
        std::vector<StatementPtr> children;
        for (const auto& child : s->children)
            children.push_back(run(child));
        auto rebuilt = with_children(s, std::move(children));
        if (rebuilt->kind == StatementKind::Block)
            return rebuilt;
        rebuilt = map_expressions(rebuilt, [&](const ExprPtr& e) { return loads(e); });
        if (s->kind == StatementKind::BulkCopy) // the TMA counts in coordinates
            return edited(rebuilt, [&](Statement& copy) {
                auto& to = copy.operands[0];
                to.indices = {index(to.buffer, to.indices)};
            });
        if (s->kind == StatementKind::Intrinsic)
            return edited(rebuilt, [&](Statement& copy) {
                for (auto& operand : copy.operands)
                    operand.indices = {index(operand.buffer, operand.indices)};
            });
        if (!has_place(*s))
            return rebuilt;
        return edited(rebuilt, [&](Statement& copy) {
            copy.access->indices = {index(s->access->buffer, copy.access->indices)};
        });
    }

private:
    ExprPtr loads(const ExprPtr& e) {
        return loopscope::rewrite(e, [&](const ExprPtr& x) -> ExprPtr {
            if (x->kind == ExprKind::Load)
                return load(x->name, x->type, {index(x->name, x->args)}, x->component);
            if (x->kind != ExprKind::MaskedLoad)
                return x;
            std::vector<ExprPtr> indices(x->args.begin(), x->args.end() - 1);
            return masked_load(x->name, x->type, {index(x->name, indices)}, x->args.back());
        });
    }

    ExprPtr index(const std::string& buffer, const std::vector<ExprPtr>& indices) {
        const auto& layout = layouts_.at(buffer);
        int lanes = 1;
        for (const auto& i : indices)
            lanes = std::max<int>(lanes, i->lanes);
        ExprPtr sum = with_lanes(constant_int(layout.index, 0), lanes);
        for (std::size_t d = 0; d < indices.size(); ++d) {
            auto i = indices[d]->type == layout.index ? indices[d] : cast(layout.index, indices[d]);
            auto term =
                binary(Op::Multiply, with_lanes(i, lanes), with_lanes(layout.strides[d], lanes));
            sum = d == 0 ? term : binary(Op::Add, sum, term);
        }
        // By ring arithmetic and what lets inside say: of other names nothing is known, nor needed.
        return simplify_.run(sum);
    }

    std::map<std::string, Layout> layouts_;
    KnownFacts scope_;
    ExpressionSimplifier simplify_{scope_};
};

} // namespace

Program flatten(const Program& program, const TargetInfo&) {
    if (program.flat)
        return program;
    Flattening flattening(program);
    auto result =
        map_bodies(program, [&](const StatementPtr& body) { return flattening.run(body); });
    result.flat = true;
    return result;
}

} // namespace loopscope::lower
