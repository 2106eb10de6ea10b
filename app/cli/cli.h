#pragma once
// loopscope-cli: the same powers as the window, without it.

#include <ostream>

namespace loopscope::cli {

// Parses the arguments and runs the verb. Returns the exit status; nothing is printed but to the
// two streams. What `out` could not take is said on `err`, and the status is 4.
int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err, bool progress);

} // namespace loopscope::cli
