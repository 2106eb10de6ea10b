#pragma once
// A library of others that a program links, named as THIRD_PARTY.md does, and the version of it
// that is there.

#include <string>
#include <vector>

namespace loopscope {

struct LibraryVersion {
    std::string name;
    std::string version;
};
using LibraryVersions = std::vector<LibraryVersion>;

} // namespace loopscope
