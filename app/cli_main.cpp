// loopscope-cli: see app/cli/cli.h.
#include "app/cli/cli.h"
#include "app/cli/command.h"
#include "core/base/memory_limit.h"

#include <exception>
#include <iostream>

#include <unistd.h>

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    try {
        return loopscope::cli::run(argc, argv, std::cout, std::cerr, ::isatty(STDERR_FILENO) != 0);
    } catch (const std::bad_alloc&) {
        std::cerr << "error: " << loopscope::out_of_memory_text()
                  << "; make the problem smaller (--param)\n";
        return loopscope::kLimitReached;
    } catch (const std::exception& failure) {
        std::cerr << "error: a bug in loopscope-cli: " << failure.what() << "\n";
        return loopscope::kBug;
    }
}
