// Exported CUDA on the host, without a GPU: a block's threads are threads of the host, its blocks
// run one after another, memory of the device is the host's. Asynchronous copies are done at once,
// as on GPUs before sm_80; boxes arrive some time after they are asked for (tma_on_host.h);
// instructions of tensor cores are not here. What takes the place of kernel<<<…>>>(…) is
// `run_kernel`.
#pragma once

#include <barrier>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __launch_bounds__(n)
#define __cluster_dims__(x, y, z)
#define __align__(n) __attribute__((aligned(n)))

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
inline thread_local dim3 threadIdx, blockIdx;

// ---- A block ------------------------------------------------------------------------------------

struct EmulatedBlock {
    explicit EmulatedBlock(unsigned threads) : all(threads) {
        for (unsigned first = 0; first < threads; first += 32)
            warps.push_back(
                std::make_unique<std::barrier<>>(threads - first < 32 ? threads - first : 32));
        slots.resize((threads + 31) / 32 * 32);
    }
    std::barrier<> all;
    std::vector<std::unique_ptr<std::barrier<>>> warps;
    std::vector<std::uint64_t> slots; // what lanes show each other
};
inline EmulatedBlock* emulated_block = nullptr;
inline thread_local unsigned emulated_thread = 0;
alignas(1024) inline unsigned char emulated_shared_memory[256 << 10]; // that kernels ask for

inline void __syncthreads() { emulated_block->all.arrive_and_wait(); }
inline void __syncwarp(unsigned = ~0u) {
    emulated_block->warps[emulated_thread / 32]->arrive_and_wait();
}

template <typename T> T emulated_from_lane(T value, unsigned lane) {
    const unsigned first = emulated_thread / 32 * 32;
    std::memcpy(&emulated_block->slots[emulated_thread], &value, sizeof value);
    __syncwarp();
    T taken;
    std::memcpy(&taken, &emulated_block->slots[first + lane], sizeof taken);
    __syncwarp();
    return taken;
}
template <typename T> T __shfl_down_sync(unsigned, T value, unsigned n) {
    const unsigned lane = emulated_thread % 32;
    return emulated_from_lane(value, lane + n < 32 ? lane + n : lane);
}
template <typename T> T __shfl_up_sync(unsigned, T value, unsigned n) {
    const unsigned lane = emulated_thread % 32;
    return emulated_from_lane(value, lane >= n ? lane - n : lane);
}
template <typename T> T __shfl_xor_sync(unsigned, T value, unsigned n) {
    return emulated_from_lane(value, (emulated_thread % 32) ^ n);
}
template <typename T> T __shfl_sync(unsigned, T value, unsigned n) {
    return emulated_from_lane(value, n);
}

// Threads stay for all blocks: making them takes longer than most kernels.
template <typename Kernel> void run_kernel(dim3 grid, dim3 block, Kernel kernel) {
    const unsigned threads = block.x * block.y * block.z;
    EmulatedBlock state(threads);
    emulated_block = &state;
    auto work = [&](unsigned t) {
        emulated_thread = t;
        threadIdx = dim3(t % block.x, t / block.x % block.y, t / block.x / block.y);
        for (unsigned z = 0; z < grid.z; ++z)
            for (unsigned y = 0; y < grid.y; ++y)
                for (unsigned x = 0; x < grid.x; ++x) {
                    blockIdx = dim3(x, y, z);
                    kernel();
                    state.all.arrive_and_wait();
                }
    };
    std::vector<std::thread> others;
    for (unsigned t = 1; t < threads; ++t)
        others.emplace_back(work, t);
    work(0);
    for (auto& thread : others)
        thread.join();
}

// ---- Arithmetic, atomic steps, stores -----------------------------------------------------------

inline float __fmul_rn(float a, float b) { return a * b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }

template <typename T> T atomicCAS(T* place, T expected, T wanted) {
    __atomic_compare_exchange_n(place, &expected, wanted, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    return expected;
}
template <typename T, typename Step> T emulated_atomic(T* place, Step step) {
    T seen, wanted;
    __atomic_load(place, &seen, __ATOMIC_SEQ_CST);
    do
        wanted = step(seen);
    while (!__atomic_compare_exchange(place, &seen, &wanted, false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST));
    return seen;
}
template <typename T> struct emulated_same {
    using type = T;
};
template <typename T> using emulated_same_t = typename emulated_same<T>::type;
template <typename T> T atomicAdd(T* place, emulated_same_t<T> value) {
    return emulated_atomic(place, [&](T old) {
        if constexpr (std::is_same_v<T, int>)
            return static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value));
        else
            return old + value;
    });
}
template <typename T> T atomicMin(T* place, emulated_same_t<T> value) {
    return emulated_atomic(place, [&](T old) { return value < old ? value : old; });
}
template <typename T> T atomicMax(T* place, emulated_same_t<T> value) {
    return emulated_atomic(place, [&](T old) { return value > old ? value : old; });
}
template <typename T> void __stcs(T* place, emulated_same_t<T> value) { *place = value; }

// ---- The runtime --------------------------------------------------------------------------------

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorInsufficientDriver = 35 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
enum { cudaFuncAttributeMaxDynamicSharedMemorySize };
using cudaStream_t = int;
using cudaEvent_t = double*;
struct cudaDeviceProp {
    char name[64];
};
inline const char* cudaGetErrorString(cudaError_t) { return "none"; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
template <typename F> cudaError_t cudaFuncSetAttribute(F, int, int bytes) {
    return bytes <= static_cast<int>(sizeof emulated_shared_memory) ? cudaSuccess
                                                                    : static_cast<cudaError_t>(1);
}
inline cudaError_t cudaMalloc(void** place, size_t bytes) {
    *place = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    return cudaSuccess;
}
inline cudaError_t cudaFree(void* place) {
    std::free(place);
    return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* device, int) {
    std::strcpy(device->name, "the host");
    return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
    *event = new double(0);
    return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event) {
    *event =
        std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    *milliseconds = static_cast<float>(1e3 * (*end - *begin));
    return cudaSuccess;
}
