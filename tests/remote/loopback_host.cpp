#include "tests/remote/loopback_host.h"

#include "compiler/gpu/cuda_library.h"
#include "compiler/gpu/nvml.h"
#include "compiler/protocol/paths.h"
#include "compiler/protocol/spawn.h"
#include "tests/remote/ports.h"
#include "tests/support/support.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loopscope::test {

namespace fs = std::filesystem;

namespace {

std::string sshd() {
    const auto found = measure::find_program("sshd");
    return found.empty() && measure::is_program("/usr/sbin/sshd") ? "/usr/sbin/sshd" : found;
}

std::vector<std::string> named(const std::string& folder, const std::string& prefix) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().filename().string().starts_with(prefix))
            names.push_back(entry.path().string());
    return names;
}

// The program that a process runs.
std::string program_of(const fs::path& process) {
    std::error_code failed;
    const auto program = fs::read_symlink(process / "exe", failed);
    return failed ? "" : program.string();
}

std::vector<int> processes_where(bool (*wanted)(const std::string&, const std::string&),
                                 const std::string& text) {
    std::vector<int> ids;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
        const auto name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") == std::string::npos &&
            wanted(entry.path().string(), text))
            ids.push_back(std::stoi(name));
    }
    return ids;
}

} // namespace

LoopbackHost::LoopbackHost(Settings settings, std::string server)
    : server_lines_(std::move(server)), settings_(std::move(settings)) {
    // Sockets of ssh's have short paths.
    std::string pattern = "/tmp/lhXXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    if (measure::find_program("ssh").empty() || sshd().empty())
        missing_ = "there is no sshd here (package openssh-server)";
    else if (!start())
        missing_ = "sshd lets nobody in: " + read_file(folder_ + "/log");
}

bool LoopbackHost::start() {
    const auto at = [this](const char* name) { return folder_ + "/" + name; };
    for (const auto* key : {"host_key", "key"})
        if (std::system(("ssh-keygen -q -t ed25519 -N '' -f " + at(key)).c_str()) != 0)
            return false;
    fs::create_directory(at("there"));
    fs::create_directory(at("run"));
    ::chmod(at("run").c_str(), 0700);
    fs::copy_file(at("key.pub"), at("authorized_keys"));
    port_ = free_port();
    std::string environment = "SetEnv XDG_CACHE_HOME=" + at("there") + " " +
                              gpu::kCudaLibraryVariable + "=" + LOOPSCOPE_FAKE_DRIVER + " " +
                              gpu::kNvmlLibraryVariable + "=" + LOOPSCOPE_FAKE_DRIVER;
    for (const auto& [name, value] : settings_)
        environment += " \"" + name + "=" + value + "\"";
    std::ofstream(at("sshd_config"))
        << "Port " << port_ << "\nListenAddress 127.0.0.1\nHostKey " << at("host_key")
        << "\nAuthorizedKeysFile " << at("authorized_keys")
        << "\nUsePAM no\nStrictModes no\nPasswordAuthentication no\nPermitRootLogin yes\nPidFile "
           "none\n"
        << environment << "\n"
        << server_lines_ << "\n";
    const auto* person = ::getpwuid(::getuid());
    std::string host_key = read_file(at("host_key.pub"));
    std::ofstream(at("known_hosts")) << "[127.0.0.1]:" << port_ << " " << host_key;
    configure("Host gpu1\n  HostName 127.0.0.1\n  Port " + std::to_string(port_) + "\n  User " +
              (person ? person->pw_name : "root") + "\n  IdentityFile " + at("key") +
              "\n  IdentitiesOnly yes\n  UserKnownHostsFile " + at("known_hosts") +
              "\n  GlobalKnownHostsFile none\n  StrictHostKeyChecking yes");
    std::ofstream(at("ssh")) << "#!/bin/sh\nexec ssh -F " << at("ssh_config") << " \"$@\"\n";
    ::chmod(at("ssh").c_str(), 0700);
    if (::getuid() == 0)
        ::mkdir("/run/sshd", 0755);
    auto server = measure::spawn(sshd(), {"-D", "-f", at("sshd_config"), "-E", at("log")}, {});
    if (!server)
        return false;
    server_ = *server;
    const auto hello = variables() + "; $LOOPSCOPE_SSH -o BatchMode=yes gpu1 true 2>>" + at("log");
    for (int i = 0; i < 50; ++i) {
        if (std::system(hello.c_str()) == 0)
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
}

LoopbackHost::~LoopbackHost() {
    if (server_ > 0) {
        break_connections();
        measure::end_of(server_, 0);
    }
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

void LoopbackHost::configure(const std::string& line) const {
    std::ofstream(folder_ + "/ssh_config", std::ios::app) << line << "\n";
}

Settings LoopbackHost::environment() const {
    return {{"LOOPSCOPE_SSH", folder_ + "/ssh"}, {"XDG_RUNTIME_DIR", folder_ + "/run"}};
}

std::string LoopbackHost::variables() const {
    std::string text = "export";
    for (const auto& [name, value] : environment())
        text += " " + name + "='" + value + "'";
    return text;
}

Outcome LoopbackHost::cli(const std::vector<std::string>& arguments) const {
    return run_cli(arguments, "", variables());
}

std::vector<std::string> LoopbackHost::run_folders() const { return named(cache(), "run-"); }

std::vector<std::string> LoopbackHost::agents() const { return named(cache(), "agent-"); }

std::vector<int> LoopbackHost::processes() const {
    return processes_where(
        [](const std::string& process, const std::string& folder) {
            return program_of(process).starts_with(folder);
        },
        cache());
}

// The server's children are sessions; the client's masters share the connections.
void LoopbackHost::break_connections() const {
    for (int id : processes_where(
             [](const std::string& process, const std::string& server) {
                 std::ifstream status(process + "/status");
                 for (std::string line; std::getline(status, line);)
                     if (line == "PPid:\t" + server)
                         return true;
                 return false;
             },
             std::to_string(server_)))
        ::kill(id, SIGKILL);
}

} // namespace loopscope::test
