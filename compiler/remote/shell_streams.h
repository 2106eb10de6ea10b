#pragma once
// The streams of a command that runs: its input written, its output and errors read.

#include "compiler/protocol/worker_process.h"
#include "compiler/remote/shell.h"

#include <memory>

namespace loopscope::remote {

// A line before which nothing of the output counts.
constexpr const char* kBegin = "loopscope-begins";

class ShellStreams {
public:
    // Both must outlive it.
    ShellStreams(const measure::WorkerProcess& process, const ShellRun& run);
    ~ShellStreams();

    // Until its output has ended. An error ends it early.
    Status until_end();

    std::string output, errors;

private:
    class Heartbeat;

    Status may_go_on() const;
    void write();
    Status read_output();
    Status take(std::string_view bytes);
    void read_errors();
    void read_last_words();

    const measure::WorkerProcess& process_;
    const ShellRun& run_;
    std::string_view left_; // of the input
    std::string line_;      // that has not ended
    std::unique_ptr<Heartbeat> heartbeat_;
    bool begun_ = false, output_open_ = true, errors_open_ = true, input_open_ = true;
};

} // namespace loopscope::remote
