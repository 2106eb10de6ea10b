#include "core/base/system_error.h"

#include <cerrno>
#include <cstring>

namespace loopscope {

Diagnostic system_error(const std::string& doing, const std::string& path, int number) {
    auto e = error("cannot " + doing + " '" + path + "': " + std::strerror(number));
    switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        e.code = kCodeDiskFull;
        e.remedy = "make room there, or name another place";
        break;
    case EACCES:
    case EPERM: e.remedy = "look at its permissions"; break;
    default: break;
    }
    return e;
}

} // namespace loopscope
