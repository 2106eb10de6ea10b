#pragma once
// Each lane's work on the elements that it holds of an operand: statements for one element become
// those for all of a lane's. Used by build_fragments.cpp and build_lane_work.cpp.

#include "compiler/lower/program.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::lower {

// The elements of a lane, and the variables that tell which element is meant.
struct LaneElements {
    std::string lane; // the variable of the loop over lanes
    std::vector<std::string> variables;
    std::vector<std::vector<std::vector<std::int64_t>>> values; // [element][variable][lane]
    // The variable's value as an expression over the lane.
    std::function<ExprPtr(std::size_t element, std::size_t variable)> expression;

    std::size_t size() const { return values.size(); }
    // The statement at one element: variables replaced by their values over the lane.
    StatementPtr at(const StatementPtr& s, std::size_t element) const;
    // The greatest of 2, 4 and 8 such that this element and the next ones differ by one variable
    // alone, which counts on by 1 from a multiple of it; and that variable. 1: there is none.
    std::pair<int, std::size_t> run_of(std::size_t element) const;
};

// Registers that the elements go to.
struct LaneRegisters {
    std::string buffer;
    std::function<std::vector<ExprPtr>(std::size_t element)> indices;
    std::function<std::int64_t(std::size_t element)> number; // in the buffer; neighbours follow
};

// A copy out of shared memory by ldmatrix: `source` is the load, over the variables, `extents`
// those of its buffer; `divisor` divides its last index where the variables are 0. Null: the
// elements do not lie as the instruction takes them.
StatementPtr matrix_loads(const NodeId& origin, const LaneElements& elements,
                          const LaneRegisters& registers, const ExprPtr& source,
                          const std::vector<Extent>& extents, std::int64_t divisor);

// By how much an index changes when a variable grows by 1. Nothing: the change is not constant.
std::optional<std::int64_t> coefficient(const ExprPtr& index, const std::string& variable);
// A number that divides the expression whatever the values of its variables; 0: the expression is
// 0.
std::int64_t known_divisor(const ExprPtr& index);
ExprPtr with_zeros(const ExprPtr& e, const std::vector<std::string>& variables);

} // namespace loopscope::lower
