#pragma once
// "Another machine": this one, through a real sshd on the loopback with keys and settings of its
// own, and the fake driver (tests/gpu/fake_driver) in its sessions.

#include "tests/gpu/gpu_support.h"

#include <string>
#include <vector>

namespace loopscope::test {

class LoopbackHost {
public:
    // `settings`: variables of its sessions, beside those that name the fake driver; `server`: more
    // lines of its configuration.
    explicit LoopbackHost(Settings settings = {}, std::string server = {});
    ~LoopbackHost(); // ends the server, and what it started
    LoopbackHost(const LoopbackHost&) = delete;

    // Empty: it answers. Else why it cannot: there is no sshd here, or it lets nobody in.
    const std::string& missing() const { return missing_; }
    std::string place() const { return "ssh:gpu1"; } // the alias in the client's configuration

    // By which `ssh`, as Loopscope calls it, speaks to this server; the same as a shell takes it.
    Settings environment() const;
    std::string variables() const;
    Outcome cli(const std::vector<std::string>& arguments) const;

    std::string cache() const { return folder_ + "/there/loopscope"; } // our files there
    std::vector<std::string> run_folders() const;                      // of bundles, that are left
    std::vector<std::string> agents() const;                           // copied ones
    // The processes of agents that came from there, by their ids.
    std::vector<int> processes() const;
    // Breaks every connection, as a network that is gone does.
    void break_connections() const;
    // A line for the client's configuration of the host.
    void configure(const std::string& line) const;

private:
    bool start();
    std::string folder_, missing_, server_lines_;
    Settings settings_;
    int port_ = 0;
    int server_ = -1;
};

} // namespace loopscope::test
