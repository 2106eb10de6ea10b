#include "tests/document/failing_allocations.h"

#include <sqlite3.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

namespace loopscope::test {

namespace {

struct State {
    bool on = false;
    std::size_t fails = 0, count = 0;
    bool for_good = false;
};
thread_local State state;

// Whether the allocation at hand fails.
bool fails() {
    if (!state.on)
        return false;
    ++state.count;
    return state.fails != 0 &&
           (state.count == state.fails || (state.for_good && state.count > state.fails));
}

void* allocated(std::size_t size, std::size_t alignment = 0) {
    void* memory = nullptr;
    if (!fails())
        memory = alignment
                     ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
                     : std::malloc(size ? size : 1);
    if (!memory)
        throw std::bad_alloc();
    return memory;
}

// How a process ends (starved_process).
enum Status { kRead = 10, kNothingFailed, kOutOfMemory, kTerminated };

// By std::bad_alloc where it cannot be caught; by anything else it is as any other end.
[[noreturn]] void end_terminated() {
    try {
        if (auto thrown = std::current_exception())
            std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
        ::_exit(kTerminated);
    } catch (...) {
    }
    ::_exit(1);
}

sqlite3_mem_methods system_methods;

void* sqlite_malloc(int size) { return fails() ? nullptr : system_methods.xMalloc(size); }
void* sqlite_realloc(void* memory, int size) {
    return fails() ? nullptr : system_methods.xRealloc(memory, size);
}

// Before anything of SQLite is in use.
const bool configured = [] {
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &system_methods);
    auto methods = system_methods;
    methods.xMalloc = sqlite_malloc;
    methods.xRealloc = sqlite_realloc;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK &&
           // The look-aside memory of a connection would hide most of its allocations.
           sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK;
}();

} // namespace

FailingAllocations::FailingAllocations(std::size_t fails, bool for_good) {
    if (!configured)
        throw std::logic_error("SQLite was in use before its allocator was replaced");
    state = {true, fails, 0, for_good};
}
FailingAllocations::~FailingAllocations() { state.on = false; }

std::size_t FailingAllocations::count() const { return state.count; }
bool FailingAllocations::failed() const { return state.fails && state.count >= state.fails; }

std::string starved_process(std::size_t fails, bool for_good, bool& failed,
                            const std::function<std::string()>& call) {
    int ends[2];
    if (::pipe(ends) != 0)
        return "no pipe";
    const pid_t child = ::fork();
    if (child == 0) {
        std::set_terminate(end_terminated);
        Status status = kOutOfMemory;
        std::string text;
        try {
            const FailingAllocations failing(fails, for_good);
            text = call();
            status = failing.failed() ? kRead : kNothingFailed;
        } catch (const std::bad_alloc&) {
        } catch (const std::exception&) {
            ::_exit(1);
        }
        const auto written = ::write(ends[1], text.data(), text.size());
        ::_exit(written == static_cast<ssize_t>(text.size()) ? status : 1);
    }
    ::close(ends[1]);
    std::string text;
    char piece[4096];
    for (ssize_t n; (n = ::read(ends[0], piece, sizeof piece)) > 0;)
        text.append(piece, static_cast<std::size_t>(n));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    failed = code != kNothingFailed;
    if (code == kRead || code == kNothingFailed)
        return text;
    return code == kOutOfMemory  ? "out of memory"
           : code == kTerminated ? "terminated"
                                 : "the process ended with the status " + std::to_string(status);
}

} // namespace loopscope::test

// The array forms and those with std::nothrow would call these, were it not for sanitizers, which
// have each of their own.
using loopscope::test::allocated;
void* operator new(std::size_t size) { return allocated(size); }
void* operator new[](std::size_t size) { return allocated(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return loopscope::test::fails() ? nullptr : std::malloc(size ? size : 1);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocated(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
