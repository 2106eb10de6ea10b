#include "compiler/protocol/worker_process.h"

#include "compiler/protocol/spawn.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace loopscope::measure {

namespace {

void close_and_forget(int& descriptor) {
    if (descriptor >= 0)
        ::close(descriptor);
    descriptor = -1;
}

struct Pipe {
    int read = -1, write = -1;
    bool open() {
        int ends[2];
        return ::pipe2(ends, O_CLOEXEC) == 0 && take(ends);
    }
    // A socket is written with MSG_NOSIGNAL: a worker that has died must not end its caller by
    // SIGPIPE.
    bool open_socket() {
        int ends[2];
        return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 && take(ends);
    }
    bool take(const int (&ends)[2]) {
        read = ends[0];
        write = ends[1];
        return true;
    }
    ~Pipe() {
        close_and_forget(read);
        close_and_forget(write);
    }
};

} // namespace

Result<std::unique_ptr<WorkerProcess>>
WorkerProcess::start(const std::string& program, const std::vector<std::string>& arguments,
                     const std::vector<std::string>& environment) {
    Pipe input, output, errors;
    if (!input.open_socket() || !output.open() || !errors.open())
        return error(std::string("no pipe for the worker: ") + std::strerror(errno));
    auto pid = spawn(program, arguments, {input.read, output.write, errors.write}, environment);
    if (!pid)
        return pid.errors();
    std::unique_ptr<WorkerProcess> process(new WorkerProcess);
    process->pid_ = *pid;
    std::swap(process->input_, input.write);
    std::swap(process->output_, output.read);
    std::swap(process->errors_, errors.read);
    ::fcntl(process->errors_, F_SETFL, O_NONBLOCK);
    return process;
}

WorkerProcess::~WorkerProcess() {
    if (pid_ >= 0) {
        close_and_forget(input_);
        finish(false);
    }
    close_and_forget(input_);
    close_and_forget(output_);
    close_and_forget(errors_);
}

WorkerProcess::End WorkerProcess::finish(bool kill) {
    using namespace std::chrono_literals;
    End end;
    if (pid_ < 0)
        return end;
    if (kill)
        ::kill(pid_, SIGKILL);
    int status = 0;
    pid_t ended = 0;
    const auto patience = std::chrono::steady_clock::now() + 500ms;
    while ((ended = ::waitpid(pid_, &status, kill ? 0 : WNOHANG)) != pid_) {
        if (ended < 0 && errno != EINTR)
            break;
        if (!kill && std::chrono::steady_clock::now() > patience) {
            ::kill(pid_, SIGKILL);
            kill = true;
        } else if (!kill) {
            std::this_thread::sleep_for(1ms);
        }
    }
    pid_ = -1;
    if (ended > 0 && WIFSIGNALED(status)) {
        end.by_signal = true;
        end.signal = WTERMSIG(status);
    } else if (ended > 0 && WIFEXITED(status)) {
        end.status = WEXITSTATUS(status);
    }
    return end;
}

std::string WorkerProcess::End::text() const {
    if (!by_signal)
        return "ended with status " + std::to_string(status);
    const char* abbreviation = ::sigabbrev_np(signal);
    const char* description = ::sigdescr_np(signal);
    std::string text = "was ended by signal " + std::to_string(signal);
    if (abbreviation)
        text += std::string(" SIG") + abbreviation;
    return description ? text + " (" + description + ")" : text;
}

} // namespace loopscope::measure
