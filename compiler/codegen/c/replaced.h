#pragma once
// Replaces words of a template.

#include <map>
#include <string>

namespace loopscope::codegen {

// The text with each word replaced wherever it stands, also inside of other words.
std::string replaced(std::string text, const std::map<std::string, std::string>& words);

} // namespace loopscope::codegen
