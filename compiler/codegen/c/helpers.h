#pragma once
// Small C functions for what C's operators leave undefined or do otherwise: only those that a file
// uses are written.

#include "compiler/codegen/c/dialect.h"
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

// The sides of a file with kernels that have a function: the host and the device, or the device
// alone. Functions of the host alone are those of other helpers (`beside`).
enum class Side { Both, Device };

class CHelpers {
public:
    // `dialect` must outlive this object. `beside`: functions that stand before these in the file,
    // and are not written again.
    CHelpers(CNames& names, const CDialect& dialect, const CHelpers* beside = nullptr);
    virtual ~CHelpers() = default;
    const CDialect& dialect() const { return dialect_; }

    // Names of functions, noted as used. `op` of `add subtract multiply negate abs divide modulo
    // shift_left shift_right min max`.
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
    std::vector<std::string> definitions(Side side) const;

protected:
    // Notes the function as used; its definition is given in the words of C11.
    std::string use(const std::string& name, const std::string& definition, Side side = Side::Both);
    bool is_used(const std::string& name) const {
        return used_.count(name) != 0 || (beside_ && beside_->is_used(name));
    }
    std::string atomic_step(Op op, ScalarType type);        // an expression of `old` and `value`
    static std::string atomic_name(Op op, ScalarType type); // "atomic_add_f32"

private:
    std::string in_dialect(std::string text) const;

    const CDialect& dialect_;
    const CHelpers* const beside_;
    std::set<std::string> used_;
    struct Definition {
        std::string text;
        Side side = Side::Both;
    };
    std::vector<Definition> definitions_;
};

} // namespace loopscope::codegen
