#pragma once
// Simpler versions of the texts of a pair, blind to what they mean: most of those that break a rule
// of the language are refused in no time. Each is shorter, or has a smaller number or a plainer
// type, so that taking them ends.

#include <string>
#include <vector>

namespace loopscope::fuzz {

std::vector<std::string> lines_of(const std::string& text);
std::string joined(const std::vector<std::string>& lines);

// Expressions become one of their parts or a constant, lists lose an element, conditions fall away,
// numbers become smaller.
std::vector<std::string> simpler_line(const std::string& line);
// Simpler forms of a whole pipeline: without one stage, whose reads go to one before it; …
std::vector<std::string> without_a_stage(const std::string& pipeline);
// … with an earlier stage as the output; …
std::vector<std::string> other_outputs(const std::string& pipeline);
// … with one type in place of another everywhere.
std::vector<std::string> simpler_types(const std::string& pipeline);

} // namespace loopscope::fuzz
