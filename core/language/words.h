#pragma once
// The words of the `.loop` language: what is reserved, and what the language has that this version has not.

#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

bool is_keyword(std::string_view word);        // pipeline param … in and or not true false inf nan
bool is_statement_word(std::string_view word); // those that start a statement
bool is_function(std::string_view word);       // select min sum …, whether or not it is available
bool is_reduction(std::string_view word);      // sum prod min max any all argmax argmin
bool is_type_name(std::string_view word);      // bool i8 … f64
bool is_reserved(std::string_view word);       // any of the above

// Part of the language, but not of this version.
bool is_unavailable_function(std::string_view word);
bool is_unavailable_type(std::string_view word);

const std::vector<std::string_view>& statement_words();
const std::vector<std::string>& function_names(); // the available ones
const std::vector<std::string>& type_names();     // the available ones

// "X is not available in this version of Loopscope".
std::string not_available(std::string_view feature);

} // namespace loopscope
