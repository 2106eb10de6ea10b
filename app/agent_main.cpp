// loopscope-agent: see app/agent/agent.h. No compiler, no Qt: libc alone, and the driver where it
// is found.
#include "app/agent/agent.h"

#include <exception>
#include <iostream>

#include <unistd.h>

int main(int argc, char** argv) {
    int status = 0;
    try {
        status = loopscope::agent::run({argv + 1, argv + argc}, std::cout, std::cerr);
    } catch (const std::bad_alloc&) {
        std::cerr << "error: out of memory\n";
        status = loopscope::agent::kLimitReached;
    }
    std::cout.flush();
    ::_exit(status); // without the driver's own end, which may wait for a kernel that never ends
}
