#pragma once
// The fields of statements and of programs as lists (core/base/fields.h): they are compared, and
// their expressions are mapped, by these.

#include "compiler/lower/program.h"
#include "core/base/fields.h"
#include "core/device/hierarchy_fields.h"

#include <vector>

namespace loopscope::lower {

template <FieldsOf<Operand> T> auto fields(T& operand) {
    auto& [buffer, indices, matrix] = operand;
    return std::tie(buffer, indices, matrix);
}

template <FieldsOf<Statement> T> auto fields(T& statement) {
    auto& [kind, origin, name, for_kind, level, blocks, begin, extent, condition, value, mask,
           buffer, indices, streaming, op, type, extents, scope, alignment, rotation, swizzle,
           zero_border, offset, pending, producers, operands, children] = statement;
    return std::tie(kind, origin, name, for_kind, level, blocks, begin, extent, condition, value,
                    mask, buffer, indices, streaming, op, type, extents, scope, alignment, rotation,
                    swizzle, zero_border, offset, pending, producers, operands, children);
}

template <FieldsOf<DeviceBuffer> T> auto fields(T& memory) {
    auto& [buffer, type, extents, offset] = memory;
    return std::tie(buffer, type, extents, offset);
}

template <FieldsOf<Launch> T> auto fields(T& launch) {
    auto& [name, place, arguments, body] = launch;
    return std::tie(name, place, arguments, body);
}

template <FieldsOf<Program> T> auto fields(T& program) {
    auto& [name, symbols, arguments, buffers, launches, flat] = program;
    return std::tie(name, symbols, arguments, buffers, launches, flat);
}

// The expressions of one statement, or of an operand, in the order of the fields; null ones are
// left out.
template <typename T, typename Visit> void each_expression(T& x, Visit&& visit) {
    each_field(x, [&]<typename Field>(Field& field) {
        using Plain = std::remove_const_t<Field>;
        if constexpr (std::is_same_v<Plain, ExprPtr>) {
            if (field)
                visit(field);
        } else if constexpr (std::is_same_v<Plain, std::vector<ExprPtr>>) {
            for (auto& element : field)
                visit(element);
        } else if constexpr (std::is_same_v<Plain, std::vector<Operand>>) {
            for (auto& operand : field)
                each_expression(operand, visit);
        }
    });
}

} // namespace loopscope::lower
