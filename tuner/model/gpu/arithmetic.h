#pragma once
// The work of a point's arithmetic for a multiprocessor's units.

#include "tuner/model/work.h"

#include <array>
#include <optional>
#include <string>

namespace loopscope::model::gpu {

// The units for vectors of threads. Halves are computed in f32, as lowering does it
// (half_arithmetic); 8 and 16 bits in i32.
enum class Unit : std::uint8_t { F32, F64, I32 };
constexpr std::size_t kUnits = 3;
const char* name(Unit unit); // "f32"
ScalarType type_of(Unit unit);

// Instructions of an IEEE division or square root of floats, or of a division of integers by no
// constant; below, those of operations on 64-bit integers, which have no unit.
constexpr double kDivisionInstructions = 10;
constexpr double kLongInstructions = 2;

struct PointArithmetic {
    // Counts for one evaluation. Operations: floats by core/ir/cost.h (an fma is two), integers
    // outside of indices one each. Instructions: those of a thread; equal subexpressions are one,
    // as a compiler shares them.
    std::array<double, kUnits> operations{}, instructions{};
    // The operand ("f16", as devices name it) of a tensor instruction that computes the point in
    // place of those units; nothing: none does.
    std::optional<std::string> tensor;
};

PointArithmetic arithmetic_of(const Work& work, const Point& point);

} // namespace loopscope::model::gpu
