#include "compiler/lower/instructions.h"

#include <algorithm>

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
    const auto& instruction = s.name;
    if (s.kind == StatementKind::BulkCopy)
        return {operand == 1, operand == 0, 0};
    if (s.kind != StatementKind::Intrinsic)
        return {false, false, 0};
    if (starts(instruction, "ldmatrix_"))
        return operand == 0 ? OperandEffect{false, true, 0}
                            : OperandEffect{true, false, kMatrixRowBytes};
    if (starts(instruction, "mma_"))
        return {true, operand == 0, 0};
    if (starts(instruction, "shuffle_"))
        return {true, operand == 0, 0};
    return {};
}

bool is_copy_instruction(const Statement& s) {
    return s.kind == StatementKind::Intrinsic && starts(s.name, "ldmatrix_");
}

bool writes_operand(const Statement& s, const std::string& buffer) {
    return any_operand(s, buffer, [](const OperandEffect& effect) { return effect.writes; });
}

bool reads_operand(const Statement& s, const std::string& buffer) {
    return any_operand(s, buffer, [](const OperandEffect& effect) { return effect.reads; });
}

} // namespace loopscope::lower
