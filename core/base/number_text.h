#pragma once
// Numbers as text, with a point in every locale: printf's family and std::to_string write the
// locale's comma, which no program reads (a window has its person's locale).

#include <string>

namespace loopscope {

std::string general_text(double value, int digits);    // as "%.4g"
std::string fixed_text(double value, int decimals);    // as "%.2f"
std::string exponent_text(double value, int decimals); // as "%.2e"

// The number that a text begins with, by a point in every locale; 0: none.
double number_from(const std::string& text);

} // namespace loopscope
