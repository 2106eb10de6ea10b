#include "core/ir/functions.h"

#include <algorithm>
#include <stdexcept>

namespace loopscope {

namespace {

const std::string kApproximation = "fast_";

std::string proper(const std::string& name) {
    return name.rfind(kApproximation, 0) == 0 ? name.substr(kApproximation.size()) : name;
}

// The figures of one function and its approximation, for a computation in f32 and in f64.
struct Figures {
    const char* name;
    Cost f32, f64;
    Cost fast_f32, fast_f64;
    double fast_error_f32, fast_error_f64; // in units of 2^-24 and 2^-53
};

// Measured and rounded up: tests/prelude counts the definitions and holds the errors against MPFR.
constexpr Figures kFigures[] = {
    {"exp", {21, 6}, {31, 6}, {13, 2}, {19, 2}, 120, 4e5},
    {"log", {27, 4}, {27, 4}, {14, 4}, {17, 4}, 140, 270},
    {"tanh", {28, 2}, {38, 2}, {18, 2}, {24, 2}, 320, 2.7e6},
    {"erf", {45, 2}, {87, 2}, {27, 2}, {45, 2}, 290, 4.4e6},
    {"sin", {21, 28}, {39, 70}, {17, 2}, {21, 2}, 14, 1.3e5},
    {"cos", {20, 28}, {38, 70}, {18, 2}, {22, 2}, 4, 7500},
    {"pow", {40, 6}, {112, 10}, {30, 6}, {35, 6}, 600, 6e5},
    {"rsqrt", {2, 0}, {2, 0}, {2, 0}, {2, 0}, 2, 2},
};

const Figures& figures(const std::string& name) {
    for (const auto& f : kFigures)
        if (proper(name) == f.name)
            return f;
    throw std::logic_error("no function of the prelude: " + name);
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

Cost prelude_cost(const std::string& name, ScalarType type) {
    const auto& f = figures(name);
    bool wide = type == ScalarType::F64; // f16 and bf16 compute in f32
    if (name == proper(name))
        return wide ? f.f64 : f.f32;
    return wide ? f.fast_f64 : f.fast_f32;
}

double prelude_error_ulp(const std::string& name, ScalarType type) {
    const auto& f = figures(name);
    if (name == proper(name))
        return 4;
    switch (type) {
    case ScalarType::F64: return f.fast_error_f64;
    case ScalarType::F32: return f.fast_error_f32;
    default:
        // What the one rounding adds: 1 at most, relative; half of that, absolute.
        return proper(name) == "sin" || proper(name) == "cos" ? 0.6 : 1.1;
    }
}

} // namespace loopscope
