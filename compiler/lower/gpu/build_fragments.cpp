#include "compiler/lower/gpu/build_fragments.h"

#include "compiler/lower/gpu/fragment_places.h"
#include "compiler/lower/gpu/lane_elements.h"
#include "compiler/lower/gpu/matrix_moves.h"
#include "compiler/lower/statements.h"

namespace loopscope::lower {

namespace {
class Instruction {
public:
    Instruction(const TreeNode& loop, const Fragments& fragments, const FragmentScope& scope)
        : loop_(loop),
          call_(*loop.tensor),
          fragments_(fragments),
          scope_(scope),
          lane_(loop.variable + ".lane") {}

    StatementPtr run() {
        const auto& intrinsic = *call_.intrinsic;
        std::vector<Operand> operands;
        auto result = place(call_.result, intrinsic.result);
        const bool fragment = fragments_.layouts.count(call_.result.source) > 0;
        if (call_.initializes || call_.starts)
            parts_.push_back(zeros(intrinsic.result, result));
        else if (!fragment)
            parts_.push_back(load(call_.result, intrinsic.result, result));
        operands.push_back(result);
        for (std::size_t o = 0; o < call_.operands.size(); ++o) {
            if (intrinsic.operands[o].shared) {
                operands.push_back(in_shared_memory(call_.operands[o], intrinsic.operands[o]));
                continue;
            }
            operands.push_back(place(call_.operands[o], intrinsic.operands[o]));
            if (!fragments_.layouts.count(call_.operands[o].source))
                parts_.push_back(load(call_.operands[o], intrinsic.operands[o], operands.back()));
        }
        operands.push_back(result); // which it adds to
        if (!call_.initializes)
            parts_.push_back(lower::intrinsic(loop_.id, name(), operands));
        if (!fragment)
            parts_.push_back(store(call_.result, intrinsic.result, result));
        auto body = block(std::move(parts_));
        for (auto own = own_.rbegin(); own != own_.rend(); ++own)
            body = allocate(loop_.id, own->first, own->second->type,
                            {Extent(own->second->registers)}, device::registers(), std::move(body));
        return for_lanes(loop_.id, lane_, intrinsic.lanes, std::move(body));
    }

private:
    // Opaque factors lay in memory as the instruction is told.
    std::string name() const {
        const auto& intrinsic = *call_.intrinsic;
        if (!intrinsic.result.opaque())
            return intrinsic.name;
        return product_name(intrinsic, order(call_.operands[0]), order(call_.operands[1]));
    }

    MatrixOrder order(const TensorCall::Operand& operand) const {
        const auto layout = fragments_.layouts.find(operand.source);
        return layout != fragments_.layouts.end()
                   ? layout->second.order.value()
                   : fragments_.orders.at({loop_.id.stage, loop_.id.definition}).at(operand.name);
    }

    // Where an opaque operand lies in memory.
    MatrixPlace in_memory(const TensorCall::Operand& operand, const IntrinsicOperand& of) const {
        const auto element = [&](std::vector<ExprPtr> indices) {
            return scope_.lowered(
                loopscope::load(operand.source, of.type, std::move(indices), operand.component));
        };
        const std::size_t across = order(operand) == MatrixOrder::Rows ? 0 : 1;
        auto indices = operand.base;
        auto& index = indices[static_cast<std::size_t>(operand.parts[across].front().dimension)];
        index = binary(Op::Add, index, constant_int(index->type, 1));
        const auto first = element(operand.base), second = element(indices);
        return {first->name, first->args, second->args};
    }

    // What the instruction reads there by itself.
    Operand in_shared_memory(const TensorCall::Operand& operand, const IntrinsicOperand& of) const {
        const auto element = scope_.lowered(
            loopscope::load(operand.source, of.type, operand.base, operand.component));
        return {element->name,
                {element->args.begin(), element->args.end()},
                fragments_.matrices.at({loop_.id.stage, loop_.id.definition}).at(of.name)};
    }

    // Registers that the instruction works on: those of a fragment, or registers of its own.
    Operand place(const TensorCall::Operand& operand, const IntrinsicOperand& of) {
        auto layout = fragments_.layouts.find(operand.source);
        if (layout != fragments_.layouts.end())
            return {operand.source,
                    register_indices(layout->second, scope_.relative(operand.source, operand.base),
                                     constant_index(0))};
        auto name = loop_.id.stage + "." + of.name + ".lane" + std::to_string(++scope_.names_made);
        own_.emplace_back(name, &of);
        return {name, {constant_index(0)}};
    }

    static std::vector<ExprPtr> at_register(std::vector<ExprPtr> indices, ExprPtr r) {
        indices.back() = std::move(r);
        return indices;
    }

    StatementPtr zeros(const IntrinsicOperand& of, const Operand& to) const {
        std::vector<StatementPtr> out;
        for (std::int64_t r = 0; r < of.registers; ++r)
            out.push_back(lower::store(loop_.id, to.buffer,
                                       at_register(to.indices, constant_index(r)),
                                       constant_bits(of.type, 0)));
        return block(std::move(out));
    }

    // The elements that a lane holds of an operand, by the operand's indices.
    LaneElements elements(const IntrinsicOperand& of) const {
        LaneElements out;
        out.lane = lane_;
        for (std::size_t a = 0; a < of.axes.size(); ++a)
            out.variables.push_back(loop_.variable + "." + of.name + "." + of.axes[a]);
        const auto at = register_elements(*call_.intrinsic, of);
        for (std::size_t r = 0; r < static_cast<std::size_t>(of.registers); ++r) {
            auto& values = out.values.emplace_back(of.axes.size());
            for (std::size_t a = 0; a < of.axes.size(); ++a)
                for (const auto& lane : at)
                    values[a].push_back(lane[r][a]);
        }
        const auto& lane = lane_;
        out.expression = [&of, lane](std::size_t r, std::size_t axis) {
            return element_index(of, axis, lane, static_cast<std::int64_t>(r));
        };
        return out;
    }

    // The operand's element as the definition has it, over the operand's indices.
    std::vector<ExprPtr> source_indices(const TensorCall::Operand& operand,
                                        const LaneElements& elements) const {
        auto indices = operand.base;
        for (std::size_t a = 0; a < operand.parts.size(); ++a)
            for (const auto& part : operand.parts[a]) {
                auto& index = indices[static_cast<std::size_t>(part.dimension)];
                auto along = variable(elements.variables[a]);
                if (part.step > 1)
                    along = binary(Op::Divide, along, constant_index(part.step));
                if (&part != &operand.parts[a].front())
                    along = binary(Op::Modulo, along, constant_index(part.extent));
                index = binary(Op::Add, index, along);
            }
        return indices;
    }

    StatementPtr load(const TensorCall::Operand& operand, const IntrinsicOperand& of,
                      const Operand& to) const {
        if (of.opaque())
            return load_matrix(loop_.id, *call_.intrinsic, of, order(operand), to,
                               in_memory(operand, of));
        const auto each = elements(of);
        const auto value = scope_.lowered(loopscope::load(
            operand.source, of.type, source_indices(operand, each), operand.component));
        if (const auto* extents =
                value->kind == ExprKind::Load ? scope_.shared(value->name) : nullptr) {
            const LaneRegisters registers{
                to.buffer,
                [&](std::size_t r) {
                    return at_register(to.indices, constant_index(static_cast<std::int64_t>(r)));
                },
                [](std::size_t r) { return static_cast<std::int64_t>(r); }};
            if (auto loads = matrix_loads(loop_.id, each, registers, value, *extents,
                                          row_divisor(scope_, value, each)))
                return loads;
        }
        std::vector<StatementPtr> out;
        for (std::size_t r = 0; r < each.size(); ++r)
            out.push_back(each.at(
                lower::store(loop_.id, to.buffer,
                             at_register(to.indices, constant_index(static_cast<std::int64_t>(r))),
                             value),
                r));
        return block(std::move(out));
    }

    StatementPtr store(const TensorCall::Operand& operand, const IntrinsicOperand& of,
                       const Operand& from) const {
        if (of.opaque())
            return store_matrix(loop_.id, *call_.intrinsic, of, order(operand), from,
                                in_memory(operand, of));
        const auto each = elements(of);
        const auto indices = scope_.relative(operand.source, source_indices(operand, each));
        const auto target = scope_.lowered(
            loopscope::load(operand.source, of.type, source_indices(operand, each), 0));
        std::vector<StatementPtr> out;
        for (std::size_t r = 0; r < each.size(); ++r)
            out.push_back(each.at(
                lower::store(
                    loop_.id, target->name, indices,
                    loopscope::load(
                        from.buffer, of.type,
                        at_register(from.indices, constant_index(static_cast<std::int64_t>(r))))),
                r));
        return block(std::move(out));
    }

    const TreeNode& loop_;
    const TensorCall& call_;
    const Fragments& fragments_;
    const FragmentScope& scope_;
    const std::string lane_;
    std::vector<StatementPtr> parts_;
    std::vector<std::pair<std::string, const IntrinsicOperand*>> own_; // registers of its own
};

} // namespace

std::vector<Extent> fragment_extents(const FragmentLayout& layout) {
    std::vector<Extent> out;
    for (auto tiles : layout.tiles)
        out.emplace_back(tiles);
    out.emplace_back(layout.operand->registers);
    return out;
}

StatementPtr tensor_instruction(const TreeNode& loop, const Fragments& fragments,
                                const FragmentScope& scope) {
    return Instruction(loop, fragments, scope).run();
}

} // namespace loopscope::lower
