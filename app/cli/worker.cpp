#include "app/cli/worker.h"

#include "app/cli/load.h"
#include "compiler/measure/host_device.h"
#include "compiler/remote/client.h"

#include <nlohmann/json.hpp>

#include <csignal>
#include <functional>

namespace loopscope::cli {

namespace {

std::atomic<bool> interrupted = false; // the one thing that a signal handler can reach
static_assert(std::atomic<bool>::is_always_lock_free);

// Ctrl-C, a terminal that is closed, and whoever ends programs: nothing is to go on elsewhere.
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

extern "C" void on_interrupt(int signal) {
    interrupted = true;
    std::signal(signal, SIG_DFL); // a second Ctrl-C ends the program
}

} // namespace

InterruptGuard::InterruptGuard() {
    interrupted = false;
    for (int signal : kSignals)
        std::signal(signal, on_interrupt);
}
InterruptGuard::~InterruptGuard() {
    for (int signal : kSignals)
        std::signal(signal, SIG_DFL);
}
const std::atomic<bool>* InterruptGuard::flag() const { return &interrupted; }

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() {
    if (shown_)
        console_.err << "\r\x1b[K" << std::flush;
    shown_ = false;
}

void ProgressLine::show(const measure::Progress& progress) {
    if (!console_.progress)
        return;
    shown_ = true;
    console_.err << "\r\x1b[K" << progress.stage << ": " << progress.text;
    if (progress.fraction >= 0)
        console_.err << " (" << static_cast<int>(progress.fraction * 100) << " %)";
    console_.err << std::flush;
}

namespace {

using Ask = std::function<Result<nlohmann::json>(measure::WorkerClient& worker,
                                                 const measure::RequestOptions& request)>;

Result<nlohmann::json> ask(const Ask& ask, const Options& options, const Console& console) {
    measure::WorkerClient worker;
    ProgressLine line(console);
    InterruptGuard interrupt;
    measure::RequestOptions request;
    request.timeout_seconds = options.timeout_seconds;
    request.cancel = interrupt.flag();
    request.on_progress = [&](const measure::Progress& progress) { line.show(progress); };
    auto answer = ask(worker, request);
    // Loops that are vectorised in vain; of `emit` also what another system has no word for.
    if (answer && answer->contains("warnings") && !options.json) {
        line.clear();
        console.err << answer->at("warnings").get<std::string>() << "\n";
    }
    return answer;
}

} // namespace

Result<nlohmann::json> ask_worker(const std::string& verb, const nlohmann::json& arguments,
                                  const Options& options, const Console& console) {
    return ask(
        [&](measure::WorkerClient& worker, const measure::RequestOptions& request) {
            return worker.request(verb, arguments, request);
        },
        options, console);
}

Result<nlohmann::json> ask_elsewhere(const std::string& verb, const nlohmann::json& arguments,
                                     const Options& options, const Console& console) {
    auto place = remote::read_place(options.on);
    if (!place)
        return place.errors();
    remote::RemoteClient client(std::move(*place));
    return ask(
        [&](measure::WorkerClient& worker, const measure::RequestOptions& request) {
            return client.request(worker, verb, arguments, request);
        },
        options, console);
}

Result<nlohmann::json> ask_to_execute(const std::string& verb, const nlohmann::json& more,
                                      const Options& options, const Console& console) {
    if (auto target = check_target(options); !target)
        return target.errors();
    const bool elsewhere = !options.on.empty();
    auto program = program_text(options);
    if (!program)
        return program.errors();
    auto arguments = measure::program_json(*program);
    arguments["target"] = elsewhere ? options.on : options.target;
    arguments["threads"] = options.threads;
    if (options.kernel_seconds > 0)
        arguments["kernel_timeout_s"] = options.kernel_seconds;
    arguments["timeout_s"] = options.timeout_seconds;
    arguments.update(more);
    return elsewhere ? ask_elsewhere(verb, arguments, options, console)
                     : ask_worker(verb, arguments, options, console);
}

Result<device::Device> probe_with_progress(const Console& console) {
    console.err << "measuring this machine's peaks, once; this takes up to half a minute\n"
                << std::flush;
    measure::WorkerClient worker;
    ProgressLine line(console);
    InterruptGuard interrupt;
    measure::RequestOptions request;
    request.timeout_seconds = 300;
    request.cancel = interrupt.flag();
    request.on_progress = [&](const measure::Progress& progress) { line.show(progress); };
    std::string not_kept;
    auto host = measure::probe_host(worker, request, &not_kept);
    if (host && !not_kept.empty())
        console.err << "warning: the figures are not kept: " << not_kept << "\n";
    return host;
}

} // namespace loopscope::cli
