#include "compiler/protocol/worker_client.h"

#include "compiler/protocol/paths.h"
#include "compiler/protocol/protocol.h"
#include "compiler/protocol/worker_process.h"
#include "core/base/clock.h"
#include "core/base/memory_limit.h"
#include "core/base/number_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <mutex>
#include <optional>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace loopscope::measure {

using nlohmann::json;
namespace {

constexpr double kHelloSeconds = 30;        // a cold start reads some 100 MB of program from disk
constexpr double kCancelGraceSeconds = 0.3; // after a polite cancel, before the worker is killed
constexpr int kPollMilliseconds = 20;
// bytes of the worker's standard error that a message repeats
constexpr std::size_t kLastWords = 2000;
// bytes of it read at once: a worker may write without end
constexpr std::size_t kMaxErrors = 1 << 18;
// A worker's second thread takes requests at any time. One that takes no byte for so long is
// stopped or stuck.
constexpr double kWriteSeconds = 20;

Diagnostic failure(const char* code, std::string message, std::string remedy = {}) {
    return coded_error(code, std::move(message), std::move(remedy));
}

std::string seconds_text(double seconds) { return general_text(seconds, 3) + " s"; }

} // namespace

class WorkerClient::Implementation {
public:
    explicit Implementation(WorkerOptions options) : options_(std::move(options)) {
        if (options_.program.empty())
            options_.program = executable_folder() + "/loopscope-worker";
        const auto limit = memory_limit();
        const auto allowed = limit.bytes / 10 * 9;
        memory_.bytes = options_.memory_bytes > 0 ? options_.memory_bytes : allowed;
        if (allowed <= memory_.bytes) // it is not ours to say
            memory_.reason = limit.text();
        start();
    }

    Result<json> request(const std::string& verb, const json& arguments,
                         const RequestOptions& options) {
        std::lock_guard lock(mutex_);
        const auto begin = Clock::now();
        if (auto ready = wait_until_ready(options, begin); !ready)
            return ready.errors();
        const int id = ++last_id_;
        auto sent =
            write(encode_frame(
                      {{"type", "request"}, {"id", id}, {"verb", verb}, {"arguments", arguments}}),
                  options, begin, kWriteSeconds);
        // A worker that has ended takes nothing more; reading then says how it ended.
        auto answer = sent == Wait::Idle || sent == Wait::Ended
                          ? wait_for_answer(id, verb, options, begin)
                          : Result<json>(lost(sent, -1, verb, options));
        // the next request finds a worker that has already loaded
        if (!process_)
            start();
        return answer;
    }

    int process_id() const { return process_id_; }

private:
    void start() {
        reader_ = {};
        last_words_.clear();
        errors_ended_ = false;
        greeted_ = false;
        start_failure_.reset();
        std::vector<std::string> arguments{"--memory", std::to_string(memory_.bytes)};
        if (!memory_.reason.empty())
            arguments.insert(arguments.end(), {"--memory-reason", memory_.reason});
        auto started = WorkerProcess::start(options_.program, arguments, options_.environment);
        if (started) {
            process_ = std::move(*started);
            process_id_ = process_->pid();
            return;
        }
        start_failure_ = failure(kCodeMissing, started.errors().front().message,
                                 options_.program.substr(options_.program.rfind('/') + 1) +
                                     " belongs in the folder of the program that uses it");
    }

    void drop() {
        process_.reset();
        process_id_ = -1;
    }

    // Starts a worker if there is none, and reads its hello. A worker that died while idle is
    // replaced once.
    Status wait_until_ready(const RequestOptions& options, Clock::time_point begin) {
        for (int attempt = 0;; ++attempt) {
            if (!process_)
                start();
            if (!process_)
                return *start_failure_;
            drain_errors();
            json message;
            auto outcome =
                greeted_ ? probe_idle() : next_message(message, options, begin, kHelloSeconds);
            if (outcome == Wait::Message && !greeted_)
                return greet(message);
            if (outcome == Wait::Idle)
                return success();
            auto end = process_->finish(outcome != Wait::Ended);
            drain_errors();
            auto words = last_words();
            drop();
            if (outcome == Wait::Cancelled)
                return failure(kCodeCancelled, "cancelled");
            if (!greeted_ && attempt > 0)
                return failure(kCodeCrash, "the worker " + options_.program +
                                               " does not start: it " + end.text() + words);
        }
    }

    Status greet(const json& hello) {
        int version = hello.value("protocol", -1);
        if (hello.value("type", "") == "hello" && version == kProtocolVersion) {
            greeted_ = true;
            return success();
        }
        process_->finish(true);
        drop();
        return failure(kCodeProtocol,
                       options_.program + " speaks protocol " + std::to_string(version) +
                           ", this program " + std::to_string(kProtocolVersion),
                       "build both programs from one checkout");
    }

    enum class Wait { Message, Ended, Broken, Stuck, TimedOut, Cancelled, Idle };

    // An idle worker says nothing: input means that it has ended (or is broken, and is then
    // replaced as well).
    Wait probe_idle() {
        pollfd descriptor{process_->output(), POLLIN, 0};
        return ::poll(&descriptor, 1, 0) > 0 ? Wait::Ended : Wait::Idle;
    }

    // Some of what the worker says, if it says something: false once its output has ended.
    bool read_output() {
        char bytes[1 << 16];
        auto n = ::read(process_->output(), bytes, sizeof bytes);
        if (n > 0)
            reader_.append(bytes, static_cast<std::size_t>(n));
        return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
    }

    // Waits for some milliseconds at most until the worker says something, or, if `to_write`, takes
    // something.
    struct Ready {
        bool output = false, input = false;
    };
    Ready poll_worker(bool to_write) {
        pollfd descriptors[3] = {{process_->output(), POLLIN, 0},
                                 {errors_ended_ ? -1 : process_->errors(), POLLIN, 0},
                                 {process_->input(), POLLOUT, 0}};
        if (::poll(descriptors, to_write ? 3 : 2, kPollMilliseconds) <= 0)
            return {};
        if (descriptors[1].revents)
            drain_errors();
        return {descriptors[0].revents != 0, descriptors[2].revents != 0};
    }

    bool is_over(const RequestOptions& options, Clock::time_point begin) const {
        return options.timeout_seconds > 0 && seconds_since(begin) > options.timeout_seconds;
    }

    // Writes a frame and reads meanwhile, so that neither side waits for the other. Idle: all is
    // written.
    Wait write(const std::string& bytes, const RequestOptions& options, Clock::time_point begin,
               double patience) {
        auto progress = Clock::now();
        for (std::size_t done = 0; done < bytes.size();) {
            if (options.cancel && options.cancel->load())
                return Wait::Cancelled;
            if (is_over(options, begin))
                return Wait::TimedOut;
            if (seconds_since(progress) > patience)
                return Wait::Stuck;
            auto ready = poll_worker(true);
            if (ready.output && !read_output())
                return Wait::Ended;
            if (!ready.input)
                continue;
            auto n = ::send(process_->input(), bytes.data() + done, bytes.size() - done,
                            MSG_NOSIGNAL | MSG_DONTWAIT);
            if (n > 0) {
                done += static_cast<std::size_t>(n);
                progress = Clock::now();
            } else if (n < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
                return Wait::Ended;
            }
        }
        return Wait::Idle;
    }

    Wait next_message(json& message, const RequestOptions& options, Clock::time_point begin,
                      double limit) {
        for (;;) {
            switch (reader_.next(message)) {
            case FrameReader::State::Complete: return Wait::Message;
            case FrameReader::State::Broken: return Wait::Broken;
            case FrameReader::State::Incomplete: break;
            }
            if (options.cancel && options.cancel->load())
                return Wait::Cancelled;
            if (limit > 0 && seconds_since(begin) > limit)
                return Wait::TimedOut;
            if (poll_worker(false).output && !read_output())
                return Wait::Ended;
        }
    }

    Result<json> wait_for_answer(int id, const std::string& verb, const RequestOptions& options,
                                 Clock::time_point begin) {
        json message;
        for (;;) {
            auto outcome = next_message(message, options, begin, options.timeout_seconds);
            if (outcome != Wait::Message)
                return lost(outcome, id, verb, options);
            // progress of a request that was cancelled
            if (message.value("id", -1) != id)
                continue;
            auto type = message.value("type", "");
            if (type == "result")
                return message.value("result", json::object());
            if (type == "error") {
                if (message.value("ends", false)) {
                    process_->finish(true);
                    drop();
                }
                return failed(message);
            }
            if (type == "progress" && options.on_progress)
                options.on_progress({message.value("stage", ""), message.value("text", ""),
                                     message.value("fraction", -1.0)});
        }
    }

    static Diagnostics failed(const json& message) {
        auto diagnostics = diagnostics_from_json(message);
        if (!has_errors(diagnostics))
            diagnostics.push_back(failure(kCodeInternal, "the worker failed without a reason"));
        return diagnostics;
    }

    // No answer came: says why, and leaves no worker behind unless it took the cancel. `id` below
    // 0: the request was not written whole, and a worker that has half a frame is of no use.
    Diagnostics lost(Wait outcome, int id, const std::string& verb, const RequestOptions& options) {
        if (outcome == Wait::Cancelled && id >= 0 && cancelled_politely(id))
            return {failure(kCodeCancelled, "cancelled")};
        auto end = process_->finish(outcome != Wait::Ended);
        drain_errors();
        auto words = last_words();
        drop();
        switch (outcome) {
        case Wait::Cancelled: return {failure(kCodeCancelled, "cancelled")};
        case Wait::TimedOut:
            return {failure(kCodeTimeout,
                            "`" + verb + "` did not finish within " +
                                seconds_text(options.timeout_seconds) + "; its worker was ended",
                            "allow more time, or make the problem smaller (--param)")};
        case Wait::Stuck:
            return {failure(kCodeTimeout, "the worker took no byte of `" + verb + "` for " +
                                              seconds_text(kWriteSeconds) + " and was ended" +
                                              words)};
        case Wait::Broken:
            return {failure(kCodeProtocol, "the worker's answer to `" + verb +
                                               "` is not readable: " + reader_.reason() + words)};
        default: break;
        }
        if (!end.by_signal && end.status == kOutOfMemoryExit)
            return {failure(kCodeOutOfMemory, "`" + verb + "` ran out of memory: " + memory_.text(),
                            "make the problem smaller (--param)")};
        if (!end.by_signal && end.status == kFatalErrorExit)
            return {
                failure(kCodeCrash, "the code generator gave up during `" + verb + "`" + words)};
        // Nothing of ours sends this signal here.
        if (outcome == Wait::Ended && end.by_signal && end.signal == SIGKILL)
            return {failure(
                kCodeCrash,
                "the worker " + end.text() + " during `" + verb +
                    "`, as the system does where memory is short: " + memory_limit().text() + words,
                "make the problem smaller (--param), or allow more memory")};
        return {failure(kCodeCrash, "the worker " + end.text() + " during `" + verb + "`" + words)};
    }

    // A worker between two steps sees the cancel and answers; one inside an endless loop does not.
    bool cancelled_politely(int id) {
        const auto begin = Clock::now();
        if (write(encode_frame({{"type", "cancel"}, {"id", id}}), {}, begin, kCancelGraceSeconds) !=
            Wait::Idle)
            return false;
        json message;
        while (next_message(message, {}, begin, kCancelGraceSeconds) == Wait::Message)
            if (message.value("id", -1) == id && message.value("type", "") != "progress")
                return true;
        return false;
    }

    void drain_errors() {
        char bytes[4096];
        std::size_t total = 0;
        while (process_ && !errors_ended_ && total < kMaxErrors) {
            auto n = ::read(process_->errors(), bytes, sizeof bytes);
            errors_ended_ = n == 0; // an ended stream is readable for ever
            if (n <= 0)
                break;
            last_words_.append(bytes, static_cast<std::size_t>(n));
            total += static_cast<std::size_t>(n);
        }
        if (last_words_.size() > kLastWords)
            last_words_.erase(0, last_words_.size() - kLastWords);
    }

    std::string last_words() const {
        auto end = last_words_.find_last_not_of(" \n");
        return end == std::string::npos ? std::string()
                                        : "; it said last:\n" + last_words_.substr(0, end + 1);
    }

    MemoryLimit memory_{0, "its worker may use", ""};
    WorkerOptions options_;
    std::mutex mutex_;
    std::atomic<int> process_id_ = -1; // readable while a request holds the mutex
    std::unique_ptr<WorkerProcess> process_;
    std::optional<Diagnostic> start_failure_;
    FrameReader reader_;
    std::string last_words_;
    bool errors_ended_ = false;
    bool greeted_ = false;
    int last_id_ = 0;
};

WorkerClient::WorkerClient(WorkerOptions options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}
WorkerClient::~WorkerClient() = default;

Result<json> WorkerClient::request(const std::string& verb, const json& arguments,
                                   const RequestOptions& options) {
    return implementation_->request(verb, arguments, options);
}

int WorkerClient::process_id() const { return implementation_->process_id(); }

} // namespace loopscope::measure
