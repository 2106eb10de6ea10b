// split_vectors: vectors that no register holds are cut into pieces that registers do hold.
//
//     out[ramp(x, 1, 24)] =          out[ramp(x, 1, 16)] = A[ramp(x, 1, 16)]*broadcast(s, 16)
//         A[ramp(x, 1, 24)]     →    out[ramp(x + 16, 1, 8)] =
//             *broadcast(s, 24)          A[ramp(x + 16, 1, 8)]*broadcast(s, 8)
//
// (of f32, with registers of 8). LLVM takes vectors apart that are longer than a register where
// their lanes are a power of two; others it keeps from one block to the next lane by lane, in
// scalars. Pieces are powers of two, the greatest first, and what is left is below one register,
// where LLVM widens. All statements with one number of lanes are cut alike, as their widest element
// asks for, so that the pieces of a let meet those of its uses.
//
// Expects: a flat program without vectorised loops. Guarantees: the same stores of the same bits;
// of two statements in a row the first is done before the second, but for strided stores side by
// side that keep apart: they stay together, piece by piece, so that code generation can interleave
// them.
#include "compiler/lower/known_facts.h"
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <bit>

namespace loopscope::lower {

namespace {

struct Piece {
    int first = 0;
    int lanes = 0;
};

int lanes_of(const Statement& s) {
    if (s.kind == StatementKind::Let)
        return s.value->lanes;
    if (!writes(s))
        return 1;
    int lanes = s.value->lanes;
    for (const auto& index : s.access->indices)
        lanes = std::max<int>(lanes, index->lanes);
    return lanes;
}

// What a load or store gets without a vector of indices.
bool is_strided(const ExprPtr& index) {
    return index->lanes == 1 || index->kind == ExprKind::Ramp || index->kind == ExprKind::Broadcast;
}

// How the vectors of each number of lanes are cut; those that stay whole are left out.
class Cuts {
public:
    Cuts(const StatementPtr& body, int vector_bits) {
        visit_statements(body, [&](const Statement& s) {
            if (s.kind == StatementKind::Let || writes(s))
                values(s.value);
            if (!s.access)
                return true;
            if (s.access->mask)
                values(s.access->mask);
            for (const auto& index : s.access->indices)
                if (!is_strided(index))
                    values(index);
            return true;
        });
        for (const auto& [lanes, width] : widest_)
            if (!std::has_single_bit(static_cast<unsigned>(lanes)) && lanes * width > vector_bits)
                pieces_[lanes] = cut(lanes, std::max(1, vector_bits / width));
    }

    // nullptr: stays whole.
    const std::vector<Piece>* of(int lanes) const {
        auto found = pieces_.find(lanes);
        return found == pieces_.end() ? nullptr : &found->second;
    }
    bool none() const { return pieces_.empty(); }

private:
    void values(const ExprPtr& e) {
        visit(e, [&](const Expr& x) {
            if (x.lanes > 1)
                widest_[x.lanes] = std::max(widest_[x.lanes], bits(x.type));
            if (is_load(x))
                for (const auto& argument : x.args)
                    if (!is_strided(argument))
                        values(argument);
            return !is_load(x);
        });
    }

    static std::vector<Piece> cut(int lanes, int in_register) {
        std::vector<Piece> pieces;
        int first = 0;
        while (lanes - first >= in_register) {
            auto whole = static_cast<int>(std::bit_floor(static_cast<unsigned>(lanes - first)));
            pieces.push_back({first, whole});
            first += whole;
        }
        if (first < lanes)
            pieces.push_back({first, lanes - first});
        return pieces;
    }

    std::map<int, int> widest_; // lanes -> bits of an element
    std::map<int, std::vector<Piece>> pieces_;
};

class Splitting {
public:
    Splitting(const Cuts& cuts, NameSource& names) : cuts_(cuts), names_(names) {}

    StatementPtr run(const StatementPtr& s) {
        StatementScope inside(scope_, *s);
        const auto* pieces = cuts_.of(lanes_of(*s));
        if (pieces && s->kind == StatementKind::Let)
            return let(s, *pieces);
        if (pieces && writes(*s))
            return write(s, *pieces);
        std::vector<StatementPtr> children;
        for (std::size_t i = 0; i < s->children.size();) {
            auto run_of =
                s->kind == StatementKind::Block ? side_by_side(*s, i) : std::vector<StatementPtr>{};
            if (run_of.size() > 1)
                children.push_back(together(run_of, *cuts_.of(lanes_of(*run_of[0]))));
            else
                children.push_back(run(s->children[i]));
            i += std::max<std::size_t>(run_of.size(), 1);
        }
        return with_children(s, std::move(children));
    }

private:
    StatementPtr let(const StatementPtr& s, const std::vector<Piece>& pieces) {
        auto& parts = parts_[s->variable];
        std::vector<std::pair<std::string, ExprPtr>> lets;
        for (const auto& piece : pieces) {
            parts.push_back(names_.fresh(s->variable));
            lets.emplace_back(parts.back(), slice(s->value, piece));
        }
        auto body = run(s->children[0]);
        for (auto l = lets.rbegin(); l != lets.rend(); ++l)
            body = let_statement(s->origin, l->first, l->second, body);
        return body;
    }

    // All lanes load before one stores: that counts where a piece stores what another loads.
    static bool reads_what_it_writes(const Statement& s, const ExprPtr& e) {
        const auto& at = s.access->indices[0];
        std::int64_t stride = 0;
        bool lanes_apart =
            at->kind == ExprKind::Ramp && constant_value(at->args[1], stride) && stride != 0;
        return any_node(e, [&](const Expr& x) {
            return is_load(x) && x.name == s.access->buffer &&
                   !(lanes_apart && equal(x.args[0], at));
        });
    }

    StatementPtr write(const StatementPtr& s, const std::vector<Piece>& pieces) {
        std::vector<std::pair<std::string, ExprPtr>> first;
        auto stored = edited(s, [&](Statement& copy) {
            for (auto* field : {&copy.value, &copy.access->mask, &copy.access->indices[0]})
                if (reads_what_it_writes(*s, *field)) {
                    first.emplace_back(names_.fresh(s->access->buffer + ".before"), *field);
                    *field = vector_variable(first.back().first, (*field)->type, (*field)->lanes);
                }
        });
        if (first.empty())
            return together({s}, pieces);
        for (const auto& [name, value] : first)
            stored = let_statement(s->origin, name, value, stored);
        return run(stored);
    }

    // The strided stores from child `first` on that meet nowhere, none of which reads what they
    // write.
    std::vector<StatementPtr> side_by_side(const Statement& block, std::size_t first) const {
        std::vector<StatementPtr> stores;
        for (auto i = first; i < block.children.size(); ++i) {
            const auto& s = block.children[i];
            bool joins = stride_of(*s) > 1 && cuts_.of(lanes_of(*s)) &&
                         std::all_of(stores.begin(), stores.end(), [&](const StatementPtr& other) {
                             return other->access->buffer == s->access->buffer &&
                                    lanes_of(*other) == lanes_of(*s) &&
                                    stride_of(*other) == stride_of(*s) && apart(*other, *s);
                         });
            if (!joins)
                break;
            stores.push_back(s);
        }
        return stores;
    }

    // 0: no strided store, or one that reads the buffer it writes.
    static std::int64_t stride_of(const Statement& s) {
        std::int64_t stride = 0;
        if (s.kind != StatementKind::Store || s.access->indices[0]->kind != ExprKind::Ramp ||
            !constant_value(s.access->indices[0]->args[1], stride))
            return 0;
        return loads_from(s, s.access->buffer) ? 0 : stride;
    }

    // Two stores of one stride whose places are never the same.
    bool apart(const Statement& a, const Statement& b) const {
        auto x = scope_.affine(a.access->indices[0]->args[0]),
             y = scope_.affine(b.access->indices[0]->args[0]);
        auto between = x && y ? difference(*x, *y) : std::nullopt;
        return between && between->is_constant() && between->constant % stride_of(a) != 0;
    }

    StatementPtr together(const std::vector<StatementPtr>& stores,
                          const std::vector<Piece>& pieces) {
        std::vector<StatementPtr> parts;
        for (const auto& piece : pieces)
            for (const auto& s : stores)
                parts.push_back(
                    map_expressions(s, [&](const ExprPtr& e) { return slice(e, piece); }));
        return block(std::move(parts));
    }

    // The piece's lanes of an expression; what has one value for all lanes stays.
    ExprPtr slice(const ExprPtr& e, const Piece& piece) {
        std::unordered_map<const Expr*, ExprPtr> made;
        return slice(e, piece, made);
    }

    ExprPtr slice(const ExprPtr& e, const Piece& piece,
                  std::unordered_map<const Expr*, ExprPtr>& made) {
        if (e->lanes == 1)
            return e;
        auto& result = made[e.get()];
        if (!result)
            result = sliced(*e, piece, made);
        return result;
    }

    ExprPtr sliced(const Expr& e, const Piece& piece,
                   std::unordered_map<const Expr*, ExprPtr>& made) {
        if (e.kind == ExprKind::Ramp) {
            auto first = binary(Op::Add, e.args[0],
                                binary(Op::Multiply, constant_int(e.type, piece.first), e.args[1]));
            return piece.lanes == 1 ? first : ramp(first, e.args[1], piece.lanes);
        }
        if (e.kind == ExprKind::Broadcast)
            return piece.lanes == 1 ? e.args[0] : broadcast(e.args[0], piece.lanes);
        if (e.kind == ExprKind::Variable)
            return vector_variable(part_of(e, piece), e.type, piece.lanes);
        std::vector<ExprPtr> args;
        for (const auto& argument : e.args)
            args.push_back(slice(argument, piece, made));
        switch (e.kind) {
        case ExprKind::Unary: return unary(e.op, args[0]);
        case ExprKind::Binary: return binary(e.op, args[0], args[1]);
        case ExprKind::Select: return select(args[0], args[1], args[2]);
        case ExprKind::Cast: return cast(e.type, args[0]);
        case ExprKind::Let: return loopscope::let(e.name, args[0], args[1]);
        case ExprKind::Load: return load(e.name, e.type, std::move(args), e.component);
        case ExprKind::Fma: return fma(args[0], args[1], args[2]);
        case ExprKind::Call: return call(e.name, std::move(args));
        case ExprKind::Reinterpret: return reinterpret(e.type, args[0]);
        default: {
            auto mask = args.back();
            args.pop_back();
            return masked_load(e.name, e.type, std::move(args), mask);
        }
        }
    }

    // The name that a let's piece has; a name that an expression binds has as many lanes as its
    // value now has.
    const std::string& part_of(const Expr& name, const Piece& piece) const {
        auto parts = parts_.find(name.name);
        if (parts == parts_.end())
            return name.name;
        const auto& pieces = *cuts_.of(name.lanes);
        auto at = std::find_if(pieces.begin(), pieces.end(),
                               [&](const Piece& p) { return p.first == piece.first; });
        return parts->second[static_cast<std::size_t>(at - pieces.begin())];
    }

    const Cuts& cuts_;
    NameSource& names_;
    KnownFacts scope_;
    std::unordered_map<std::string, std::vector<std::string>> parts_; // of lets
};

} // namespace

Program split_vectors(const Program& program, const TargetInfo& target) {
    NameSource names(program);
    return map_bodies(program, [&](const StatementPtr& body) {
        Cuts cuts(body, target.vector_bits);
        return cuts.none() ? body : Splitting(cuts, names).run(body);
    });
}

} // namespace loopscope::lower
