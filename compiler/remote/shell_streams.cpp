#include "compiler/remote/shell_streams.h"

#include "compiler/protocol/worker_client.h"
#include "core/base/number_text.h"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace loopscope::remote {

namespace {

constexpr std::size_t kMaxErrors = 4000;
constexpr int kPollMilliseconds = 20;
// Once a program has ended: what it left behind may hold its streams open.
constexpr double kLastWordsSeconds = 0.2;

} // namespace

// In a thread of its own: whoever takes the lines may be kept waiting, as by a pager.
class ShellStreams::Heartbeat {
public:
    explicit Heartbeat(int input) : thread_([this, input] { beat(input); }) {}
    ~Heartbeat() {
        {
            const std::lock_guard lock(mutex_);
            ends_ = true;
        }
        wake_.notify_all();
        thread_.join();
    }

private:
    void beat(int input) {
        std::unique_lock lock(mutex_);
        while (!wake_.wait_for(lock, std::chrono::seconds(1), [this] { return ends_; }))
            static_cast<void>(::send(input, ".", 1, MSG_NOSIGNAL | MSG_DONTWAIT));
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    bool ends_ = false;
    std::thread thread_;
};

ShellStreams::ShellStreams(const measure::WorkerProcess& process, const ShellRun& run)
    : process_(process), run_(run), left_(run.input) {
    for (int descriptor : {process.input(), process.output()})
        ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
}

ShellStreams::~ShellStreams() = default;

Status ShellStreams::may_go_on() const {
    const auto& waiting = run_.waiting;
    if (waiting.cancel && waiting.cancel->load())
        return coded_error(measure::kCodeCancelled, "cancelled");
    if (seconds_since(waiting.begin) > waiting.timeout_seconds)
        return coded_error(measure::kCodeTimeout,
                           "no answer within " + general_text(waiting.timeout_seconds, 3) + " s",
                           "--timeout allows more");
    return success();
}

Status ShellStreams::until_end() {
    while (output_open_) {
        if (auto may = may_go_on(); !may)
            return may;
        write();
        pollfd streams[3] = {{process_.output(), POLLIN, 0},
                             {errors_open_ ? process_.errors() : -1, POLLIN, 0},
                             {left_.empty() ? -1 : process_.input(), POLLOUT, 0}};
        if (::poll(streams, 3, kPollMilliseconds) <= 0)
            continue;
        if (streams[1].revents)
            read_errors();
        if (streams[0].revents)
            if (auto read = read_output(); !read)
                return read;
    }
    if (run_.on_line && begun_ && !line_.empty())
        run_.on_line(line_);
    read_last_words();
    return success();
}

void ShellStreams::write() {
    if (!left_.empty()) {
        const auto n = ::send(process_.input(), left_.data(),
                              std::min<std::size_t>(left_.size(), 1 << 18), MSG_NOSIGNAL);
        if (n > 0)
            left_.remove_prefix(static_cast<std::size_t>(n));
        else if (n < 0 && errno != EAGAIN && errno != EINTR)
            left_ = {}; // it reads no more
        return;
    }
    if (!input_open_)
        return;
    input_open_ = false;
    if (run_.heartbeat)
        heartbeat_ = std::make_unique<Heartbeat>(process_.input());
    else
        ::shutdown(process_.input(), SHUT_WR);
}

Status ShellStreams::read_output() {
    char bytes[1 << 16];
    const auto n = ::read(process_.output(), bytes, sizeof bytes);
    if (n < 0)
        return success(); // nothing yet
    if (n == 0) {
        output_open_ = false;
        return success();
    }
    return take({bytes, static_cast<std::size_t>(n)});
}

Status ShellStreams::take(std::string_view bytes) {
    const bool by_line = !begun_ || run_.on_line;
    auto& text = by_line ? line_ : output;
    text.append(bytes);
    while (by_line) {
        const auto end = line_.find('\n');
        if (end == std::string::npos)
            break;
        const auto line = line_.substr(0, end);
        line_.erase(0, end + 1);
        if (begun_)
            run_.on_line(line);
        else if (line.ends_with(kBegin)) {
            begun_ = true;
            const auto rest = std::exchange(line_, {});
            return rest.empty() ? success() : take(rest);
        }
    }
    if (text.size() > run_.max_output)
        return coded_error(measure::kCodeProtocol, "its answer is longer than any of ours");
    return success();
}

void ShellStreams::read_errors() {
    char bytes[4096];
    const auto n = ::read(process_.errors(), bytes, sizeof bytes);
    errors_open_ = n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
    if (n > 0)
        errors.append(bytes, static_cast<std::size_t>(n));
    if (errors.size() > kMaxErrors)
        errors.erase(0, errors.size() - kMaxErrors);
}

void ShellStreams::read_last_words() {
    const auto last = Clock::now();
    while (errors_open_ && seconds_since(last) < kLastWordsSeconds) {
        pollfd stream{process_.errors(), POLLIN, 0};
        if (::poll(&stream, 1, kPollMilliseconds) > 0)
            read_errors();
    }
}

} // namespace loopscope::remote
