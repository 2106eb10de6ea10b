#include "compiler/lower/gpu/instructions.h"

#include "compiler/lower/statements.h"
#include "core/base/fields.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace loopscope::lower {

namespace {

constexpr std::int64_t kMatrixRowBytes = 16; // of an 8 x 8 matrix that ldmatrix loads

bool starts(const std::string& name, const char* with) { return name.rfind(with, 0) == 0; }

template <typename Does>
bool any_operand(const Statement& s, const std::string& buffer, const Does& does) {
    for (std::size_t o = 0; o < s.operands.size(); ++o)
        if (s.operands[o].buffer == buffer && does(effect_of(s, o)))
            return true;
    return false;
}

} // namespace

OperandEffect effect_of(const Statement& s, std::size_t operand) {
    const auto& instruction = s.instruction;
    if (s.kind == StatementKind::BulkCopy)
        return {operand == 1, operand == 0, 0};
    if (s.kind != StatementKind::Intrinsic)
        return {false, false, 0};
    if (starts(instruction, "ldmatrix_"))
        return operand == 0 ? OperandEffect{false, true, 0}
                            : OperandEffect{true, false, kMatrixRowBytes};
    if (loads_matrix(s)) // by its first element; the next operand says where others are
        return operand < 2 ? OperandEffect{operand == 1, operand == 0, 0}
                           : OperandEffect{false, false, 0};
    if (stores_matrix(s))
        return operand == 1 ? OperandEffect{false, false, 0}
                            : OperandEffect{operand == 2, operand == 0, 0};
    if (is_tensor_product(s))
        return {true, operand == 0, 0};
    if (starts(instruction, "shuffle_"))
        return {true, operand == 0, 0};
    return {};
}

bool is_tensor_product(const Statement& s) {
    return s.kind == StatementKind::Intrinsic &&
           (starts(s.instruction, "mma_") || starts(s.instruction, "wmma_m") ||
            is_product_of_group(s));
}

bool rounds_as_it_likes(const Statement& s) {
    return is_tensor_product(s) && !s.instruction.ends_with("_s8");
}

bool is_product_of_group(const Statement& s) {
    return s.kind == StatementKind::Intrinsic && starts(s.instruction, "wgmma_m64");
}

// "wgmma_m64nNk16_…": 64 N sums, of 128 lanes.
int sums_of_lane(const Statement& product) {
    constexpr std::size_t kBefore = sizeof("wgmma_m64n") - 1;
    int columns = 0;
    std::from_chars(product.instruction.data() + kBefore,
                    product.instruction.data() + product.instruction.size(), columns);
    return columns / 2;
}

bool is_copy_instruction(const Statement& s) {
    return s.kind == StatementKind::Intrinsic &&
           (starts(s.instruction, "ldmatrix_") || loads_matrix(s));
}

bool loads_matrix(const Statement& s) {
    return s.kind == StatementKind::Intrinsic && starts(s.instruction, "wmma_load_");
}

bool stores_matrix(const Statement& s) {
    return s.kind == StatementKind::Intrinsic && starts(s.instruction, "wmma_store_");
}

MovedMatrix moved_matrix(const Statement& s) {
    MovedMatrix out;
    out.first = loads_matrix(s) ? 1 : 0;
    out.registers = loads_matrix(s) ? 0 : 2;
    return out;
}

bool begins_products(const Statement& s) {
    return s.kind == StatementKind::Intrinsic && starts(s.instruction, kBeginProducts);
}

bool leaves_products(const Statement& s) {
    return s.kind == StatementKind::Intrinsic && starts(s.instruction, kLeaveProducts);
}

bool ends_products(const Statement& s) {
    return s.kind == StatementKind::Intrinsic && starts(s.instruction, kEndProducts);
}

bool same_place(const Operand& a, const Operand& b) {
    return a.buffer == b.buffer && same_value(a.indices, b.indices);
}

bool threads_fill_matrices(const StatementPtr& body) {
    std::set<std::string> taken, written;
    visit_statements(body, [&](const Statement& s) {
        for (const auto& operand : s.operands)
            if (operand.matrix)
                taken.insert(operand.buffer);
        if (writes(s))
            written.insert(s.access->buffer);
        return true;
    });
    return std::any_of(taken.begin(), taken.end(),
                       [&](const std::string& buffer) { return written.count(buffer) > 0; });
}

bool writes_operand(const Statement& s, const std::string& buffer) {
    return any_operand(s, buffer, [](const OperandEffect& effect) { return effect.writes; });
}

bool reads_operand(const Statement& s, const std::string& buffer) {
    return any_operand(s, buffer, [](const OperandEffect& effect) { return effect.reads; });
}

} // namespace loopscope::lower
