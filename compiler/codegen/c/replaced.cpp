#include "compiler/codegen/c/replaced.h"

namespace loopscope::codegen {

std::string replaced(std::string text, const std::map<std::string, std::string>& words) {
    // Backwards: of two words that begin alike the longer one comes first.
    for (auto word = words.rbegin(); word != words.rend(); ++word)
        for (auto at = text.find(word->first); at != text.npos;
             at = text.find(word->first, at + word->second.size()))
            text.replace(at, word->first.size(), word->second);
    return text;
}

} // namespace loopscope::codegen
