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

template <FieldsOf<Loop> T> auto fields(T& loop) {
    auto& [begin, extent, kind, level, run_by, turns_of] = loop;
    return std::tie(begin, extent, kind, level, run_by, turns_of);
}

template <FieldsOf<ElementAccess> T> auto fields(T& access) {
    auto& [buffer, mask, indices, streaming, op] = access;
    return std::tie(buffer, mask, indices, streaming, op);
}

template <FieldsOf<Rotation> T> auto fields(T& rotation) {
    auto& [slot_count, producers, loop, token] = rotation;
    return std::tie(slot_count, producers, loop, token);
}

template <FieldsOf<Storage> T> auto fields(T& storage) {
    auto& [buffer, type, extents, scope, alignment, swizzle, rotation, offset] = storage;
    return std::tie(buffer, type, extents, scope, alignment, swizzle, rotation, offset);
}

template <FieldsOf<PipelineStep> T> auto fields(T& step) {
    auto& [token, producers, slot_count, pending] = step;
    return std::tie(token, producers, slot_count, pending);
}

template <FieldsOf<CopiedBox> T> auto fields(T& box) {
    auto& [extents, swizzle, zero_border] = box;
    return std::tie(extents, swizzle, zero_border);
}

template <FieldsOf<ThreadRange> T> auto fields(T& threads) {
    auto& [begin, count] = threads;
    return std::tie(begin, count);
}

template <FieldsOf<Statement> T> auto fields(T& statement) {
    auto& [kind, origin, variable, loop, condition, value, access, storage, step, box, threads,
           instruction, level, operands, children] = statement;
    return std::tie(kind, origin, variable, loop, condition, value, access, storage, step, box,
                    threads, instruction, level, operands, children);
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

// The expressions of one statement, of a part of it, or of an operand, in the order of the fields;
// null ones are left out.
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
        } else if constexpr (loopscope::detail::is_part<Plain>) {
            if (field)
                each_expression(*field, visit);
        }
    });
}

} // namespace loopscope::lower
