#pragma once
// Evaluates a body of the prelude for many arguments: an interpreter of its own, written from the
// language's semantics, that runs one operation over a batch of arguments after another.

#include "core/ir/expr.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace loopscope::prelude_test {

constexpr std::size_t kBatch = 256;
// Bit patterns in the low bits, of integers too; the bits above a type's width are undefined.
using Register = std::array<std::uint64_t, kBatch>;

class Evaluator {
public:
    Evaluator(const ExprPtr& body, const std::vector<std::string>& parameters);
    // One pattern an argument of each parameter; `arguments[p]` has as many as `out` gets.
    void run(const std::vector<std::vector<std::uint64_t>>& arguments,
             std::vector<std::uint64_t>& out);
    std::uint64_t operator()(std::uint64_t x);
    std::uint64_t operator()(std::uint64_t x, std::uint64_t y);

private:
    std::size_t compile(const ExprPtr& e);
    std::size_t fresh();
    using Step = std::function<void(std::vector<Register>&)>;
    void step_of(const Expr& e, std::size_t out, const std::vector<std::size_t>& in);

    std::vector<Step> steps_;
    std::vector<Register> registers_;
    std::vector<std::size_t> parameters_;
    std::map<std::string, std::size_t> names_;
    std::map<const Expr*, std::size_t> known_;
    std::vector<ExprPtr> kept_;
    std::size_t result_ = 0;
};

} // namespace loopscope::prelude_test
