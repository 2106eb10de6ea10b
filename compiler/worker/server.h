#pragma once
// The worker's side of the protocol (compiler/measure/protocol.h): one request after another, on the main thread; a
// second thread reads, so that Cancel and the end of the client are seen during work.

namespace loopscope::worker {

// Serves until the client goes. Options: --memory BYTES (limit of the address space). Returns the exit status.
int serve(int argc, char** argv);

// The protocol's stream, for the planted verb that spoils it; -1 before `serve`. Its number depends on what the worker
// inherited.
int protocol_descriptor();

} // namespace loopscope::worker
