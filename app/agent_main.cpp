// loopscope-agent: see app/agent/agent.h. No compiler, no Qt: libc alone, and the driver where it
// is found.
#include "app/agent/agent.h"
#include "core/base/memory_limit.h"

#include <exception>
#include <iostream>

#include <unistd.h>

int main(int argc, char** argv) {
    int status = 0;
    try {
        status = loopscope::agent::run({argv + 1, argv + argc}, std::cout, std::cerr);
    } catch (const std::bad_alloc&) {
        std::cerr << "error: " << loopscope::out_of_memory_text() << "\n";
        status = loopscope::kLimitReached;
    } catch (const std::exception& failure) {
        std::cerr << "error: a bug in loopscope-agent: " << failure.what() << "\n";
        status = loopscope::kBug;
    }
    std::cout.flush();
    ::_exit(status); // without the driver's own end, which may wait for a kernel that never ends
}
