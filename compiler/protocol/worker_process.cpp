#include "compiler/protocol/worker_process.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace loopscope::measure {

namespace {

constexpr double kPatienceSeconds = 0.5; // once its input is closed

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

ProcessEnd WorkerProcess::finish(bool kill) {
    if (pid_ < 0)
        return {};
    return end_of(std::exchange(pid_, -1), kill ? 0 : kPatienceSeconds).value_or(ProcessEnd{});
}

} // namespace loopscope::measure
