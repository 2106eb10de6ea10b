#pragma once
// The figures of the user's table in resources/help/functions.md.

#include "core/ir/type.h"

#include <string>
#include <vector>

namespace loopscope::prelude_test {

struct Row {
    std::string function;
    ScalarType type;
    double error; // ulp
    std::uint64_t operations;
    double fast_error;
    std::uint64_t fast_operations;
};

std::string functions_page();
std::vector<Row> documented();
double documented_error(const std::string& function, ScalarType type);

} // namespace loopscope::prelude_test
