// Verbs that fail on purpose: what the client makes of a hang, a crash, an abort, a lack of memory
// and an exception is tested with them. Present only when LOOPSCOPE_WORKER_PLANTED=1.
#include "compiler/server/server.h"
#include "compiler/worker/context.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include <unistd.h>

namespace loopscope::worker {

using nlohmann::json;

namespace {

Result<json> echo(const json& arguments, const Context& context) {
    context.progress("echo", "about to answer", 0.5);
    std::puts("a stray line on standard output"); // must not reach the protocol
    std::fflush(stdout);
    return arguments;
}

Result<json> hang(const json&, const Context&) {
    for (volatile bool forever = true; forever;) {
    }
    return json();
}

Result<json> wait_for_cancel(const json&, const Context& context) {
    for (int i = 0; !context.cancelled(); ++i) {
        context.progress("wait", std::to_string(i));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return cancelled_error();
}

Result<json> crash(const json&, const Context&) {
    std::fputs("about to crash\n", stderr);
    std::signal(SIGSEGV, SIG_DFL); // a sanitizer's handler would end the process with a status
    std::raise(SIGSEGV);
    return json();
}

// As the system does where a control group has no more memory.
Result<json> be_killed(const json&, const Context&) {
    std::raise(SIGKILL);
    return json();
}

Result<json> abort_now(const json&, const Context&) {
    std::fputs("LLVM ERROR: planted\n", stderr);
    std::abort();
}

Result<json> exhaust_memory(const json&, const Context&) {
    // Kept reachable, so that the compiler cannot drop the allocations. Nothing is written: the
    // limit is on addresses.
    std::vector<std::unique_ptr<char[]>> blocks;
    for (std::size_t i = 0;; ++i)
        blocks.emplace_back(new char[std::size_t(64) << 20])[i % 64] = 1;
}

Result<json> throw_exception(const json&, const Context&) { throw std::logic_error("planted bug"); }

Result<json> leave(const json&, const Context&) { ::_exit(7); }

Result<json> write_nonsense(const json&, const Context&) {
    [[maybe_unused]] auto written = ::write(protocol_descriptor(), "nonsense, and no frame\n", 23);
    return json::object();
}

} // namespace

const std::vector<Verb>& planted_verbs() {
    static const std::vector<Verb> list{
        {"planted-echo", echo},
        {"planted-hang", hang},
        {"planted-wait", wait_for_cancel},
        {"planted-crash", crash},
        {"planted-kill", be_killed},
        {"planted-abort", abort_now},
        {"planted-memory", exhaust_memory},
        {"planted-throw", throw_exception},
        {"planted-exit", leave},
        {"planted-nonsense", write_nonsense},
    };
    return list;
}

} // namespace loopscope::worker
