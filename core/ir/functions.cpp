#include "core/ir/functions.h"

#include <algorithm>
#include <stdexcept>

namespace loopscope {

namespace {

const std::string kApproximation = "fast_";

std::string proper(const std::string& name) {
    return name.rfind(kApproximation, 0) == 0 ? name.substr(kApproximation.size()) : name;
}

} // namespace

const std::vector<std::string>& prelude_names() {
    static const std::vector<std::string> names = {"exp", "log", "tanh", "erf",
                                                   "sin", "cos", "pow",  "rsqrt"};
    return names;
}

bool is_prelude_function(const std::string& name) {
    const auto& names = prelude_names();
    return std::find(names.begin(), names.end(), proper(name)) != names.end();
}

int prelude_parameters(const std::string& name) {
    return is_prelude_function(name) ? (proper(name) == "pow" ? 2 : 1) : 0;
}

std::string approximation_of(const std::string& name) { return kApproximation + proper(name); }

Cost prelude_cost(const std::string& name, ScalarType) {
    if (!is_prelude_function(name))
        throw std::logic_error("prelude_cost: " + name);
    return {20, 8}; // until the definitions are there to be counted
}

double prelude_error_ulp(const std::string& name, ScalarType) {
    return name == proper(name) ? 4 : 4096;
}

} // namespace loopscope
