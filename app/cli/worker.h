#pragma once
// One request to a worker from the command line: progress on a terminal, Ctrl-C as Cancel.

#include "app/cli/command.h"

#include "compiler/protocol/worker_client.h"
#include "core/device/device.h"

#include <nlohmann/json_fwd.hpp>

namespace loopscope::cli {

// Starts a worker, sends one request, ends the worker.
Result<nlohmann::json> ask_worker(const std::string& verb, const nlohmann::json& arguments,
                                  const Options& options, const Console& console);

// The same of a GPU elsewhere (--on), by compiler/remote/client.h. Errors: also those of
// read_place.
Result<nlohmann::json> ask_elsewhere(const std::string& verb, const nlohmann::json& arguments,
                                     const Options& options, const Console& console);

// The one or the other for a verb that executes the command line's program: pipeline, schedule,
// target and threads, and what `more` has. Errors: also those of check_target and program_text.
Result<nlohmann::json> ask_to_execute(const std::string& verb, const nlohmann::json& more,
                                      const Options& options, const Console& console);

// Measures the host's peaks and keeps them, with a line on standard error that says so: it takes
// some seconds.
Result<device::Device> probe_with_progress(const Console& console);

// Shows progress as one line that the next replaces; the destructor removes it.
class ProgressLine {
public:
    explicit ProgressLine(const Console& console) : console_(console) {}
    ~ProgressLine();
    void show(const measure::Progress& progress);
    void clear();

private:
    const Console& console_;
    bool shown_ = false;
};

// Set while a request runs and Ctrl-C was pressed, or a signal asked the program to end.
class InterruptGuard {
public:
    InterruptGuard();
    ~InterruptGuard();
    const std::atomic<bool>* flag() const;
};

} // namespace loopscope::cli
