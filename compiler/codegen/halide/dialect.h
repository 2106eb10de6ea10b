#pragma once
// Pipeline expressions as C++ with Halide's operators.

#include "compiler/codegen/c/names.h"
#include "compiler/codegen/foreign/expression.h"
#include "compiler/codegen/foreign/foreign_program.h"

#include <set>
#include <utility>

namespace loopscope::codegen {

std::string halide_type(ScalarType type);    // "UInt(8)"
std::string halide_element(ScalarType type); // "uint8_t"

class HalideDialect final : public Dialect {
public:
    HalideDialect();

    CNames names;
    std::map<std::string, std::string> targets; // stages and inputs: what is called to read them
    std::set<std::string> tuples;               // stages with several components
    // Tuples whose components are kept as their bits while they are updated, with the types; only
    // their own updates read them so.
    std::map<std::string, std::pair<std::string, std::vector<ScalarType>>> as_bits;
    std::string stage;     // whose definition is being written
    bool sums_wrap = true; // false: in a step that Halide must recognise as a sum
    std::set<std::string> helpers;
    std::set<std::pair<std::string, ScalarType>> called; // functions of the prelude

    std::string literal(const Expr& constant, bool beside) override;
    std::string convert(ScalarType to, ScalarType from, const std::string& text) override;
    std::string select(const std::string& condition, const std::string& a,
                       const std::string& b) override;
    std::string element(const Expr& load, const std::vector<std::string>& indices) override;
    std::string helper(const std::string& function, ScalarType type,
                       const std::vector<std::string>& arguments) override;
    std::string prelude(const std::string& function, ScalarType type,
                        const std::vector<std::string>& arguments) override;
    std::string logical(bool all, const std::vector<std::string>& conditions) override;
    std::string negated(const std::string& condition) override { return "!" + condition; }
    std::string clamped(const std::string& index, std::int64_t least,
                        std::int64_t greatest) override;
    std::string declaration(const std::string& name, const std::string& text) override;
    std::string unique_name(const std::string& wanted) override { return names.unique(wanted); }
    const char* floor_division() const override { return "/"; }
    bool may_not_wrap(ScalarType type) const override;
    bool confuses_orders() const override { return true; }
    bool simplifies_as_mathematics() const override {
        return false;
    } // not those that are said to be strict
};

// A component as its bits, and back.
std::string halide_bits(ScalarType type, const std::string& value);
std::string halide_from_bits(ScalarType type, const std::string& bits);

std::string reversed_list(const std::vector<std::string>& items); // "x, y" of {y, x}

// The definitions, in namespace ops, of the helpers and functions that a program calls.
std::string halide_helpers(HalideDialect& dialect);

} // namespace loopscope::codegen
