// What a warp's lanes do with fragments beside instructions (build_fragments.h).
#include "compiler/lower/gpu/build_fragments.h"
#include "compiler/lower/gpu/fragment_places.h"
#include "compiler/lower/gpu/lane_elements.h"
#include "compiler/lower/gpu/matrix_moves.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace loopscope::lower {

namespace {
class LaneLoops {
public:
    LaneLoops(const TreeNode& loop, const LaneWork& work, const Fragments& fragments,
              const FragmentScope& scope)
        : loop_(loop),
          work_(work),
          fragments_(fragments),
          scope_(scope),
          layout_(fragments.layouts.at(work.fragment)) {
        elements_.lane = loop.variable + ".lane";
        for (const auto& digit : work.digits)
            elements_.variables.push_back(digit.variable);
        elements_.values = work.values;
        elements_.expression = [this](std::size_t e, std::size_t v) { return digit(e, v); };
    }

    StatementPtr run(const StatementPtr& plain) {
        const auto body = without_loops(plain);
        auto all = layout_.opaque() ? whole(body) : by_matrices(body);
        if (!all)
            all = one_by_one(body);
        return for_lanes(loop_.id, elements_.lane, layout_.intrinsic->lanes, std::move(all));
    }

private:
    // A variable's value at point e, over the lane.
    ExprPtr digit(std::size_t e, std::size_t v) const {
        const auto& values = work_.values[e][v];
        if (std::all_of(values.begin(), values.end(), [&](auto x) { return x == values[0]; }))
            return constant_index(values[0]);
        const auto& digit = work_.digits[v];
        const auto d = static_cast<std::size_t>(digit.dimension);
        const auto registers = static_cast<std::size_t>(layout_.operand->registers);
        const auto r = e % registers;
        const auto axis = static_cast<std::size_t>(layout_.axes[d]);
        const auto first = work_.places.at(work_.fragment)[e].tile[d] * layout_.tile[d];
        auto out =
            element_index(*layout_.operand, axis, elements_.lane, static_cast<std::int64_t>(r));
        std::int64_t greatest = 0, last = 0;
        for (const auto& lane : layout_.elements) {
            greatest = std::max(greatest, (first + layout_.within(d, lane[r][axis])) / digit.step);
            last = std::max(last, lane[r][axis] / layout_.steps[d]);
        }
        if (layout_.steps[d] > 1)
            out = binary(Op::Divide, out, constant_index(layout_.steps[d]));
        if (last >= layout_.tile[d])
            out = binary(Op::Modulo, out, constant_index(layout_.tile[d]));
        if (first != 0)
            out = binary(Op::Add, out, constant_index(first));
        if (digit.step > 1)
            out = binary(Op::Divide, out, constant_index(digit.step));
        return greatest >= digit.extent ? binary(Op::Modulo, out, constant_index(digit.extent))
                                        : out;
    }

    StatementPtr without_loops(const StatementPtr& plain) const {
        return rewrite(plain, [&](const StatementPtr& s) {
            const bool gone = s->kind == StatementKind::For &&
                              std::find(elements_.variables.begin(), elements_.variables.end(),
                                        s->variable) != elements_.variables.end();
            // A loop of one iteration has no digit.
            std::int64_t extent = 0;
            const bool once = s->kind == StatementKind::For && s->loop->kind != ForKind::Bound &&
                              constant_value(s->loop->extent, extent) && extent == 1;
            if (once && !gone)
                return substitute(s->children[0], [&](const std::string& name) -> ExprPtr {
                    return name == s->variable ? s->loop->begin : nullptr;
                });
            return gone ? s->children[0] : s;
        });
    }

    // Where point e of a fragment is, the first of its indices put in; `step`: of a vector's lane,
    // or null.
    std::vector<ExprPtr> fragment_indices(const std::string& stage,
                                          const std::vector<ExprPtr>& relative, std::size_t e,
                                          const ExprPtr& step) const {
        const auto& layout = fragments_.layouts.at(stage);
        const auto& place = work_.places.at(stage)[e];
        std::vector<ExprPtr> first;
        for (const auto& index : relative)
            first.push_back(with_zeros(index, elements_.variables));
        ExprPtr r = constant_index(place.r);
        if (step)
            r = binary(Op::Add, r, step);
        auto out = register_indices(layout, first, std::move(r));
        for (std::size_t d = 0; d < place.tile.size(); ++d)
            if (place.tile[d] != 0)
                out[d] = binary(Op::Add, out[d], constant_index(place.tile[d]));
        return out;
    }

    // The statement with its accesses of fragments at point e.
    StatementPtr in_registers(const StatementPtr& s, std::size_t e, const ExprPtr& step) const {
        return rewrite(
            s,
            [&](const StatementPtr& x) {
                if (!writes(*x) || !work_.places.count(x->access->buffer))
                    return x;
                return edited(x, [&](Statement& copy) {
                    copy.access->indices =
                        fragment_indices(x->access->buffer, x->access->indices, e, step);
                });
            },
            [&](const ExprPtr& expression) {
                return loopscope::rewrite(expression, [&](const ExprPtr& x) -> ExprPtr {
                    if (x->kind != ExprKind::Load || !work_.places.count(x->name))
                        return x;
                    return loopscope::load(x->name, x->type,
                                           fragment_indices(x->name, x->args, e, step),
                                           x->component, x->where);
                });
            });
    }

    // Moves whole opaque fragments; null: lanes work on the elements that they hold.
    StatementPtr whole(const StatementPtr& body) {
        if (work_.whole == LaneWork::Whole::Registers)
            return nullptr;
        if (body->kind == StatementKind::If && body->children.size() == 1)
            return with_children(body, {whole(body->children[0])});
        if (body->kind != StatementKind::Store || body->access->mask)
            throw std::logic_error(loop_.id.text() + " moves whole fragments and is no plain copy");
        std::vector<StatementPtr> out;
        const auto registers = static_cast<std::size_t>(layout_.operand->registers);
        for (std::size_t e = 0; e < elements_.size(); e += registers)
            out.push_back(work_.whole == LaneWork::Whole::Load ? loaded(body, e) : stored(body, e));
        return block(std::move(out));
    }

    StatementPtr loaded(const StatementPtr& body, std::size_t e) const {
        return load_matrix(
            loop_.id, *layout_.intrinsic, *layout_.operand, work_.order,
            {body->access->buffer,
             fragment_indices(body->access->buffer, body->access->indices, e, nullptr),
             {}},
            in_memory(body->value->name, body->value->args, e));
    }

    // What is stored may be more than the fragment's elements: it is then computed in registers of
    // its own.
    StatementPtr stored(const StatementPtr& body, std::size_t e) {
        const auto& of = *layout_.operand;
        const auto to = in_memory(body->access->buffer, body->access->indices, e);
        const auto& value = body->value;
        if (value->kind == ExprKind::Load && work_.places.count(value->name))
            return store_matrix(
                loop_.id, *layout_.intrinsic, of, work_.order,
                {value->name, fragment_indices(value->name, value->args, e, nullptr), {}}, to);
        const auto name =
            loop_.id.stage + "." + of.name + ".lane" + std::to_string(++scope_.names_made);
        std::vector<StatementPtr> parts;
        for (std::size_t r = 0; r < static_cast<std::size_t>(of.registers); ++r)
            parts.push_back(in_registers(
                lower::store(loop_.id, name, {constant_index(static_cast<std::int64_t>(r))}, value),
                e + r, nullptr));
        parts.push_back(store_matrix(loop_.id, *layout_.intrinsic, of, work_.order,
                                     {name, {constant_index(0)}, {}}, to));
        return allocate(loop_.id, name, of.type, {Extent(of.registers)}, device::registers(),
                        block(std::move(parts)));
    }

    // Where the tile of point e lies in memory, given an element over the variables.
    MatrixPlace in_memory(const std::string& buffer, const std::vector<ExprPtr>& indices,
                          std::size_t e) const {
        const int across = work_.order == MatrixOrder::Rows ? 0 : 1;
        const auto& tile = work_.places.at(work_.fragment)[e].tile;
        const auto element = [&](std::int64_t further) {
            std::vector<ExprPtr> out;
            for (const auto& index : indices)
                out.push_back(loopscope::substitute(index, [&](const std::string& name) -> ExprPtr {
                    for (const auto& digit : work_.digits) {
                        if (digit.variable != name)
                            continue;
                        const auto d = static_cast<std::size_t>(digit.dimension);
                        const auto at =
                            tile[d] * layout_.tile[d] + (layout_.axes[d] == across ? further : 0);
                        return constant_index(at / digit.step % digit.extent);
                    }
                    return nullptr;
                }));
            return out;
        };
        return {buffer, element(0), element(1)};
    }

    // Do all fragments hold so many points from e on in registers that follow one another?
    bool in_a_row(std::size_t e, int count) const {
        for (const auto& [stage, places] : work_.places)
            for (int s = 0; s < count; ++s) {
                const auto& place = places[e + static_cast<std::size_t>(s)];
                if (place.tile != places[e].tile || place.r != places[e].r + s)
                    return false;
            }
        return true;
    }

    StatementPtr one_by_one(const StatementPtr& body) {
        std::vector<StatementPtr> out;
        const bool alone = body->kind == StatementKind::Store;
        for (std::size_t e = 0; e < elements_.size();) {
            auto [width, counting] = alone && !layout_.opaque() ? elements_.run_of(e)
                                                                : std::pair<int, std::size_t>(1, 0);
            if (width > 1 && !in_a_row(e, width))
                width = 1;
            if (width == 1) {
                out.push_back(named(elements_.at(in_registers(body, e, nullptr), e), e));
                ++e;
                continue;
            }
            const auto name = elements_.lane + "." + std::to_string(e);
            const auto step = variable(name);
            const auto& counts = elements_.variables[counting];
            auto moved =
                substitute(in_registers(body, e, step), [&](const std::string& v) -> ExprPtr {
                    return v == counts ? binary(Op::Add, elements_.expression(e, counting), step)
                                       : nullptr;
                });
            out.push_back(for_loop(loop_.id, name, constant_index(0), constant_index(width),
                                   ForKind::Vectorized, elements_.at(moved, e)));
            e += static_cast<std::size_t>(width);
        }
        return block(std::move(out));
    }

    // Names are unique in a program: those inside get the point's number.
    StatementPtr named(const StatementPtr& s, std::size_t e) const {
        std::set<std::string> inside;
        visit_statements(s, [&](const Statement& x) {
            if (x.kind == StatementKind::For || x.kind == StatementKind::Let)
                inside.insert(x.variable);
            return true;
        });
        if (inside.empty() || e == 0)
            return s;
        const auto suffix = "." + std::to_string(e);
        auto out = rewrite(s, [&](const StatementPtr& x) {
            return inside.count(x->variable) &&
                           (x->kind == StatementKind::For || x->kind == StatementKind::Let)
                       ? edited(x, [&](Statement& copy) { copy.variable += suffix; })
                       : x;
        });
        return substitute(out, [&](const std::string& name) -> ExprPtr {
            return inside.count(name) ? renamed(name, suffix, s) : nullptr;
        });
    }

    static ExprPtr renamed(const std::string& name, const std::string& suffix,
                           const StatementPtr& s) {
        auto type = ScalarType::I32;
        visit_statements(s, [&](const Statement& x) {
            if (x.kind == StatementKind::Let && x.variable == name)
                type = x.value->type;
            return true;
        });
        return variable(name + suffix, type);
    }

    // A copy out of shared memory; null: it is none, or does not lie as ldmatrix takes it.
    StatementPtr by_matrices(const StatementPtr& body) const {
        if (body->kind != StatementKind::Store || body->access->mask ||
            body->access->buffer != work_.fragment || body->value->kind != ExprKind::Load)
            return nullptr;
        const auto* extents = scope_.shared(body->value->name);
        if (!extents)
            return nullptr;
        const auto registers = layout_.operand->registers;
        const LaneRegisters to{body->access->buffer,
                               [&](std::size_t e) {
                                   return fragment_indices(body->access->buffer,
                                                           body->access->indices, e, nullptr);
                               },
                               [&](std::size_t e) {
                                   const auto& place = work_.places.at(body->access->buffer)[e];
                                   return layout_.number(place.tile) * registers + place.r;
                               }};
        return matrix_loads(loop_.id, elements_, to, body->value, *extents,
                            row_divisor(scope_, body->value, elements_));
    }

    const TreeNode& loop_;
    const LaneWork& work_;
    const Fragments& fragments_;
    const FragmentScope& scope_;
    const FragmentLayout& layout_;
    LaneElements elements_;
};

} // namespace

StatementPtr lane_work(const TreeNode& loop, const LaneWork& work, const Fragments& fragments,
                       const StatementPtr& plain, const FragmentScope& scope) {
    return LaneLoops(loop, work, fragments, scope).run(plain);
}

} // namespace loopscope::lower
