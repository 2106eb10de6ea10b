#pragma once
// Expressions of a launch, as instructions on a warp's cells. A part that is the same in all
// threads is computed once, and spread over the threads where it meets one that differs.
//
// Cells are a stack: variables of the statements around, then intermediate values of the running
// statement. Constants lie behind all of it; until `finish` knows where, their cells are numbered
// from kConstants on.

#include "compiler/run/simt_interpreter/code.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope::simt_interpreter {

class ExpressionCompiler {
public:
    ExpressionCompiler(LaunchCode& code, const Memory& memory, bool flat)
        : code_(code), memory_(memory), flat_(flat) {}

    std::map<std::string, std::uint32_t> stores; // by name, those in scope

    // Begins a statement: intermediate values of the last one are gone.
    void begin(const NodeId& origin);
    Value expression(const ExprPtr& e);
    // A value that outlives the statement, until its cells are released.
    Value kept(const ExprPtr& e);
    Value new_variable(std::uint32_t lanes, bool uniform);
    void name(const std::string& variable, Value value) { variables_[variable] = value; }
    Value constant(Cell bits, bool uniform = true);
    // The place of a store or prefetch, its indices and mask compiled.
    Access place(const std::string& buffer, const std::vector<ExprPtr>& indices,
                 const ExprPtr& mask, Deed deed);
    std::uint32_t scratch(std::uint32_t cells); // for the running statement
    std::uint32_t add_site(Deed deed);

    std::uint32_t mark() const { return kept_; }
    void release(std::uint32_t mark) { kept_ = mark; }

    // Ends after the last step: constants get their cells.
    void finish();

private:
    // Names and results inside the definition of a function; those of the program have the
    // compiler's own.
    struct KnownNames {
        std::unordered_map<std::string, Value>* names;
        std::unordered_map<const Expr*, Value>* memo;
    };
    void forget(); // values that have been computed
    Value compile(const ExprPtr& e, KnownNames scope);
    Value let(const Expr& e, KnownNames scope);
    Value node(const Expr& e, KnownNames scope);
    Value call(const Expr& e, const std::vector<Value>& arguments);
    Value load(const Expr& e, std::vector<Value> arguments);
    Value ramp(const Expr& e, const Value& base, const Value& stride);
    Value operation(Kernel kernel, const Expr& e, std::vector<Value> arguments);
    Value emit(Kernel kernel, const std::vector<Value>& operands, std::uint32_t lanes,
               bool uniform);
    Value widened(const Value& v, std::uint32_t lanes); // a scalar in all lanes
    Value spread(const Value& v);                       // in all threads
    Value moved(const Value& v, std::uint32_t to);
    void relocate(std::uint32_t& cell) const;

    static constexpr std::uint32_t kConstants = std::uint32_t{1} << 31;

    LaunchCode& code_;
    const Memory& memory_;
    bool flat_;
    const NodeId* origin_ = nullptr;
    std::uint32_t kept_ = 0, top_ = 0, most_ = 0;
    std::vector<Cell> constants_;
    std::map<std::pair<Cell, bool>, Value> constant_values_;
    std::unordered_map<std::string, Value> variables_;
    std::unordered_map<const Expr*, Value> memo_;
    std::unordered_map<std::uint32_t, Value> spread_; // by the cell of the uniform value
};

} // namespace loopscope::simt_interpreter
