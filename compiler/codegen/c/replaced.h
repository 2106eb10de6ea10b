#pragma once
// Words of a template in for others.

#include <map>
#include <string>

namespace loopscope::codegen {

// Each word wherever it stands, also inside of other words.
std::string replaced(std::string text, const std::map<std::string, std::string>& words);

} // namespace loopscope::codegen
