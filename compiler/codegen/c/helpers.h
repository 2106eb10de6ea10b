#pragma once
// Small C functions for what C's operators leave undefined or do otherwise: only those that a file uses are written.

#include "compiler/codegen/c/names.h"
#include "core/ir/expr.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace loopscope::codegen {

const char* c_type(ScalarType t);        // of a value: "bool", "float"; f16 and bf16 are "uint16_t"
const char* c_memory_type(ScalarType t); // of an array's element: a bool is "uint8_t"
const char* c_unsigned(ScalarType t);    // of the width

class CHelpers {
public:
    explicit CHelpers(CNames& names);

    // Names of functions, noted as used. `op` of `add subtract multiply negate abs divide modulo shift_left
    // shift_right min max`.
    std::string operation(const char* op, ScalarType type);
    std::string from_float(ScalarType to, ScalarType from); // saturating
    std::string half(ScalarType to, ScalarType from);       // conversions of f16 and bf16
    std::string float_bits(ScalarType type);                // of a float, with one NaN
    std::string from_bits(ScalarType type);                 // f32, f64
    std::string atomic(Op op, ScalarType type);
    std::string allocate();

    bool uses_allocate() const { return used_.count("allocate") != 0; }
    // The definitions, in an order in which each is known before its use.
    std::vector<std::string> definitions() const;

private:
    std::string use(const std::string& name, const std::string& definition);
    std::string atomic_step(Op op, ScalarType type);

    std::set<std::string> used_;
    std::vector<std::string> definitions_;
};

} // namespace loopscope::codegen
