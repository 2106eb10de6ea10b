#pragma once
// The words of the `.loop` language, all of them reserved.

#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

bool is_keyword(std::string_view word);        // pipeline param … in and or not true false inf nan
bool is_statement_word(std::string_view word); // those that start a statement
bool is_function(std::string_view word);       // select min exp sum …
bool is_reduction(std::string_view word);      // sum prod min max any all argmax argmin
bool is_type_name(std::string_view word);      // bool i8 … bf16
bool is_reserved(std::string_view word);       // any of the above

const std::vector<std::string_view>& statement_words();
const std::vector<std::string>& function_names();
const std::vector<std::string>& type_names();

} // namespace loopscope
