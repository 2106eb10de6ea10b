#include "app/agent/child.h"

#include "compiler/gpu/codes.h"
#include "compiler/protocol/worker_client.h"
#include "compiler/protocol/worker_process.h"
#include "core/base/json_text.h"
#include "core/base/number_text.h"

#include <chrono>

#include <poll.h>
#include <unistd.h>

namespace loopscope::agent {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxOutput = 64 << 20, kMaxErrors = 2000;
constexpr int kPollMilliseconds = 50;

json failed(const char* code, const std::string& message) {
    return {{"status", "failed"},
            {"errors", {{{"message", message}, {"remedy", ""}, {"code", code}}}}};
}

// Reads both streams until the output has ended; false: the time is over, or it says more than any
// job.
bool read_all(const measure::WorkerProcess& child, double seconds, std::string& output,
              std::string& errors) {
    const auto begin = std::chrono::steady_clock::now();
    char bytes[1 << 16];
    for (;;) {
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        if (taken.count() > seconds || output.size() > kMaxOutput)
            return false;
        pollfd streams[2] = {{child.output(), POLLIN, 0}, {child.errors(), POLLIN, 0}};
        if (::poll(streams, 2, kPollMilliseconds) <= 0)
            continue;
        if (streams[1].revents) {
            const auto n = ::read(child.errors(), bytes, sizeof bytes);
            if (n > 0)
                errors.append(bytes, static_cast<std::size_t>(n));
            if (errors.size() > kMaxErrors)
                errors.erase(0, errors.size() - kMaxErrors);
        }
        if (streams[0].revents) {
            const auto n = ::read(child.output(), bytes, sizeof bytes);
            if (n <= 0)
                return true;
            output.append(bytes, static_cast<std::size_t>(n));
        }
    }
}

} // namespace

json run_child(const std::vector<std::string>& arguments, double seconds) {
    auto child = measure::WorkerProcess::start("/proc/self/exe", arguments, {});
    if (!child)
        return failed(measure::kCodeMissing, child.errors().front().message);
    std::string output, errors;
    const bool ended = read_all(**child, seconds, output, errors);
    const auto end = (*child)->finish(!ended);
    if (!ended) {
        return failed(gpu::kCodeHang, "the job did not end within " + general_text(seconds, 3) +
                                          " s, and was ended");
    }
    auto answer = json_or_null(output);
    if (!end.by_signal && answer.is_object())
        return answer;
    return failed(measure::kCodeCrash,
                  "the job's process " + end.text() + (errors.empty() ? "" : ": " + errors));
}

} // namespace loopscope::agent
