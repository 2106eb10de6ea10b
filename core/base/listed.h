#pragma once
// Names in a sentence.

#include <string>
#include <vector>

namespace loopscope {

// "a", "a and b", "a, b and c"; "" of none.
inline std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0)
            text += i + 1 < names.size() ? ", " : " and ";
        text += names[i];
    }
    return text;
}

} // namespace loopscope
