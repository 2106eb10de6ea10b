// The driver's functions, by the names that it exports.
#include "tests/gpu/fake_driver/state.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

using namespace loopscope::gpu;
using loopscope::fake::Event;
using loopscope::fake::Function;
using loopscope::fake::Graph;
using loopscope::fake::Launch;
using loopscope::fake::log;
using loopscope::fake::Module;
using loopscope::fake::number;
using loopscope::fake::setting;
using loopscope::fake::state;

namespace {

constexpr std::int64_t kL2 = 50 << 20;
constexpr double kFillBytesPerSecond = 3e12;
constexpr CuResult kInvalidClusterSize = 912; // CUDA_ERROR_INVALID_CLUSTER_SIZE

template <typename Three> std::string text_of(const Three& n) {
    return std::to_string(n[0]) + "," + std::to_string(n[1]) + "," + std::to_string(n[2]);
}

int attribute_value(int attribute) {
    const auto capability = static_cast<int>(number("FAKE_CUDA_CAPABILITY", 90));
    switch (static_cast<CuDeviceAttribute>(attribute)) {
    case CuDeviceAttribute::ThreadsPerBlock: return 1024;
    case CuDeviceAttribute::SharedPerBlock: return 48 << 10;
    case CuDeviceAttribute::RegistersPerBlock: return 65536;
    case CuDeviceAttribute::ClockKilohertz: return 1980000;
    case CuDeviceAttribute::Multiprocessors: return 132;
    case CuDeviceAttribute::MemoryClockKilohertz: return 3201000;
    case CuDeviceAttribute::MemoryBusBits: return 6144;
    case CuDeviceAttribute::L2Bytes: return kL2;
    case CuDeviceAttribute::ThreadsPerMultiprocessor: return 2048;
    case CuDeviceAttribute::Major: return capability / 10;
    case CuDeviceAttribute::Minor: return capability % 10;
    case CuDeviceAttribute::SharedPerMultiprocessor: return 233472;
    case CuDeviceAttribute::RegistersPerMultiprocessor: return 65536;
    case CuDeviceAttribute::SharedPerBlockOptIn: return 232448;
    case CuDeviceAttribute::BlocksPerMultiprocessor: return 32;
    case CuDeviceAttribute::SharedReservedPerBlock: return 1024;
    case CuDeviceAttribute::ClusterLaunch: return capability >= 90;
    default: break;
    }
    const int extents[] = {0, 0, 1024, 1024, 64, 2147483647, 65535, 65535}; // from 2 on
    return attribute >= 2 && attribute <= 7 ? extents[attribute] : -1;
}

// ".reqnctapercluster X, Y, Z" of a kernel, or none.
std::array<unsigned, 3> required_cluster(const std::string& ptx, std::size_t begin,
                                         std::size_t end) {
    std::array<unsigned, 3> cluster{0, 0, 0};
    const std::string word = ".reqnctapercluster ";
    if (const auto at = ptx.find(word, begin); at < end)
        std::sscanf(ptx.c_str() + at + word.size(), "%u, %u, %u", &cluster[0], &cluster[1],
                    &cluster[2]);
    return cluster;
}

// ".visible .entry NAME(" and as many ".param" as stand before the closing parenthesis.
std::vector<Function> entries(const std::string& ptx) {
    std::vector<Function> list;
    for (auto at = ptx.find(".entry "); at != std::string::npos; at = ptx.find(".entry ", at + 1)) {
        Function function;
        const auto begin = at + 7, open = ptx.find_first_of("( \n", begin);
        function.name = ptx.substr(begin, open - begin);
        const auto body = ptx.find('{', begin);
        for (auto p = ptx.find(".param", begin); p < body; p = ptx.find(".param", p + 1))
            ++function.parameters;
        function.cluster = required_cluster(ptx, begin, body);
        function.number = list.size();
        list.push_back(std::move(function));
    }
    return list;
}

CuResult refuse_ptx(CuResult status, const std::string& why, unsigned count, const int* names,
                    void** values) {
    char* buffer = nullptr;
    std::size_t size = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (names[i] == static_cast<int>(CuJitOption::ErrorLog))
            buffer = static_cast<char*>(values[i]);
        if (names[i] == static_cast<int>(CuJitOption::ErrorLogBytes))
            size = reinterpret_cast<std::size_t>(values[i]);
    }
    if (buffer && size > 0)
        std::snprintf(buffer, size, "%s", why.c_str());
    return status;
}

CuResult take(Launch launch) {
    auto& s = state();
    if (s.broken != kCuSuccess)
        return s.broken;
    const auto& f = *launch.function;
    const auto threads = launch.block[0] * launch.block[1] * launch.block[2];
    if (threads > number("FAKE_CUDA_THREADS", 1024))
        return kCuLaunchOutOfResources;
    for (int axis = 0; axis < 3; ++axis)
        if (launch.grid[axis] < 1 || launch.block[axis] < 1 ||
            static_cast<int>(launch.grid[axis]) > attribute_value(5 + axis) ||
            static_cast<int>(launch.block[axis]) > attribute_value(2 + axis))
            return kCuInvalidValue;
    if (static_cast<int>(launch.shared_bytes) > f.dynamic_bytes)
        return kCuInvalidValue;
    // What a kernel says of its clusters is what a launch that says nothing gets, and no launch may
    // say otherwise.
    const bool says = launch.cluster[0] > 0, required = f.cluster[0] > 0;
    if (says && required && launch.cluster != f.cluster)
        return kInvalidClusterSize;
    if (required)
        launch.cluster = f.cluster;
    if (says || required)
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (launch.cluster[axis] < 1 || launch.grid[axis] % launch.cluster[axis] != 0)
                return kInvalidClusterSize;
    log("launch " + f.name + " " + text_of(launch.grid) + " " + text_of(launch.block) + " " +
        std::to_string(launch.shared_bytes) +
        (says || required ? " in clusters of " + text_of(launch.cluster) : "") +
        (s.capturing ? " captured" : ""));
    if (s.capturing) {
        s.capturing->launches.push_back(std::move(launch));
        return kCuSuccess;
    }
    run(launch); // what goes wrong is seen by whoever waits
    return kCuSuccess;
}

std::vector<CuPointer> arguments_of(const Function& function, void** arguments) {
    std::vector<CuPointer> list;
    for (std::size_t i = 0; i < function.parameters; ++i)
        list.push_back(*static_cast<CuPointer*>(arguments[i]));
    return list;
}

// As the driver does before it gives anything back: for ever, for a kernel that hangs.
void wait_for_kernels() {
    while (state().hangs)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

Function& function_of(CuFunction function) { return *reinterpret_cast<Function*>(function); }

} // namespace

extern "C" {

// Checked as the driver does: alignments, extents, limits of the TMA.
CuResult cuTensorMapEncodeTiled(void* map, int element, unsigned rank, void* address,
                                const unsigned long long* extents,
                                const unsigned long long* strides, const unsigned* box,
                                const unsigned* element_strides, int, int swizzle, int, int) {
    const auto size = 1u << (element == static_cast<int>(CuTensorElement::U64) ? 3 : element);
    const auto aligned = [](unsigned long long n, unsigned to) { return n % to == 0; };
    bool fine = rank >= 1 && rank <= 5 && element != 3 &&
                aligned(reinterpret_cast<unsigned long long>(map), 64) &&
                aligned(reinterpret_cast<unsigned long long>(address), 16) &&
                aligned(1ull * box[0] * size, 16);
    std::string text;
    for (unsigned d = 0; d < rank; ++d) {
        fine = fine && extents[d] >= 1 && extents[d] <= 1ull << 32 && box[d] >= 1 &&
               box[d] <= 256 && element_strides[d] == 1 &&
               (d + 1 == rank || aligned(strides[d], 16));
        text += " " + std::to_string(extents[d]) + "/" + std::to_string(box[d]);
    }
    const unsigned span = 16u << swizzle; // of the pattern
    fine = fine && swizzle >= 0 && swizzle <= 3 && (swizzle == 0 || box[0] * size <= span);
    if (swizzle > 0)
        text += " swizzled by " + std::to_string(span);
    log("tensor map of " + std::to_string(size) + " bytes:" + text);
    return fine ? kCuSuccess : kCuInvalidValue;
}

CuResult cuInit(unsigned) { return static_cast<CuResult>(number("FAKE_CUDA_INIT", 0)); }
CuResult cuDriverGetVersion(int* version) { return *version = 12040, kCuSuccess; }

CuResult cuGetErrorName(CuResult status, const char** name) {
    switch (status) {
    case kCuOutOfMemory: *name = "CUDA_ERROR_OUT_OF_MEMORY"; break;
    case kCuStubLibrary: *name = "CUDA_ERROR_STUB_LIBRARY"; break;
    case kCuInvalidPtx: *name = "CUDA_ERROR_INVALID_PTX"; break;
    case kCuIllegalAddress: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; break;
    case kCuLaunchFailed: *name = "CUDA_ERROR_LAUNCH_FAILED"; break;
    default: *name = "CUDA_ERROR"; break;
    }
    return kCuSuccess;
}
CuResult cuGetErrorString(CuResult, const char** text) {
    return *text = "as the test asked for", kCuSuccess;
}

CuResult cuDeviceGetCount(int* count) {
    *count = static_cast<int>(number("FAKE_CUDA_DEVICES", 1));
    return kCuSuccess;
}
CuResult cuDeviceGet(CuDevice* device, int ordinal) {
    *device = ordinal;
    return ordinal >= 0 && ordinal < number("FAKE_CUDA_DEVICES", 1) ? kCuSuccess : 101;
}
CuResult cuDeviceGetName(char* name, int length, CuDevice) {
    std::snprintf(name, static_cast<std::size_t>(length), "Fake GPU");
    return kCuSuccess;
}
CuResult cuDeviceTotalMem_v2(std::size_t* bytes, CuDevice) {
    *bytes = static_cast<std::size_t>(state().total());
    return kCuSuccess;
}
CuResult cuDeviceGetAttribute(int* value, int attribute, CuDevice) {
    *value = attribute_value(attribute);
    return *value >= 0 ? kCuSuccess : kCuInvalidValue;
}
CuResult cuDeviceGetPCIBusId(char* id, int length, CuDevice device) {
    std::snprintf(id, static_cast<std::size_t>(length), "0000:%02x:00.0", 0x1b + device);
    return kCuSuccess;
}

CuResult cuDevicePrimaryCtxRetain(CuContext* context, CuDevice) {
    log("context");
    *context = reinterpret_cast<CuContext>(&state());
    return kCuSuccess;
}
CuResult cuDevicePrimaryCtxRelease_v2(CuDevice) {
    wait_for_kernels();
    return kCuSuccess;
}
CuResult cuCtxSetCurrent(CuContext) { return kCuSuccess; }

CuResult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    *total = static_cast<std::size_t>(state().total());
    *free = *total - static_cast<std::size_t>(state().used);
    return state().broken;
}
CuResult cuMemAlloc_v2(CuPointer* pointer, std::size_t bytes) {
    auto& s = state();
    if (s.broken != kCuSuccess)
        return s.broken;
    if (s.used + static_cast<std::int64_t>(bytes) > s.total())
        return kCuOutOfMemory;
    std::vector<std::byte> block(bytes);
    *pointer = reinterpret_cast<CuPointer>(block.data());
    s.used += static_cast<std::int64_t>(bytes);
    s.memory.emplace(*pointer, std::move(block));
    log("allocate " + std::to_string(bytes));
    return kCuSuccess;
}
CuResult cuMemFree_v2(CuPointer pointer) {
    wait_for_kernels();
    auto found = state().memory.find(pointer);
    if (found == state().memory.end())
        return kCuInvalidValue;
    state().used -= static_cast<std::int64_t>(found->second.size());
    state().memory.erase(found);
    return state().broken;
}
CuResult cuMemcpyHtoD_v2(CuPointer to, const void* from, std::size_t bytes) {
    if (!state().find(to, bytes))
        return kCuInvalidValue;
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    state().touch();
    return state().broken;
}
CuResult cuMemcpyDtoH_v2(void* to, CuPointer from, std::size_t bytes) {
    if (!state().find(from, bytes))
        return kCuInvalidValue;
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return state().broken;
}
CuResult cuMemcpyDtoDAsync_v2(CuPointer to, CuPointer from, std::size_t bytes, CuStream) {
    if (!state().find(to, bytes) || !state().find(from, bytes))
        return kCuInvalidValue;
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    state().clock += 2 * static_cast<double>(bytes) / kFillBytesPerSecond;
    return state().broken;
}
CuResult cuMemsetD8Async(CuPointer to, unsigned char value, std::size_t bytes, CuStream) {
    if (!state().find(to, bytes))
        return kCuInvalidValue;
    std::memset(reinterpret_cast<void*>(to), value, bytes);
    state().clock += static_cast<double>(bytes) / kFillBytesPerSecond;
    if (static_cast<std::int64_t>(bytes) == 2 * kL2)
        log("flush");
    else
        state().touch();
    return state().broken;
}

CuResult cuModuleLoadDataEx(CuModule* module, const void* image, unsigned count, int* names,
                            void** values) {
    const std::string ptx = static_cast<const char*>(image);
    if (const auto line = number("FAKE_CUDA_PTX_ERROR", 0); line > 0)
        return refuse_ptx(kCuInvalidPtx,
                          "ptxas application ptx input, line " + std::to_string(line) +
                              "; error   : planted\nptxas fatal   : Ptx assembly aborted due to "
                              "errors\n",
                          count, names, values);
    if (ptx.find(".version") == std::string::npos || ptx.find(".target sm_") == std::string::npos)
        return refuse_ptx(kCuInvalidPtx, "no .version or .target", count, names, values);
    const auto target = std::atoi(ptx.c_str() + ptx.find(".target sm_") + 11);
    if (target > number("FAKE_CUDA_CAPABILITY", 90))
        return kCuNoBinaryForGpu;
    auto made = std::make_unique<Module>();
    made->functions = entries(ptx);
    for (auto& function : made->functions)
        function.module = made.get();
    made->meaning = loopscope::fake::meaning_of(made->functions);
    log("module with " + std::to_string(made->functions.size()) + " kernels" +
        (made->meaning ? "" : ", of no known meaning"));
    *module = reinterpret_cast<CuModule>(made.get());
    state().modules.push_back(std::move(made));
    return kCuSuccess;
}
CuResult cuModuleUnload(CuModule module) {
    wait_for_kernels();
    std::erase_if(state().modules,
                  [&](const auto& m) { return m.get() == reinterpret_cast<Module*>(module); });
    return state().broken;
}
CuResult cuModuleGetFunction(CuFunction* function, CuModule module, const char* name) {
    for (auto& f : reinterpret_cast<Module*>(module)->functions)
        if (f.name == name)
            return *function = reinterpret_cast<CuFunction>(&f), kCuSuccess;
    return kCuNotFound;
}
CuResult cuFuncGetAttribute(int* value, int attribute, CuFunction function) {
    switch (static_cast<CuFunctionAttribute>(attribute)) {
    case CuFunctionAttribute::ThreadsPerBlock:
        *value = static_cast<int>(number("FAKE_CUDA_THREADS", 1024));
        break;
    case CuFunctionAttribute::Registers: *value = 40; break;
    case CuFunctionAttribute::DynamicSharedBytes:
        *value = function_of(function).dynamic_bytes;
        break;
    default: *value = 0; break;
    }
    return kCuSuccess;
}
CuResult cuFuncSetAttribute(CuFunction function, int attribute, int value) {
    if (attribute == static_cast<int>(CuFunctionAttribute::DynamicSharedBytes)) {
        if (value > attribute_value(static_cast<int>(CuDeviceAttribute::SharedPerBlockOptIn)))
            return kCuInvalidValue;
        log("shared " + std::to_string(value));
        function_of(function).dynamic_bytes = value;
    }
    return kCuSuccess;
}
CuResult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CuFunction, int threads,
                                                     std::size_t) {
    *blocks = 2048 / std::max(threads, 64);
    return kCuSuccess;
}

CuResult cuLaunchKernel(CuFunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CuStream, void** arguments,
                        void**) {
    auto& f = function_of(function);
    return take({&f, {gx, gy, gz}, {bx, by, bz}, shared, {}, arguments_of(f, arguments)});
}
CuResult cuLaunchKernelEx(const CuLaunchConfig* c, CuFunction function, void** arguments, void**) {
    auto& f = function_of(function);
    std::array<unsigned, 3> cluster{0, 0, 0};
    for (unsigned i = 0; i < c->attribute_count; ++i)
        if (c->attributes[i].id == kCuLaunchClusterDimension)
            std::copy_n(c->attributes[i].value.cluster, 3, cluster.begin());
    return take({&f,
                 {c->grid[0], c->grid[1], c->grid[2]},
                 {c->block[0], c->block[1], c->block[2]},
                 c->shared_bytes,
                 cluster,
                 arguments_of(f, arguments)});
}

CuResult cuStreamCreate(CuStream* stream, unsigned) {
    *stream = reinterpret_cast<CuStream>(&state());
    return kCuSuccess;
}
CuResult cuStreamDestroy_v2(CuStream) { return state().broken; }
CuResult cuStreamQuery(CuStream) { return state().hangs ? kCuNotReady : state().broken; }

CuResult cuEventCreate(CuEvent* event, unsigned) {
    *event = reinterpret_cast<CuEvent>(new Event);
    return kCuSuccess;
}
CuResult cuEventDestroy_v2(CuEvent event) {
    delete reinterpret_cast<Event*>(event);
    return state().broken;
}
CuResult cuEventRecord(CuEvent event, CuStream) {
    reinterpret_cast<Event*>(event)->seconds = state().clock;
    return state().broken;
}
CuResult cuEventElapsedTime(float* milliseconds, CuEvent begin, CuEvent end) {
    *milliseconds = static_cast<float>(
        1e3 * (reinterpret_cast<Event*>(end)->seconds - reinterpret_cast<Event*>(begin)->seconds));
    return state().broken;
}

CuResult cuStreamBeginCapture_v2(CuStream, int) {
    state().capturing = std::make_unique<Graph>();
    return kCuSuccess;
}
CuResult cuStreamEndCapture(CuStream, CuGraph* graph) {
    *graph = reinterpret_cast<CuGraph>(state().capturing.release());
    return kCuSuccess;
}
CuResult cuGraphInstantiateWithFlags(CuGraphExec* executable, CuGraph graph, unsigned long long) {
    *executable = reinterpret_cast<CuGraphExec>(new Graph(*reinterpret_cast<const Graph*>(graph)));
    return kCuSuccess;
}
CuResult cuGraphLaunch(CuGraphExec executable, CuStream) {
    const auto& launches = reinterpret_cast<const Graph*>(executable)->launches;
    log("graph of " + std::to_string(launches.size()));
    for (const auto& launch : launches)
        if (state().broken == kCuSuccess)
            run(launch);
    return kCuSuccess;
}
CuResult cuGraphDestroy(CuGraph graph) {
    delete reinterpret_cast<Graph*>(graph);
    return kCuSuccess;
}
CuResult cuGraphExecDestroy(CuGraphExec executable) {
    delete reinterpret_cast<Graph*>(executable);
    return kCuSuccess;
}

// NVIDIA's management library.
struct nvmlDevice_st;
int nvmlInit_v2() { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char* id, nvmlDevice_st** device) {
    *device = reinterpret_cast<nvmlDevice_st*>(&state());
    return std::strncmp(id, "0000:", 5) == 0 ? 0 : 6;
}
int nvmlDeviceGetClockInfo(nvmlDevice_st*, int type, unsigned* megahertz) {
    *megahertz = type == 1 ? 1755 : 3201;
    return 0;
}
int nvmlDeviceGetTemperature(nvmlDevice_st*, int, unsigned* celsius) { return *celsius = 41, 0; }
int nvmlDeviceGetPowerUsage(nvmlDevice_st*, unsigned* milliwatts) {
    return *milliwatts = 321000, 0;
}
}

// Resets this driver alone: a process goes on behind a planted fault or hang.
extern "C" void fake_cuda_reset() {
    state().broken = kCuSuccess;
    state().hangs = false;
}
