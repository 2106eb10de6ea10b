#include "compiler/lower/gpu/matrix_moves.h"

namespace loopscope::lower {

namespace {

std::string short_name(MatrixOrder order) { return order == MatrixOrder::Rows ? "row" : "col"; }

// "wmma_m16n16k16_f16" and "load_a_row": "wmma_load_a_row_m16n16k16_f16", of the operand's type.
std::string move_name(const Intrinsic& intrinsic, const IntrinsicOperand& of,
                      const std::string& what) {
    const auto shape = intrinsic.name.find('_'), types = intrinsic.name.find('_', shape + 1);
    return intrinsic.name.substr(0, shape) + "_" + what +
           intrinsic.name.substr(shape, types - shape) + "_" + name(of.type);
}

// Names the instruction's two factors and its sum as the PTX ISA does: D = A*B + C.
std::string letter(const Intrinsic& intrinsic, const IntrinsicOperand& of) {
    return &of == &intrinsic.result ? "c" : &of == &intrinsic.operands.front() ? "a" : "b";
}

} // namespace

StatementPtr load_matrix(const NodeId& origin, const Intrinsic& intrinsic,
                         const IntrinsicOperand& of, MatrixOrder order, Operand registers,
                         MatrixPlace from) {
    return lower::intrinsic(
        origin, move_name(intrinsic, of, "load_" + letter(intrinsic, of) + "_" + short_name(order)),
        {std::move(registers),
         {from.buffer, std::move(from.first), {}},
         {from.buffer, std::move(from.second), {}}});
}

StatementPtr store_matrix(const NodeId& origin, const Intrinsic& intrinsic,
                          const IntrinsicOperand& of, MatrixOrder order, Operand registers,
                          MatrixPlace to) {
    return lower::intrinsic(origin, move_name(intrinsic, of, "store_d_" + short_name(order)),
                            {{to.buffer, std::move(to.first), {}},
                             {to.buffer, std::move(to.second), {}},
                             std::move(registers)});
}

std::string product_name(const Intrinsic& intrinsic, MatrixOrder left, MatrixOrder right) {
    return intrinsic.name + "_" + short_name(left) + "_" + short_name(right);
}

} // namespace loopscope::lower
