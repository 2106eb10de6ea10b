// promote_tiles: what a serial loop accumulates in unrolled loops stays in a small array of its own
// while it runs.
//
//     unrolled for ii in 0..8 { C[i*8 + ii, …] = 0 }  allocate C.tile: f32[8, 32] in register
//     for k in 0..512 {                               unrolled for ii in 0..8 { C.tile[ii, …] = 0 }
//         unrolled for ii_1 in 0..8 {                 for k in 0..512 {
//             C[i*8 + ii_1, …] =                          unrolled for ii_1 in 0..8 {
//                 C[i*8 + ii_1, …] + A[…]*B[…]    →           C.tile[ii_1, …] =
//         }                                                       C.tile[ii_1, …] + A[…]*B[…]
//     }                                                   }
//                                                     }
//                                                     unrolled for ii_2 in 0..8 {
//                                                         C[i*8 + ii_2, …] = C.tile[ii_2, …]
//                                                     }
//
// It does for unrolled loops that stay loops, in source for people, what promote_accumulators does
// for copies of their bodies. Compilers of C do not know that the array in memory overlaps no
// other; the small one, indexed by constants once they unroll the loops, they keep in registers.
//
// For a buffer all of whose accesses in the loop are at one place, which moves with unrolled loops
// alone: of constant bounds and at most kMaxTileElements iterations in all, no two of which touch
// the same element. Accesses have no masks, and one of them at least is made in every run of the
// loop. First values are stored to the array if the statement right before the loop stores them, in
// unrolled loops of the same extents; else they are loaded.
//
// In a loop that waits for other threads it is done for memory of the thread alone: between two
// barriers no other thread touches an element that this one writes, beyond one it may.
//
// Expects: vectors made. Guarantees: the same values in memory after the loop.
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/promotion.h"
#include "compiler/lower/statements.h"
#include "core/base/fields.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

namespace loopscope::lower {

namespace {

constexpr std::int64_t kMaxTileElements = 64; // more would not be registers any longer
constexpr std::int64_t kMaxBytes = 8 << 10;

struct Axis {
    std::string name; // of an unrolled loop
    ScalarType type = ScalarType::I32;
    std::int64_t begin = 0, extent = 0;
};

struct Tile {
    std::string buffer;
    ScalarType type = ScalarType::F32;
    int lanes = 1;
    std::vector<ExprPtr> indices; // of all accesses
    NodeId origin;
    std::vector<Axis> axes; // that occur in the indices, in the order of the loops
    bool possible = true, stored = false, loaded = false, certain = false;
    bool streaming = false; // some store of it
};

// The accesses of one loop.
class TileCollector {
public:
    TileCollector(const StatementPtr& loop, KnownFacts& scope) : scope_(scope) {
        statement(*loop, true, true);
    }

    std::vector<Tile> take() {
        std::vector<Tile> out;
        for (auto& [buffer, tile] : found_)
            if (!allocated_.count(buffer) && tile.possible && tile.stored && tile.loaded &&
                tile.certain && is_small(tile) && is_apart(tile))
                out.push_back(tile);
        return out;
    }

private:
    void statement(const Statement& s, bool certain, bool serial) {
        auto mark = scope_.mark();
        for (const auto& e : expressions(s))
            loads(e, s.origin, certain, serial);
        if (writes(s)) {
            access(s.access->buffer, s.value->type, s.value->lanes, s.access->indices, s.origin,
                   certain, serial);
            auto& tile = found_[s.access->buffer];
            tile.stored = true;
            tile.streaming = tile.streaming || s.access->streaming;
            tile.possible = tile.possible && s.kind == StatementKind::Store && !s.access->mask;
        }
        bool unrolled = s.kind == StatementKind::For && s.loop->kind == ForKind::Unrolled;
        for (const auto& operand : s.operands)
            found_[operand.buffer].possible = false;
        if (s.kind == StatementKind::For) {
            auto trips = scope_.range(s.loop->extent);
            certain = certain && trips && trips->least >= 1;
            serial = serial && (s.loop->kind == ForKind::Serial || unrolled);
            scope_.bind_loop(s.variable, s.loop->begin, s.loop->extent);
            bound_.insert(s.variable);
            Axis axis{s.variable, s.loop->begin->type, 0, 0};
            if (unrolled && constant_value(s.loop->begin, axis.begin) &&
                constant_value(s.loop->extent, axis.extent))
                axes_.push_back(axis);
        }
        if (s.kind == StatementKind::Let) {
            scope_.bind_let(s.variable, s.value);
            bound_.insert(s.variable);
        }
        if (s.kind == StatementKind::Allocate)
            allocated_.insert(s.storage->buffer);
        for (const auto& child : s.children)
            statement(*child, certain && s.kind != StatementKind::If, serial);
        if (!axes_.empty() && s.kind == StatementKind::For && axes_.back().name == s.variable)
            axes_.pop_back();
        scope_.restore(mark);
    }

    void loads(const ExprPtr& e, const NodeId& origin, bool certain, bool serial) {
        visit(e, [&](const Expr& x) {
            if (x.kind == ExprKind::Load) {
                access(x.name, x.type, x.lanes, x.args, origin, certain, serial);
                found_[x.name].loaded = true;
            }
            if (x.kind == ExprKind::MaskedLoad)
                found_[x.name].possible = false;
            return true;
        });
    }

    void access(const std::string& buffer, ScalarType type, int lanes,
                const std::vector<ExprPtr>& indices, const NodeId& origin, bool certain,
                bool serial) {
        auto [place, fresh] = found_.try_emplace(buffer);
        auto& tile = place->second;
        if (!tile.possible)
            return;
        int wide = 1;
        for (const auto& i : indices)
            wide = std::max<int>(wide, i->lanes);
        if (fresh) {
            tile.buffer = buffer;
            tile.type = type;
            tile.lanes = lanes;
            tile.indices = indices;
            tile.origin = origin;
            tile.possible = moves_with_axes(tile);
        }
        tile.certain = tile.certain || certain;
        tile.possible = tile.possible && serial && lanes == wide && lanes == tile.lanes &&
                        same_value(indices, tile.indices);
    }

    // Finds the axes; false if anything else of the loop moves the place.
    bool moves_with_axes(Tile& tile) const {
        std::set<std::string> used;
        bool loads = false;
        for (const auto& i : tile.indices) {
            loads = loads || contains_load(i);
            visit(i, [&](const Expr& x) {
                if (x.kind == ExprKind::Variable && bound_.count(x.name))
                    used.insert(x.name);
                return true;
            });
        }
        for (const auto& axis : axes_)
            if (used.erase(axis.name))
                tile.axes.push_back(axis);
        return !loads && used.empty();
    }

    static bool is_small(const Tile& tile) {
        std::int64_t count = 1;
        for (const auto& axis : tile.axes) {
            if (axis.extent < 1 || axis.extent > kMaxTileElements)
                return false;
            count *= axis.extent;
            if (count > kMaxTileElements)
                return false;
        }
        return count * tile.lanes * bytes(tile.type) <= kMaxBytes;
    }

    // Do any two iterations of the axes touch different elements?
    bool is_apart(const Tile& tile) const {
        std::vector<std::optional<Affine>> forms;
        for (const auto& i : tile.indices)
            forms.push_back(scope_.affine(i));
        // Steps between two iterations, up to their sign.
        std::vector<std::int64_t> step(tile.axes.size(), 0);
        for (std::size_t a = 0; a < step.size(); ++a)
            step[a] = 1 - tile.axes[a].extent;
        while (true) {
            bool none = std::all_of(step.begin(), step.end(), [](auto s) { return s == 0; });
            // the later steps are these with the other sign
            if (none)
                return true;
            if (std::none_of(forms.begin(), forms.end(),
                             [&](const auto& form) { return is_apart(tile, form, step); }))
                return false;
            for (std::size_t a = step.size(); a-- > 0;) {
                if (++step[a] < tile.axes[a].extent)
                    break;
                step[a] = 1 - tile.axes[a].extent;
            }
        }
    }

    static bool is_apart(const Tile& tile, const std::optional<Affine>& form,
                         const std::vector<std::int64_t>& step) {
        if (!form)
            return false;
        std::int64_t gap = 0;
        for (std::size_t a = 0; a < step.size(); ++a) {
            const auto& axis = tile.axes[a];
            gap += step[a] * form->coefficient(variable(axis.name, axis.type));
            for (const auto& term : form->terms) // hidden in a minimum, say
                if (term.atom->kind != ExprKind::Variable && uses_variable(term.atom, axis.name))
                    return false;
        }
        auto stride = std::abs(form->coefficient(lane_atom(tile.lanes)));
        gap = std::abs(gap);
        for (const auto& term : form->terms)
            if (term.atom->lanes > 1)
                return false;
        return gap > stride * (tile.lanes - 1) || (stride > 1 && gap % stride != 0);
    }

    KnownFacts& scope_;
    std::set<std::string> bound_, allocated_;
    std::vector<Axis> axes_; // unrolled loops around
    std::map<std::string, Tile> found_;
};

class TilePromotion : public Promotion {
public:
    TilePromotion(const Program& program, NameSource& names) : names_(names) {
        for (const auto& argument : program.arguments)
            extents_[argument.buffer] = argument.extents;
        for (const auto& buffer : program.buffers)
            extents_[buffer.buffer] = buffer.extents;
    }

private:
    void promote(Site& site) override {
        for (const auto& tile : TileCollector(site.loop, scope_).take()) {
            if (is_all_of_its_buffer(tile) || meets_others(site.loop, tile.buffer))
                continue;
            auto to = registers_of(tile, names_.fresh(tile.buffer + ".tile"), tile.axes);
            site.loop = moved(site.loop, to);
            auto start =
                site.done.empty() ? nullptr : first_values(site.done.back(), tile, to.name);
            if (start) {
                site.done.back() = start;
                site.first = site.done.size() - 1;
            } else {
                site.before.push_back(copied(tile, to.name, false));
            }
            site.after.push_back(copied(tile, to.name, true));
            extents_[to.name] = to.extents;
            site.made.push_back(std::move(to));
        }
    }

    // A local buffer as large as the tile is as good as another one.
    bool is_all_of_its_buffer(const Tile& tile) const {
        auto elements = [](const std::vector<Extent>& extents) {
            std::int64_t count = 1;
            for (const auto& extent : extents)
                if (!extent.is_constant() ||
                    __builtin_mul_overflow(count, extent.constant(), &count))
                    return std::int64_t{-1};
            return count;
        };
        auto allocation = allocated_.find(tile.buffer);
        auto all = elements(allocation != allocated_.end() ? allocation->second->storage->extents
                                                           : extents_.at(tile.buffer));
        return all >= 0 && all <= elements(extents(tile));
    }

    static std::vector<Extent> extents(const Tile& tile) {
        std::vector<Extent> out;
        for (const auto& axis : tile.axes)
            out.push_back(Extent(axis.extent));
        if (tile.lanes > 1 || out.empty())
            out.push_back(Extent(tile.lanes));
        return out;
    }

    // The tile's element in an iteration of `axes`, which may be other loops of the same bounds.
    static std::vector<ExprPtr> place(const Tile& tile, const std::vector<Axis>& axes) {
        std::vector<ExprPtr> out;
        for (const auto& axis : axes)
            out.push_back(binary(Op::Subtract, variable(axis.name, axis.type),
                                 constant_int(axis.type, axis.begin)));
        auto zero = constant_int(ScalarType::I32, 0), one = constant_int(ScalarType::I32, 1);
        if (tile.lanes > 1 || out.empty())
            out.push_back(tile.lanes > 1 ? ramp(zero, one, tile.lanes) : zero);
        return out;
    }

    static Registers registers_of(const Tile& tile, const std::string& name,
                                  const std::vector<Axis>& axes) {
        return {name, tile.buffer, tile.type, extents(tile),
                [to = place(tile, axes)](const std::vector<ExprPtr>&) { return to; }};
    }

    // The statement, if it stores the first values of the whole tile, storing them to the array;
    // else null.
    static StatementPtr first_values(const StatementPtr& s, const Tile& tile,
                                     const std::string& name) {
        std::vector<Axis> axes;
        auto at = s;
        for (; at->kind == StatementKind::For && at->loop->kind == ForKind::Unrolled;
             // bounds are compared below
             at = at->children[0])
            axes.push_back({at->variable, at->loop->begin->type, 0, 0});
        if (at->kind != StatementKind::Store || at->access->buffer != tile.buffer ||
            at->access->mask || at->value->lanes != tile.lanes || axes.size() != tile.axes.size() ||
            at->access->indices.size() != tile.indices.size() || contains_load(at->value))
            return nullptr;
        auto loop = s;
        for (std::size_t a = 0; a < axes.size(); ++a, loop = loop->children[0])
            if (!constant_value(loop->loop->begin, axes[a].begin) ||
                !constant_value(loop->loop->extent, axes[a].extent) ||
                axes[a].begin != tile.axes[a].begin || axes[a].extent != tile.axes[a].extent ||
                axes[a].type != tile.axes[a].type)
                return nullptr;
        for (std::size_t d = 0; d < tile.indices.size(); ++d) {
            auto renamed =
                substitute(at->access->indices[d], [&](const std::string& used) -> ExprPtr {
                    for (std::size_t a = 0; a < axes.size(); ++a)
                        if (axes[a].name == used)
                            return variable(tile.axes[a].name, axes[a].type);
                    return nullptr;
                });
            if (!equal(renamed, tile.indices[d]))
                return nullptr;
        }
        return moved(s, registers_of(tile, name, axes));
    }

    // Loops that copy the tile from the array, or to it.
    StatementPtr copied(const Tile& tile, const std::string& name, bool back) {
        auto axes = tile.axes;
        for (auto& axis : axes)
            axis.name = names_.fresh(axis.name);
        std::vector<ExprPtr> outside;
        for (const auto& index : tile.indices)
            outside.push_back(substitute(index, [&](const std::string& used) -> ExprPtr {
                for (std::size_t a = 0; a < axes.size(); ++a)
                    if (tile.axes[a].name == used)
                        return variable(axes[a].name, axes[a].type);
                return nullptr;
            }));
        auto inside = place(tile, axes);
        auto body = back ? as_streaming(store(tile.origin, tile.buffer, outside,
                                              load(name, tile.type, inside)),
                                        tile.streaming)
                         : store(tile.origin, name, inside, load(tile.buffer, tile.type, outside));
        for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis)
            body = for_loop(tile.origin, axis->name, constant_int(axis->type, axis->begin),
                            constant_int(axis->type, axis->extent), ForKind::Unrolled, body);
        return body;
    }

    NameSource& names_;
    std::map<std::string, std::vector<Extent>> extents_; // of arrays and of what was made here
};

} // namespace

Program promote_tiles(const Program& program, const TargetInfo&) {
    NameSource names(program);
    TilePromotion promotion(program, names);
    return map_bodies(program, [&](const StatementPtr& body) { return promotion.run(body); });
}

} // namespace loopscope::lower
