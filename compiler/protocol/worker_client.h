#pragma once
// The client of the worker process: everything that holds LLVM or runs generated code happens in
// loopscope-worker. A crash, an abort, a hang or a lack of memory ends that process and becomes a
// message here; the next one is started at once. The protocol: compiler/protocol/protocol.h.

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace loopscope::measure {

// What the worker is doing; `fraction` in [0, 1], below 0 where it cannot be known.
struct Progress {
    std::string stage; // "compile", "reference", "measure": stable
    std::string text;  // for people: "sample 12, median 3.1 ms"
    double fraction = -1;
};

struct RequestOptions {
    double timeout_seconds = 0;                       // 0: no limit
    std::function<void(const Progress&)> on_progress; // called on the thread that requests
    const std::atomic<bool>* cancel = nullptr;        // set by any thread; seen within some 20 ms
};

struct WorkerOptions {
    std::string program; // empty: loopscope-worker in the folder of the running executable
    // limit of the worker's address space; 0: nine tenths of the machine's memory
    std::int64_t memory_bytes = 0;
    std::vector<std::string> environment; // NAME=VALUE, in place of or beside the caller's own
};

// Codes of a failed request's diagnostics, beside those of parsers and directives.
inline constexpr const char* kCodeTimeout = "worker-timeout";
inline constexpr const char* kCodeCancelled = "cancelled";
inline constexpr const char* kCodeCrash = "worker-crash"; // ended by a signal, or without an answer
inline constexpr const char* kCodeOutOfMemory = "out-of-memory";
// an array that would not fit, refused beforehand
inline constexpr const char* kCodeMemoryLimit = "memory-limit";
inline constexpr const char* kCodeMissing = "worker-missing";   // cannot be started
inline constexpr const char* kCodeProtocol = "worker-protocol"; // another version, or nonsense
// the target is not in this version or machine
inline constexpr const char* kCodeTarget = "target-missing";
inline constexpr const char* kCodeNoToolkit = "no-toolkit"; // nor a program of NVIDIA's toolkit
inline constexpr const char* kCodeInternal = "internal";    // an exception in the worker: a bug

// One worker, started with the client. Thread-safe: one request at a time, further callers wait
// their turn.
class WorkerClient {
public:
    explicit WorkerClient(WorkerOptions options = {});
    ~WorkerClient(); // ends the worker
    WorkerClient(const WorkerClient&) = delete;
    WorkerClient& operator=(const WorkerClient&) = delete;

    // Sends one request and waits for its answer. Verbs and their arguments:
    // compiler/measure/requests.h. Errors: the worker's own diagnostics, or one that says what
    // became of the worker (codes above).
    Result<nlohmann::json> request(const std::string& verb, const nlohmann::json& arguments,
                                   const RequestOptions& options = {});

    // The process id of the present worker; -1 when there is none.
    int process_id() const;

private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

} // namespace loopscope::measure
