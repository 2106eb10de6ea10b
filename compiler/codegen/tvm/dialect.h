#pragma once
// Pipeline expressions as Python with TVM's operators.

#include "compiler/codegen/foreign/expression.h"
#include "compiler/codegen/foreign/foreign_program.h"

#include <set>
#include <utility>

namespace loopscope::codegen {

std::string tvm_type(ScalarType type); // "uint8"

class TvmDialect final : public Dialect {
public:
    explicit TvmDialect(const ForeignProgram& program);

    const ForeignProgram& program;
    // of stages and inputs: one a component
    std::map<std::string, std::vector<std::string>> buffers;
    std::set<std::string> read; // buffers that were read since it was emptied
    std::set<std::pair<std::string, ScalarType>> called; // functions of the prelude

    // The element at indices in the pipeline's own coordinates, shifted to the buffer's first.
    std::string at(const std::string& buffer, const Box& box,
                   const std::vector<std::string>& indices) const;

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
    std::string negated(const std::string& condition) override {
        return "T.Not(" + condition + ")";
    }
    std::string clamped(const std::string& index, std::int64_t least,
                        std::int64_t greatest) override;
    std::string declaration(const std::string& name, const std::string& text) override;
    std::string unique_name(const std::string& wanted) override;
    const char* floor_division() const override { return "//"; }
    bool may_not_wrap(ScalarType type) const override { return is_integer(type); }
    bool confuses_orders() const override { return false; }
    bool simplifies_as_mathematics() const override { return true; }

private:
    std::string bounded(const Stage& input, const std::vector<std::string>& indices) const;
    std::set<std::string> names_;
};

// The functions that give operations the pipeline language's meaning, and those of the prelude that
// are called.
std::string tvm_helpers(TvmDialect& dialect);

} // namespace loopscope::codegen
