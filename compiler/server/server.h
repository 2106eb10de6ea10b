#pragma once
// The worker's side of the protocol (compiler/protocol/protocol.h), whatever its verbs are: one
// request after another, on the main thread; a second thread reads, so that Cancel and the end of
// the client are seen during work. No LLVM here: a worker for OpenCL has none of ours.

#include "compiler/server/verb.h"

namespace loopscope::worker {

// Serves until the client goes. Options: --memory BYTES (limit of the address space), and
// --memory-reason TEXT, which says what that follows from ("this machine has 24000 MiB"). Returns
// the exit status. `ends_process`: after which errors this process is of no use any more. It says
// so in the answer ("ends"), and ends.
int serve(int argc, char** argv, const std::vector<Verb>& verbs,
          bool (*ends_process)(const Diagnostics&) = nullptr);

// The protocol's stream, for the planted verb that spoils it; -1 before `serve`. Its number depends
// on what the worker inherited.
int protocol_descriptor();

} // namespace loopscope::worker
