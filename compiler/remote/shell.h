#pragma once
// Commands on another machine, by OpenSSH with the person's own configuration, agent and keys; or
// on this one. Nothing is installed there, and nothing listens.
//
// The first command opens a connection, which later ones share and which ends a minute after the
// last (ControlMaster of ssh_config); where the person's configuration shares connections, theirs
// is used. LOOPSCOPE_SSH names another program in place of `ssh`.

#include "core/base/clock.h"
#include "core/base/result.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <string_view>

namespace loopscope::remote {

// How long all that follows may take, counted from when this was made, and who may end it.
struct Waiting {
    double timeout_seconds = 60;
    const std::atomic<bool>* cancel = nullptr;
    Clock::time_point begin = Clock::now();

    double left() const { return std::max(0.1, timeout_seconds - seconds_since(begin)); }
};

struct ShellRun {
    std::string script;     // of the POSIX shell, in one line
    std::string_view input; // what it reads
    // Its input stays open behind that, and gets a byte now and then: what runs there can tell that
    // somebody is still here.
    bool heartbeat = false;
    // Each line of its output as it comes; null: all of it is kept.
    std::function<void(const std::string& line)> on_line;
    std::size_t max_output = 64 << 20; // bytes, or of a line
    Waiting waiting;
};

struct ShellEnd {
    int status = 0;
    std::string output; // without what the person's start-up files say before the script
    std::string errors; // the end of what it said there
};

class Shell {
public:
    explicit Shell(std::string host); // empty: this machine

    // Errors: there is no ssh; no connection (kCodeTarget), with what to do about it; it broke
    // (gpu::kCodeConnection); kCodeTimeout, kCodeCancelled; kCodeProtocol: more output than that.
    // A script that fails is an answer.
    Result<ShellEnd> run(const ShellRun& run) const;

    const std::string& host() const { return host_; }
    std::string name() const; // for people: "gpu1", "this machine"

private:
    std::string host_;
};

// The text as one word of the shell, also where the shell is fish.
std::string shell_word(const std::string& text);

} // namespace loopscope::remote
