#pragma once
// The most memory that processes took, in units of 10^6 bytes.

#include <string>

namespace loopscope::bench {

// "self", or the number of a process; its peak of resident memory (VmHWM).
double greatest_megabytes(const std::string& process);
// The greatest of this process's children that are alive. What getrusage() says of ended ones will
// not do: until it starts its program, a child that was spawned counts its parent's memory as its
// own.
double greatest_child_megabytes();

} // namespace loopscope::bench
