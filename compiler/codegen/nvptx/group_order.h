#pragma once
// Waits of a token as the hardware counts. A thread's groups of asynchronous copies complete in the
// order in which they were committed, whatever their tokens, and the hardware waits until at most n
// of the youngest are under way. A wait for at most p groups of one token is one for n: of the n
// youngest, no more than p have that token. With one token n is p.
//
//     commit a; commit b; commit a; commit b
//     wait a 1        ->     at most 3: the older a has arrived

#include "compiler/lower/program.h"

#include <map>

namespace loopscope::codegen {

// For each Wait of a launch's body, the greatest n that is right on every path to it. On a path
// where n could be greater, it waits for more than it needs to, which is never wrong.
std::map<const lower::Statement*, int> hardware_waits(const lower::StatementPtr& body);

} // namespace loopscope::codegen
