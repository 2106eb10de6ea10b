#include "core/base/number_text.h"

#include <charconv>

namespace loopscope {

namespace {

std::string text_of(double value, std::chars_format format, int precision) {
    char text[512]; // the greatest double has 309 digits before its point
    const auto end = std::to_chars(text, text + sizeof text, value, format, precision).ptr;
    return {text, end};
}

} // namespace

std::string general_text(double value, int digits) {
    return text_of(value, std::chars_format::general, digits);
}

std::string fixed_text(double value, int decimals) {
    return text_of(value, std::chars_format::fixed, decimals);
}

std::string exponent_text(double value, int decimals) {
    return text_of(value, std::chars_format::scientific, decimals);
}

double number_from(const std::string& text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

} // namespace loopscope
