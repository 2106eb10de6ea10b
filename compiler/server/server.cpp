#include "compiler/server/server.h"

#include "compiler/protocol/protocol.h"
#include "core/base/json_text.h"
#include "core/base/memory_limit.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace loopscope::worker {

using measure::FrameReader;
using nlohmann::json;

namespace {

constexpr int kBadUsage = 2;
constexpr int kBadStream = 3;

// Standard output is the protocol's alone: it moves to a descriptor that nothing else knows, and
// what code or a library prints goes to standard error.
int protocol_stream = -1; // for the planted verb alone

int take_standard_output() {
    protocol_stream = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    return protocol_stream;
}

class Server {
public:
    Server(const std::vector<Verb>& verbs, bool (*ends_process)(const Diagnostics&), int output)
        : verbs_(verbs), ends_process_(ends_process), output_(output) {}

    int run() {
        send({{"type", "hello"},
              {"protocol", measure::kProtocolVersion},
              {"version", measure::kProgramVersion},
              {"pid", ::getpid()}});
        std::thread([this] { read_input(); }).detach(); // ends with the process
        for (;;)
            answer(next_request());
    }

private:
    void read_input() {
        FrameReader reader;
        char bytes[1 << 16];
        for (;;) {
            auto n = ::read(STDIN_FILENO, bytes, sizeof bytes);
            if (n < 0 && errno == EINTR)
                continue;
            // the client has gone: whatever runs now runs for nobody
            if (n <= 0)
                ::_exit(0);
            reader.append(bytes, static_cast<std::size_t>(n));
            json message;
            FrameReader::State state;
            while ((state = reader.next(message)) == FrameReader::State::Complete)
                take(std::move(message));
            if (state == FrameReader::State::Broken) {
                std::fprintf(stderr, "loopscope: %s\n", reader.reason().c_str());
                ::_exit(kBadStream);
            }
        }
    }

    void take(json message) {
        auto type = message.value("type", "");
        std::lock_guard lock(mutex_);
        if (type == "cancel") {
            cancelled_id_ = message.value("id", -1);
            cancel_ = cancelled_id_ == current_id_;
        } else if (type == "request") {
            requests_.push_back(std::move(message));
            arrived_.notify_one();
        }
    }

    json next_request() {
        std::unique_lock lock(mutex_);
        arrived_.wait(lock, [this] { return !requests_.empty(); });
        auto request = std::move(requests_.front());
        requests_.pop_front();
        current_id_ = request.value("id", -1);
        cancel_ = current_id_ == cancelled_id_; // it may have been cancelled while it waited
        return request;
    }

    void answer(const json& request) {
        const int id = request.value("id", -1);
        Context context([&](const measure::Progress& progress) { report(id, progress); }, cancel_);
        auto result = serve_safely(request.value("verb", ""),
                                   request.value("arguments", json::object()), context);
        if (result) {
            send({{"type", "result"}, {"id", id}, {"result", std::move(*result)}});
            return;
        }
        auto message = measure::diagnostics_to_json(result.errors());
        message["type"] = "error";
        message["id"] = id;
        const bool ends = ends_process_ && ends_process_(result.errors());
        if (ends)
            message["ends"] = true;
        send(message);
        // the client starts the next
        if (ends)
            ::_exit(0);
    }

    Result<json> serve_safely(const std::string& name, const json& arguments,
                              const Context& context) {
        std::vector<std::string> names;
        for (const auto& verb : verbs_) {
            names.push_back(verb.name);
            if (name != verb.name)
                continue;
            try {
                return verb.serve(arguments, context);
            } catch (const std::bad_alloc&) {
                std::fprintf(stderr, "loopscope: %s\n", out_of_memory_text().c_str());
                ::_exit(measure::kOutOfMemoryExit);
            } catch (const json::exception& reason) {
                return coded_error(measure::kCodeProtocol,
                                   "the arguments of `" + name + "`: " + words_of(reason));
            } catch (const std::exception& reason) {
                return coded_error(measure::kCodeInternal,
                                   "a bug in `" + name + "`: " + reason.what());
            }
        }
        auto near = nearest_name(name, names);
        return coded_error(measure::kCodeProtocol, "the worker has no verb `" + name + "`",
                           near.empty() ? "" : "did you mean `" + near + "`?");
    }

    void report(int id, const measure::Progress& progress) {
        send({{"type", "progress"},
              {"id", id},
              {"stage", progress.stage},
              {"text", progress.text},
              {"fraction", progress.fraction}});
    }

    void send(const json& message) {
        if (!measure::write_all(output_, measure::encode_frame(message)))
            ::_exit(0);
    }

    const std::vector<Verb>& verbs_;
    bool (*const ends_process_)(const Diagnostics&);
    const int output_;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<json> requests_;
    int current_id_ = -1;
    int cancelled_id_ = -2;
    std::atomic<bool> cancel_ = false; // of the current request
};

} // namespace

int protocol_descriptor() { return protocol_stream; }

int serve(int argc, char** argv, const std::vector<Verb>& verbs,
          bool (*ends_process)(const Diagnostics&)) {
    MemoryLimit memory{0, "the worker may use", ""};
    for (int i = 1; i < argc; ++i) {
        const bool has_value = i + 1 < argc;
        bool good = false;
        if (has_value && !std::strcmp(argv[i], "--memory")) {
            char* end = nullptr;
            memory.bytes = std::strtoll(argv[++i], &end, 10);
            good = !*end && memory.bytes > 0;
        } else if (has_value && !std::strcmp(argv[i], "--memory-reason")) {
            memory.reason = argv[++i];
            good = true;
        }
        if (!good) {
            std::fprintf(stderr,
                         "usage: %s [--memory BYTES] [--memory-reason TEXT]\nThe worker is started "
                         "by loopscope and "
                         "loopscope-cli; it speaks "
                         "protocol %d on its standard streams.\n",
                         argv[0], measure::kProtocolVersion);
            return kBadUsage;
        }
    }
    if (memory.bytes > 0)
        limit_own_memory(memory);
    return Server(verbs, ends_process, take_standard_output()).run();
}

} // namespace loopscope::worker
