#include "compiler/gpu/session.h"

#include "compiler/gpu/codes.h"
#include "compiler/gpu/cuda_library.h"
#include "compiler/protocol/worker_client.h"
#include "core/base/clock.h"
#include "core/base/number_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

namespace loopscope::gpu {

namespace {

constexpr std::size_t kLogBytes = 16 << 10;
constexpr double kSpinSeconds = 1e-3; // before a wait begins to sleep

std::string mebibytes(std::int64_t bytes) {
    return std::to_string(bytes >> 20) + " MiB (" + std::to_string(bytes) + " bytes)";
}

// The first "line N" of a log, as a place in the text that it is about.
SourceRange place_in(const std::string& log, const std::string& ptx, const std::string& name) {
    const auto at = log.find("line ");
    const int number = at == std::string::npos ? 0 : std::atoi(log.c_str() + at + 5);
    auto file = std::make_shared<SourceFile>(name + ".ptx", ptx);
    if (number < 1 || number > file->line_count())
        return {};
    const auto line = file->line(number);
    const auto begin = static_cast<std::size_t>(line.data() - file->text().data());
    return {file, begin, begin + line.size()};
}

std::string remedy_of(CuResult status) {
    switch (status) {
    case kCuUnsupportedPtxVersion: return "install a newer driver, or emit for an older `--arch`";
    case kCuJitCompilerNotFound: return "install the driver's libnvidia-ptxjitcompiler";
    case kCuNoBinaryForGpu: return "emit for the architecture of the GPU at hand";
    default: return "";
    }
}

} // namespace

DeviceMemory::~DeviceMemory() {
    if (pointer_ && !left_to_the_system())
        api_->memory_free(pointer_);
}

void DeviceMemory::swap(DeviceMemory& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(pointer_, other.pointer_);
    std::swap(bytes_, other.bytes_);
}

nlohmann::json to_json(const KernelFacts& facts) {
    return {{"name", facts.name},
            {"registers", facts.registers},
            {"local_bytes", facts.local_bytes},
            {"shared_bytes_static", facts.shared_bytes},
            {"threads_per_block_most", facts.threads_per_block},
            {"blocks_per_multiprocessor", facts.blocks_per_multiprocessor}};
}

LoadedModule::LoadedModule(LoadedModule&& other) noexcept
    : api_(other.api_), module_(std::exchange(other.module_, nullptr)) {}

LoadedModule::~LoadedModule() {
    if (module_ && !left_to_the_system())
        api_->module_unload(module_);
}

Result<CuFunction> LoadedModule::function(const std::string& name) const {
    CuFunction function = nullptr;
    const auto status = api_->module_function(&function, module_, name.c_str());
    if (status == kCuNotFound)
        return coded_error(kCodeDriver, "the PTX has no kernel `" + name + "`");
    if (auto found = succeed(*api_, status, "looking for the kernel " + name); !found)
        return found.errors();
    return function;
}

Result<std::unique_ptr<GpuSession>> GpuSession::open(int ordinal) {
    auto api = cuda_api();
    if (!api)
        return api.errors();
    int count = 0;
    if (auto got = succeed(**api, (*api)->device_count(&count), "counting GPUs"); !got)
        return got.errors();
    if (ordinal >= count)
        return coded_error(measure::kCodeTarget,
                           "there is no GPU " + std::to_string(ordinal) + ": the driver shows " +
                               std::to_string(count),
                           "they are counted from 0");
    auto gpu = attached_gpu(**api, ordinal);
    if (!gpu)
        return gpu.errors();
    std::unique_ptr<GpuSession> session(new GpuSession(**api, std::move(*gpu)));
    if (auto begun = session->begin(); !begun)
        return begun.errors();
    return session;
}

Status GpuSession::begin() {
    CuDevice device = 0;
    if (auto got = succeed(api_, api_.device_get(&device, gpu_.ordinal), "opening " + gpu_.name);
        !got)
        return got;
    if (auto made = succeed(api_, api_.context_retain(&context_, device),
                            "making a context on " + gpu_.name);
        !made)
        return made;
    if (auto used = use(); !used)
        return used;
    // One that keeps its order with copies, which are in no stream of ours: a copy of pageable
    // memory returns before it has arrived.
    return succeed(api_, api_.stream_create(&stream_, kCuStreamDefault), "making a stream");
}

Status GpuSession::use() const {
    return succeed(api_, api_.context_set_current(context_), "using the context");
}

GpuSession::~GpuSession() {
    if (left_to_the_system())
        return;
    if (stream_)
        api_.stream_destroy(stream_);
    CuDevice device = 0;
    if (context_ && api_.device_get(&device, gpu_.ordinal) == kCuSuccess)
        api_.context_release(device);
}

Result<GpuSession::Memory> GpuSession::memory() const {
    std::size_t free = 0, total = 0;
    if (auto got = succeed(api_, api_.memory_info(&free, &total), "asking for free memory"); !got)
        return got.errors();
    return Memory{static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
}

Result<DeviceMemory> GpuSession::allocate(std::int64_t bytes, const std::string& what) const {
    bytes = std::max<std::int64_t>(bytes, 1);
    auto memory = this->memory();
    if (!memory)
        return memory.errors();
    if (bytes > memory->free)
        return coded_error(measure::kCodeMemoryLimit,
                           what + " takes " + mebibytes(bytes) + ", and the GPU has " +
                               mebibytes(memory->free) + " free of " + mebibytes(memory->total),
                           "make the problem smaller (--param), or end other programs on the GPU");
    CuPointer pointer = 0;
    const auto status = api_.memory_allocate(&pointer, static_cast<std::size_t>(bytes));
    if (auto got = succeed(api_, status, "allocating " + mebibytes(bytes) + " for " + what); !got)
        return got.errors();
    return DeviceMemory(api_, pointer, bytes);
}

Status GpuSession::copy_to_device(CuPointer to, const void* from, std::int64_t bytes) const {
    if (bytes == 0)
        return success();
    return succeed(api_, api_.copy_to_device(to, from, static_cast<std::size_t>(bytes)),
                   "copying to the GPU");
}

Status GpuSession::copy_to_host(void* to, CuPointer from, std::int64_t bytes) const {
    if (bytes == 0)
        return success();
    return succeed(api_, api_.copy_to_host(to, from, static_cast<std::size_t>(bytes)),
                   "copying from the GPU");
}

Status GpuSession::fill(CuPointer to, unsigned char value, std::int64_t bytes) const {
    if (bytes == 0)
        return success();
    return succeed(api_, api_.fill_bytes(to, value, static_cast<std::size_t>(bytes), stream_),
                   "filling memory");
}

Result<LoadedModule> GpuSession::load(const std::string& ptx, const std::string& name) const {
    std::string log(kLogBytes, '\0');
    int options[] = {static_cast<int>(CuJitOption::ErrorLog),
                     static_cast<int>(CuJitOption::ErrorLogBytes)};
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
    CuModule module = nullptr;
    const auto status = api_.module_load(&module, ptx.c_str(), 2, options, values);
    if (status == kCuSuccess)
        return LoadedModule(api_, module);
    log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
    while (!log.empty() && (log.back() == '\n' || log.back() == ' '))
        log.pop_back();
    auto refused = coded_error(kCodeDriver,
                               "the driver does not compile the PTX of " + name + ": " +
                                   status_text(api_, status) + (log.empty() ? "" : "\n" + log),
                               remedy_of(status));
    refused.range = place_in(log, ptx, name);
    return refused;
}

Status GpuSession::wait(const Watch& watch, const std::string& doing) const {
    const auto begin = Clock::now();
    for (;;) {
        const auto status = api_.stream_query(stream_);
        if (is_fault(status))
            leave_to_the_system();
        if (status != kCuNotReady)
            return succeed(api_, status, doing);
        const double waited = seconds_since(begin);
        if (watch.cancel && *watch.cancel)
            return coded_error(measure::kCodeCancelled, "cancelled");
        if (waited > watch.seconds) {
            leave_to_the_system();
            return coded_error(
                kCodeHang, doing + " did not end within " + general_text(watch.seconds, 3) + " s",
                "it may never end, as where threads wait for each other; if it is only "
                "slow, allow more (--kernel-timeout)");
        }
        if (waited > kSpinSeconds)
            std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
}

} // namespace loopscope::gpu
