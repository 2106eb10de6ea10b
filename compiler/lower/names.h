#pragma once
// Names for copies: variables and allocated buffers are unique in a program.

#include "compiler/lower/program.h"

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace loopscope::lower {

class NameSource {
public:
    explicit NameSource(const Program& program); // all names of the program are taken

    // The name itself where it is free, else fresh().
    std::string unused(const std::string& name);
    // The base name with the next free number: "C.ii_2" for "C.ii". A name made here gives its own
    // base again.
    std::string fresh(const std::string& name);
    // A copy of `s` in which all loops, lets and allocations have fresh names.
    StatementPtr copy(const StatementPtr& s);

private:
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, std::string> base_; // of names made here
    std::unordered_map<std::string, int> next_;
};

} // namespace loopscope::lower
