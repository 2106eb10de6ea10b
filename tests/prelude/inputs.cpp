#include "tests/prelude/inputs.h"

#include "tests/prelude/judge.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace loopscope::prelude_test {

namespace {

using Random = std::mt19937_64;

double uniform(Random& random, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
}

// Where definitions or results change: overflow, underflow, saturation, the ends of ranges.
std::vector<double> turning_points(const std::string& f, bool wide) {
    constexpr double kLn2 = 0.69314718055994531, kQuarter = 0.78539816339744828;
    std::vector<double> points = {1, 0.5, 2, 3};
    auto add = [&](std::initializer_list<double> more) { points.insert(points.end(), more); };
    if (f == "exp")
        wide ? add({709.782712893384, 710, -745.1332191019411, -746, -708.3964185322641})
             : add({88.72283905206835, 89, -103.97208, -104, -87.3365447505531});
    if (f == "exp" || f == "tanh")
        for (int n = -40; n < 40; ++n)
            points.push_back((n + 0.5) * kLn2);
    if (f == "tanh")
        add({2.44140625e-4, 7.450580596923828e-9, 9.5, 20, 9.01, 19.06});
    if (f == "erf")
        add({3.95, 5.95, 3.92, 5.92, 0.4769});
    if (f == "log" || f == "pow")
        for (int k = -1080; k < 1030; ++k)
            points.push_back(std::ldexp(std::sqrt(0.5), k));
    if (f == "sin" || f == "cos") {
        add({2.44140625e-4, 7.450580596923828e-9, kQuarter});
        for (int k = 1; k < 2000; ++k)
            points.push_back(k * kQuarter);
        // The f32 and the f64 that are nearest to a multiple of pi/2.
        add({std::ldexp(16367173.0, 72), std::ldexp(6381956970095103.0, 797)});
    }
    return points;
}

} // namespace

Patterns special_points(const std::string& function, ScalarType type) {
    bool wide = type == ScalarType::F64;
    int fraction = wide ? 52 : 23;
    std::uint64_t infinity = wide ? 0x7ffull << 52 : 0xffull << 23;
    std::uint64_t sign = wide ? 1ull << 63 : 1ull << 31;
    Patterns out;
    auto around = [&](std::uint64_t at, std::uint64_t reach) {
        for (auto b = at > reach ? at - reach : 0; b <= at + reach; ++b)
            for (auto signed_bits : {b, b | sign})
                out.push_back(signed_bits);
    };
    for (std::uint64_t e = 0; e <= infinity >> fraction; ++e)
        around(e << fraction, 4);
    around(0, 50);
    around(infinity, 3);
    around(infinity | 1ull << (fraction - 1), 3);
    std::string proper = function.rfind("fast_", 0) == 0 ? function.substr(5) : function;
    for (double p : turning_points(proper, wide))
        if (std::isfinite(value_of(type, bits_of(type, p))))
            around(bits_of(type, p), 20);
    return out;
}

Patterns random_f64(const std::string& f, std::size_t count, std::uint64_t seed) {
    Random random(seed);
    Patterns out;
    double reach = f == "exp"                   ? 746
                   : f == "log" || f == "rsqrt" ? 4
                   : f == "tanh"                ? 20
                   : f == "erf"                 ? 6
                                                : 1e5;
    double low = f == "log" || f == "rsqrt" ? 0 : -reach;
    for (std::size_t i = 0; i < count; ++i)
        switch (i % 4) {
        case 0:
        case 1: out.push_back(random()); break;
        case 2: out.push_back(std::bit_cast<std::uint64_t>(uniform(random, low, reach))); break;
        default:
            out.push_back(
                std::bit_cast<std::uint64_t>(uniform(random, low < 0 ? -1 : 0, 1) *
                                             std::exp2(uniform(random, -40, std::log2(reach)))));
        }
    return out;
}

std::vector<Patterns> random_pairs(ScalarType type, std::size_t count, std::uint64_t seed) {
    bool wide = type == ScalarType::F64;
    auto mask = bits(type) == 64 ? ~0ull : (1ull << bits(type)) - 1;
    Random random(seed);
    std::vector<Patterns> out(2);
    for (std::size_t i = 0; i < count; ++i) {
        double x, y;
        switch (i % 8) {
        case 0:
            out[0].push_back(random() & mask);
            out[1].push_back(random() & mask);
            continue;
        case 1: // small whole and half exponents, of both signs
            x = uniform(random, -50, 50);
            y = std::floor(uniform(random, -40, 40)) * 0.5;
            break;
        case 2: // near 1
            x = 1 + uniform(random, -1, 1) * std::exp2(uniform(random, wide ? -50 : -22, -2));
            y = uniform(random, -1, 1) * (wide ? 745 : 104) / std::log(x);
            break;
        default: { // the whole range of results
            double exponent = uniform(random, wide ? -1074 : -149, wide ? 1023.9 : 127.9);
            x = std::exp2(exponent);
            y = uniform(random, -1, 1) * (wide ? 746 : 105) / std::log(x);
        }
        }
        out[0].push_back(bits_of(type, x));
        out[1].push_back(bits_of(type, y));
    }
    return out;
}

std::vector<Patterns> special_pairs(ScalarType type) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    bool wide = type == ScalarType::F64;
    double least = wide ? 5e-324 : 1.4e-45,
           greatest = wide ? 1.7976931348623157e308 : 3.4028234663852886e38;
    double odd = wide ? 9007199254740991.0 : 16777215.0, even = odd + 1;
    std::vector<double> values;
    for (double v : {0.0,      least,        least * 3, 1e-30,    0.3,      0.5, 1.0 - 0x1p-11,
                     1.0,      1.0 + 0x1p-7, 1.5,       2.0,      2.5,      3.0, 4.0,
                     5.0,      7.0,          63.0,      64.0,     1023.0,   odd, even,
                     even * 2, even * 1e4,   1e30,      greatest, kInfinity}) {
        values.push_back(v);
        values.push_back(-v);
    }
    values.push_back(std::nan(""));
    std::vector<Patterns> out(2);
    for (double x : values)
        for (double y : values) {
            out[0].push_back(bits_of(type, x));
            out[1].push_back(bits_of(type, y));
        }
    return out;
}

} // namespace loopscope::prelude_test
