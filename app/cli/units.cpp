#include "app/cli/units.h"
#include "core/base/number_text.h"

#include <cmath>
#include <cstdlib>

namespace loopscope::cli {

namespace {

struct Prefix {
    double factor;
    const char* name;
};

std::string scaled(double value, const char* unit, const std::vector<Prefix>& prefixes) {
    const Prefix* chosen = &prefixes.back();
    for (const auto& prefix : prefixes)
        // 999.6 is 1000 when rounded to three digits: it takes the next prefix.
        if (std::fabs(value) >= prefix.factor * 0.9995) {
            chosen = &prefix;
            break;
        }
    return significant(value / chosen->factor) + " " + chosen->name + unit;
}

} // namespace

std::string significant(double value, int digits) {
    if (value == 0)
        return "0";
    if (!std::isfinite(value))
        return std::isnan(value) ? "not a number" : "infinite";
    int before_point = static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1;
    // Rounding may carry into one more digit: 9.996 has three digits as 10.0.
    double unit = std::pow(10.0, before_point - digits);
    double rounded = std::round(value / unit) * unit;
    before_point = static_cast<int>(std::floor(std::log10(std::fabs(rounded)) + 1e-12)) + 1;
    return before_point > 15 || before_point < -6
               ? exponent_text(value, digits - 1)
               : fixed_text(rounded, std::max(0, digits - before_point));
}

std::string seconds_text(double seconds) {
    return scaled(seconds, "s", {{1, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}});
}

std::string amount_text(double amount, const char* unit) {
    if (amount == 0)
        return std::string("0 ") + unit;
    return scaled(amount, unit,
                  {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}});
}

std::string rate_text(double per_second, const char* unit) { return amount_text(per_second, unit); }

std::string memory_text(std::int64_t bytes) {
    if (bytes == 0)
        return "0 B";
    const double kibi = 1024;
    const std::vector<Prefix> prefixes{{kibi * kibi * kibi * kibi, "Ti"},
                                       {kibi * kibi * kibi, "Gi"},
                                       {kibi * kibi, "Mi"},
                                       {kibi, "Ki"},
                                       {1, ""}};
    for (const auto& prefix : prefixes)
        if (static_cast<double>(bytes) >= prefix.factor) {
            double value = static_cast<double>(bytes) / prefix.factor;
            auto text = value == std::floor(value) && value < 10000
                            ? std::to_string(static_cast<long long>(value))
                            : significant(value);
            return text + " " + prefix.name + "B";
        }
    return std::to_string(bytes) + " B";
}

std::string grouped(std::int64_t value) {
    auto digits = std::to_string(std::llabs(value));
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0)
            text += ' ';
        text += digits[i];
    }
    return value < 0 ? "-" + text : text;
}

std::string extents_text(const std::vector<std::int64_t>& extents) {
    std::string text = "[";
    for (std::size_t i = 0; i < extents.size(); ++i)
        text += (i ? ", " : "") + std::to_string(extents[i]);
    return text + "]";
}

} // namespace loopscope::cli
