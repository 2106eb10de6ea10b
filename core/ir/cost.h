#pragma once
// What an expression costs: the one rule for counting floating-point and integer operations, shared
// by the interpreter of loop programs, the models and whoever prints GFLOP/s.
//
// Floating-point operations, per lane, of f16, bf16, f32 and f64:
//   1: + - * / min max abs negate sqrt floor ceil round (and % where a type has it)
//   2: fma
//   0: casts, comparisons, select, loads, constants, let, reinterpret, ramp, broadcast
//   a call of the prelude: what its definition has (functions.h)
// Integer operations, per lane, of integer types: 1 for each of + - * / % shifts & ^ | ~ min max
// abs negate, index arithmetic included; 0 for all else, bool operations too. A node counts as
// often as it occurs in the expression written as text; the value of a let counts once.

#include "core/ir/expr.h"

#include <cstdint>

namespace loopscope {

struct Cost {
    std::uint64_t flops = 0;
    std::uint64_t integer_operations = 0;
    Cost operator+(const Cost& other) const;    // saturates
    Cost operator*(std::uint64_t factor) const; // saturates
    bool operator==(const Cost&) const = default;
};

// The cost of the node alone, without its arguments.
Cost cost_of_node(const Expr& e);
// The cost of the whole expression; null costs nothing. Takes time linear in its distinct nodes.
Cost cost_of(const ExprPtr& e);

} // namespace loopscope
