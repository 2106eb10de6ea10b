#include "compiler/opencl/session.h"

#include "compiler/protocol/worker_client.h"

#include <algorithm>

namespace loopscope::opencl {

namespace {

constexpr std::uint64_t kProfiling = 2; // CL_QUEUE_PROFILING_ENABLE
constexpr std::uint64_t kReadWrite = 1; // CL_MEM_READ_WRITE
constexpr std::uint32_t kBlocking = 1;
constexpr std::uint32_t kBuildLog = 0x1183;     // CL_PROGRAM_BUILD_LOG
constexpr std::uint32_t kStarted = 0x1282;      // CL_PROFILING_COMMAND_START
constexpr std::uint32_t kEnded = 0x1283;        // CL_PROFILING_COMMAND_END
constexpr std::uint32_t kPattern = 0xa5a5a5a5u; // no likely value of any type
constexpr std::size_t kMaxOfLog = 4000;         // bytes of a message

Diagnostic failed(const std::string& what, ClStatus status) {
    auto diagnostic = error("OpenCL: " + what + ": " + status_text(status));
    const bool memory = status == -4 || status == -6; // of the device, of the host
    diagnostic.code = memory ? measure::kCodeOutOfMemory : measure::kCodeInternal;
    if (memory)
        diagnostic.remedy = "make the problem smaller (--param)";
    return diagnostic;
}

// Atomic steps on small elements touch whole words; no memory is of no bytes.
std::size_t allocated(std::int64_t bytes) { return static_cast<std::size_t>(bytes) / 4 * 4 + 4; }

} // namespace

Result<std::unique_ptr<Session>> Session::open(int number) {
    auto api = load_api();
    if (!api)
        return api.errors();
    auto devices = find_devices(*api);
    if (!devices)
        return devices.errors();
    const auto index = static_cast<std::size_t>(number);
    if (index >= devices->size())
        return coded_error(measure::kCodeTarget,
                           "OpenCL has no device " + std::to_string(number) + " here",
                           "`devices` lists those that there are; `opencl:0` is the first");
    std::unique_ptr<Session> session(new Session(*api, (*devices)[index]));
    ClStatus status = kSuccess;
    session->context_ =
        api->create_context(nullptr, 1, &session->handle_, nullptr, nullptr, &status);
    if (status != kSuccess)
        return failed("no context on " + session->device_.name, status);
    session->queue_ =
        api->create_command_queue(session->context_, session->handle_, kProfiling, &status);
    if (status != kSuccess)
        return failed("no queue on " + session->device_.name, status);
    return session;
}

loopscope::Status Session::prepare(Program program) {
    drop_memories();
    if (auto missing = lacks(device_, program); !missing.empty())
        return missing;
    if (!built_ || program.source != built_source_)
        if (auto done = build(program.source); !done)
            return done;
    program_ = std::move(program);
    if (auto done = make_memories(); !done)
        return done;
    return make_kernels();
}

loopscope::Status Session::build(const std::string& source) {
    drop_kernels();
    if (built_)
        api_.release_program(std::exchange(built_, nullptr));
    const char* text = source.c_str();
    ClStatus status = kSuccess;
    built_ = api_.create_program_with_source(context_, 1, &text, nullptr, &status);
    if (status != kSuccess)
        return failed("the kernels' source", status);
    const char* options =
        device_.rounds ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt" : "-cl-std=CL1.2";
    status = api_.build_program(built_, 1, &handle_, options, nullptr, nullptr);
    if (status == kSuccess) {
        built_source_ = source;
        return success();
    }
    auto diagnostic = failed(device_.name + " does not build the kernels", status);
    diagnostic.message += "\n" + build_log();
    diagnostic.remedy = "this is a bug; please report it with the pipeline and the schedule";
    api_.release_program(std::exchange(built_, nullptr));
    return diagnostic;
}

std::string Session::build_log() const {
    std::size_t size = 0;
    if (api_.get_program_build_info(built_, handle_, kBuildLog, 0, nullptr, &size) != kSuccess)
        return {};
    std::string log(size, '\0');
    api_.get_program_build_info(built_, handle_, kBuildLog, size, log.data(), nullptr);
    return log.substr(0, std::min(log.find('\0'), kMaxOfLog));
}

loopscope::Status Session::make_memories() {
    for (auto bytes : program_.memories) {
        ClStatus status = kSuccess;
        auto* memory = api_.create_buffer(context_, kReadWrite, allocated(bytes), nullptr, &status);
        if (status != kSuccess)
            return failed("memory of " + std::to_string(bytes) + " bytes", status);
        memories_.push_back(memory);
    }
    return success();
}

loopscope::Status Session::make_kernels() {
    drop_kernels();
    for (const auto& launch : program_.launches) {
        ClStatus status = kSuccess;
        auto* kernel = api_.create_kernel(built_, launch.kernel.c_str(), &status);
        if (status != kSuccess)
            return failed("the kernel " + launch.kernel, status);
        kernels_.push_back(kernel);
        for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
            status = api_.set_kernel_arg(kernel, static_cast<std::uint32_t>(i), sizeof(Handle),
                                         &memories_[launch.arguments[i]]);
            if (status != kSuccess)
                return failed("argument " + std::to_string(i) + " of " + launch.kernel, status);
        }
    }
    return success();
}

void Session::drop_kernels() {
    for (auto* kernel : kernels_)
        api_.release_kernel(kernel);
    kernels_.clear();
}

void Session::drop_memories() {
    drop_kernels(); // which hold it
    for (auto* memory : memories_)
        api_.release_mem_object(memory);
    memories_.clear();
}

Result<double> Session::run(const std::map<std::size_t, SharedBytes>& inputs,
                            const std::map<std::size_t, SharedBytes>& outputs) {
    for (std::size_t i = 0; i < memories_.size(); ++i)
        if (auto status =
                api_.enqueue_fill_buffer(queue_, memories_[i], &kPattern, sizeof kPattern, 0,
                                         allocated(program_.memories[i]), 0, nullptr, nullptr);
            status != kSuccess)
            return failed("filling memory", status);
    for (const auto& [i, bytes] : inputs)
        if (bytes.size() > 0)
            if (auto status =
                    api_.enqueue_write_buffer(queue_, memories_[i], kBlocking, 0, bytes.size(),
                                              bytes.data(), 0, nullptr, nullptr);
                status != kSuccess)
                return failed("writing an input", status);
    auto seconds = execute();
    if (!seconds)
        return seconds;
    for (const auto& [i, bytes] : outputs)
        if (bytes.size() > 0)
            if (auto status =
                    api_.enqueue_read_buffer(queue_, memories_[i], kBlocking, 0, bytes.size(),
                                             bytes.data(), 0, nullptr, nullptr);
                status != kSuccess)
                return failed("reading an output", status);
    return seconds;
}

Result<double> Session::execute() {
    std::vector<Handle> events;
    auto status = kSuccess;
    std::string at;
    for (std::size_t k = 0; k < kernels_.size() && status == kSuccess; ++k) {
        const auto& launch = program_.launches[k];
        std::size_t all[3], items[3];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            items[axis] = static_cast<std::size_t>(launch.items[axis]);
            all[axis] = items[axis] * static_cast<std::size_t>(launch.groups[axis]);
        }
        Handle event = nullptr;
        status = api_.enqueue_nd_range_kernel(queue_, kernels_[k], 3, nullptr, all, items, 0,
                                              nullptr, &event);
        at = "the launch of " + launch.kernel;
        if (status == kSuccess)
            events.push_back(event);
    }
    if (status == kSuccess) {
        status = api_.finish(queue_);
        at = "the kernels";
    }
    std::uint64_t begin = 0, end = 0; // nanoseconds
    if (status == kSuccess && !events.empty()) {
        status =
            api_.get_event_profiling_info(events.front(), kStarted, sizeof begin, &begin, nullptr);
        if (status == kSuccess)
            status =
                api_.get_event_profiling_info(events.back(), kEnded, sizeof end, &end, nullptr);
        at = "the kernels' times";
    }
    for (auto* event : events)
        api_.release_event(event);
    if (status != kSuccess)
        return failed(at, status);
    return 1e-9 * static_cast<double>(end - begin);
}

} // namespace loopscope::opencl
