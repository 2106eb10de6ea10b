#pragma once
// The command line's grammar and help.

#include "app/cli/command.h"

#include <string>
#include <variant>

namespace loopscope::cli {

struct Invocation {
    const Command* command = nullptr;
    Options options;
};

// A verb with its options, or the exit status of what has been dealt with: help and version are on
// `console.out`, a misuse is on `console.err`.
std::variant<Invocation, int> parse(int argc, const char* const* argv, const Console& console);

} // namespace loopscope::cli
