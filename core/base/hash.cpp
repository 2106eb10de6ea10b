#include "core/base/hash.h"

#include <cstdio>

namespace loopscope {

std::string hash_text(Hash hash) {
    char text[20];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

} // namespace loopscope
