// swizzle: along rows of shared memory chunks of 16 bytes change places, as the schedule's
// swizzle() asks for.
//
//     allocate As: f16[128, 32] in shared align 512 swizzle 64
//     As[t/4, ramp(t%4*8, 1, 8)] = …
//     … As[i, k] …
//
//     ->
//
//     allocate As: f16[128, 32] in shared align 512
//     As[t/4, ramp((t%4 ^ t/4/2%4)*8, 1, 8)] = …
//     … As[i, (k/8 ^ i/2%4)*8 + k%8] …
//
// The pattern is that of core/schedule/gpu/swizzling.h; 8 elements of f16 are a chunk. Rows of
// several panels become so many rows, by a dimension further out than all others: Bs[k, j] of 128
// columns is Bs[j/64, k, …]. Elements inside of one chunk keep their order: a vector that lies in
// one stays one access, and the multiple of 8 in its index says that it is aligned. A vector of
// several chunks, or one that is not known to lie in one, is accessed lane by lane.
//
// Before this pass an index says which element is meant, behind it where that lies: passes that ask
// which accesses meet (barriers, reuse_storage) come before. Expects a program that is not flat.
// Guarantees that no allocation asks for a pattern.
#include "compiler/lower/one_lane.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/simplify_expression.h"
#include "compiler/lower/statements.h"
#include "core/schedule/gpu/swizzling.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace loopscope::lower {

namespace {

struct Rows {
    std::vector<Extent> extents;
    Swizzling pattern;
    std::int64_t chunk = 1; // elements of one
    std::int64_t panel = 1; // elements of a panel's row
};

std::int64_t number_of_rows(const std::vector<Extent>& extents) {
    std::int64_t rows = 1;
    for (std::size_t d = 0; d + 1 < extents.size(); ++d)
        rows *= extents[d].constant();
    return rows;
}

class Permutation {
public:
    StatementPtr run(const StatementPtr& s) {
        if (s->kind == StatementKind::Allocate && s->storage->swizzle > 0) {
            const auto size = bytes(s->storage->type);
            const auto pattern = *swizzling(s->storage->extents.back().constant() * size,
                                            number_of_rows(s->storage->extents));
            rows_[s->storage->buffer] = {s->storage->extents, pattern, kSwizzledChunk / size,
                                         pattern.bytes() / size};
        }
        StatementScope inside(scope_, *s);
        auto out =
            with_rebuilt_children(s, scope_, [&](const StatementPtr& child) { return run(child); });
        if (out->kind == StatementKind::Block)
            return out;
        if (s->kind == StatementKind::Allocate && s->storage->swizzle > 0)
            return edited(out, [&](Statement& copy) {
                copy.storage->swizzle = 0;
                const auto& rows = rows_.at(copy.storage->buffer);
                if (rows.pattern.panels() == 1)
                    return;
                copy.storage->extents.back() = Extent(rows.panel);
                copy.storage->extents.insert(copy.storage->extents.begin(),
                                             Extent(rows.pattern.panels()));
            });
        out = map_expressions(out, [&](const ExprPtr& e) { return loads(e); });
        if (!has_place(*s) && s->operands.empty())
            return out;
        if (s->kind == StatementKind::BulkCopy) // the TMA permutes by itself
            return edited(out, [&](Statement& copy) { first_of_panel(copy.operands[0]); });
        return edited(out, [&](Statement& copy) {
            if (copy.access)
                permute(copy.access->buffer, copy.access->indices);
            for (auto& operand : copy.operands)
                if (operand.matrix)
                    first_of_matrix(operand);
                else
                    permute(operand.buffer, operand.indices);
        });
    }

private:
    ExprPtr loads(const ExprPtr& e) {
        return loopscope::rewrite(e, [&](const ExprPtr& x) -> ExprPtr {
            if ((x->kind != ExprKind::Load && x->kind != ExprKind::MaskedLoad) ||
                !rows_.count(x->name))
                return x;
            const bool masked = x->kind == ExprKind::MaskedLoad;
            std::vector<ExprPtr> indices(x->args.begin(), x->args.end() - (masked ? 1 : 0));
            permute(x->name, indices);
            if (masked)
                indices.push_back(x->args.back());
            return with_args(x, std::move(indices));
        });
    }

    void permute(const std::string& buffer, std::vector<ExprPtr>& indices) {
        auto found = rows_.find(buffer);
        if (found == rows_.end())
            return;
        const auto& rows = found->second;
        const bool wide = std::any_of(indices.begin(), indices.end(), [](const ExprPtr& index) {
            return index->type == ScalarType::U32 || bits(index->type) > 32;
        });
        type_ = wide ? ScalarType::I64 : ScalarType::I32;
        into_panel(rows, indices);
        const auto turn = turn_of(rows, indices);
        std::int64_t none = 0;
        if (!constant_value(turn, none) || none != 0)
            indices.back() = place(rows, as_index(indices.back()), turn);
    }

    // The TMA and warpgroups' instructions permute by themselves, from the first row of a pattern
    // on.
    void first_of_panel(Operand& operand) {
        auto found = rows_.find(operand.buffer);
        if (found == rows_.end())
            return;
        type_ = ScalarType::I32;
        into_panel(found->second, operand.indices);
    }
    void first_of_matrix(Operand& operand) {
        first_of_panel(operand);
        const auto& rows = rows_.at(operand.buffer);
        if (operand.matrix->panel_bytes > 0) // with all copies of a pipelined stage
            operand.matrix->panel_bytes = rows.pattern.all_rows * rows.pattern.bytes();
    }

    // Rows of several panels: which one, and where in its row.
    void into_panel(const Rows& rows, std::vector<ExprPtr>& indices) {
        if (rows.pattern.panels() == 1)
            return;
        const auto column = as_index(indices.back());
        const auto first = column->lanes > 1 ? first_of_chunk(rows, column) : nullptr;
        const auto& at = first ? first : column;
        const auto length = number(rows.panel, at->lanes);
        auto within = binary(Op::Modulo, at, length);
        indices.back() = simplify_.run(first ? ramp(within, number(1, 1), column->lanes) : within);
        indices.insert(indices.begin(), simplify_.run(binary(Op::Divide, at, length)));
    }

    // What the number of a chunk of the row is exchanged by, over all lanes where it is the same
    // for them.
    ExprPtr turn_of(const Rows& rows, const std::vector<ExprPtr>& indices) {
        int lanes = 1;
        for (std::size_t d = 0; d + 1 < indices.size(); ++d)
            lanes = std::max<int>(lanes, indices[d]->lanes);
        const auto outer = indices.size() - rows.extents.size(); // the panel, if there are several
        auto row = number(0, lanes);
        for (std::size_t d = 0; d + 1 < indices.size(); ++d) {
            if (d >= outer)
                row = binary(Op::Multiply, row, number(rows.extents[d - outer].constant(), lanes));
            row = binary(Op::Add, row, with_lanes(as_index(indices[d]), lanes));
        }
        const auto turn = simplify_.run(
            binary(Op::Modulo, binary(Op::Divide, row, number(rows.pattern.rows, lanes)),
                   number(rows.pattern.chunks, lanes)));
        const auto same = uniform_value(turn);
        return same ? same : turn;
    }

    ExprPtr place(const Rows& rows, const ExprPtr& column, const ExprPtr& turn) {
        const int lanes = std::max<int>(column->lanes, turn->lanes);
        const auto first = lanes > 1 && turn->lanes == 1 ? first_of_chunk(rows, column) : nullptr;
        return simplify_.run(
            first ? ramp(permuted(rows, first, turn), number(1, 1), lanes)
                  : permuted(rows, with_lanes(column, lanes), with_lanes(turn, lanes)));
    }

    ExprPtr permuted(const Rows& rows, const ExprPtr& column, const ExprPtr& turn) const {
        const auto chunk = number(rows.chunk, column->lanes);
        const auto moved = binary(Op::BitXor, binary(Op::Divide, column, chunk), turn);
        return binary(Op::Add, binary(Op::Multiply, moved, chunk),
                      binary(Op::Modulo, column, chunk));
    }

    // The first lane's index, where the others follow it inside of one chunk.
    ExprPtr first_of_chunk(const Rows& rows, const ExprPtr& column) {
        const int lanes = column->lanes;
        const auto form = scope_.affine(column);
        if (!form || rows.chunk % lanes != 0 || form->coefficient(lane_atom(lanes)) != 1)
            return nullptr;
        auto divisor = form->constant;
        for (const auto& term : form->terms) {
            if (term.atom->lanes > 1)
                return nullptr;
            if (!equal(term.atom, lane_atom(lanes)))
                divisor = std::gcd(divisor, term.coefficient);
        }
        if (divisor % lanes != 0)
            return nullptr;
        return OneLane(scope_, "", lanes, constant_int(column->type, 0)).of(column);
    }

    ExprPtr as_index(const ExprPtr& e) const { return e->type == type_ ? e : cast(type_, e); }
    ExprPtr number(std::int64_t value, int lanes) const {
        return with_lanes(constant_int(type_, value), lanes);
    }

    std::map<std::string, Rows> rows_;
    ScalarType type_ = ScalarType::I32; // of the indices at hand
    KnownFacts scope_;
    ExpressionSimplifier simplify_{scope_};
};

bool asks(const StatementPtr& body) {
    return any_statement(body,
                         [&](const Statement& s) { return s.storage && s.storage->swizzle > 0; });
}

} // namespace

Program swizzle(const Program& program, const TargetInfo&) {
    return map_bodies(program, [](const StatementPtr& body) {
        return asks(body) ? Permutation().run(body) : body;
    });
}

} // namespace loopscope::lower
