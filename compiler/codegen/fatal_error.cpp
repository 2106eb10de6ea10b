#include "compiler/codegen/fatal_error.h"

#include <llvm/Support/ErrorHandling.h>

#include <cstring>
#include <mutex>

#include <unistd.h>

namespace loopscope::codegen {

namespace {
void write_all(const char* text) {
    std::size_t left = std::strlen(text);
    while (left > 0) {
        ssize_t written = ::write(STDERR_FILENO, text, left);
        if (written <= 0)
            return;
        text += written;
        left -= static_cast<std::size_t>(written);
    }
}
void on_fatal_error(void*, const char* reason, bool) { end_process(kFatalErrorStatus, reason); }
void on_bad_alloc(void*, const char* reason, bool) { end_process(kOutOfMemoryStatus, reason); }
} // namespace

void end_process(int status, const char* message) {
    write_all("loopscope: ");
    write_all(message);
    write_all("\n");
    ::_exit(status);
}

void install_fatal_error_handlers() {
    static std::once_flag once;
    std::call_once(once, [] {
        llvm::install_fatal_error_handler(on_fatal_error);
        llvm::install_bad_alloc_error_handler(on_bad_alloc);
    });
}

} // namespace loopscope::codegen
