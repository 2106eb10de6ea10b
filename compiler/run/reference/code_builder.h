#pragma once
// Expressions to instructions: each distinct node once, registers reused after their last use.

#include "compiler/run/reference/code.h"

#include <unordered_map>

namespace loopscope::reference {

// The storages of all stages and inputs by name, one per component.
using Storages = std::map<std::string, std::vector<Storage>>;

struct Code {
    struct Variable {
        std::string name;
        ScalarType type;
        int reg;
    };
    struct Constant {
        ScalarType type;
        std::uint64_t bits;
        int reg;
    };
    std::vector<Instruction> instructions;
    std::vector<std::unique_ptr<Access>> accesses;
    // to be filled by whoever runs the code; a name may have several types
    std::vector<Variable> variables;
    std::vector<Constant> constants; // to be filled once
    std::vector<int> results;        // in the order of CodeBuilder::result
    int register_count = 0;
};

class CodeBuilder {
public:
    explicit CodeBuilder(const Storages& storages) : storages_(storages) {}

    // Code for `e`, whose value is then in a register until the code's end. Throws std::logic_error
    // for an expression that no pipeline can hold (an unknown stage, an operation that its type
    // does not have).
    void result(const ExprPtr& e) { results_.push_back(compile(e)); }
    Code finish();

private:
    // Before registers are assigned every value has a number of its own.
    int compile(const ExprPtr& e);
    int compile_new(const Expr& e);
    int constant(const Expr& e);
    int call(const Expr& e);
    int variable(const Expr& e);
    int load(const Expr& e);
    int emit(Kernel kernel, const Expr& e);
    int new_value() { return values_++; }
    std::vector<int> assign_registers() const;
    std::vector<std::size_t> last_uses() const;

    const Storages& storages_;
    Code code_;
    int values_ = 0;
    std::vector<int> results_;
    std::vector<int> source_counts_; // per instruction
    // The meanings of expressions and names; a call's definition has names of its own.
    struct KnownNames {
        std::unordered_map<const Expr*, int> known;
        std::map<std::string, int> lets;
    };
    KnownNames scope_;
    std::vector<ExprPtr> alive_; // keeps the keys of `known` valid
};

} // namespace loopscope::reference
