// The tensor memory accelerator (TMA) and mbarriers, on the host: they take the place of an
// exported file's functions of inline assembly. Some boxes arrive as soon as they are asked for,
// the others not before somebody waits for them, the same ones at every run: a slot that is filled
// too early is found with the former, a wait that is left out with the latter. An mbarrier's phase
// ends when all have arrived at it and all bytes have come that it was told of.
#pragma once

#include "tests/export_cuda/cuda_on_host.h"

#include <condition_variable>
#include <mutex>

#define __grid_constant__

// ---- The driver's part --------------------------------------------------------------------------

using cuuint32_t = std::uint32_t;
using cuuint64_t = std::uint64_t;
enum CUresult { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1 };
enum CUtensorMapDataType {
    CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0,
    CU_TENSOR_MAP_DATA_TYPE_UINT16 = 1,
    CU_TENSOR_MAP_DATA_TYPE_UINT32 = 2,
    CU_TENSOR_MAP_DATA_TYPE_UINT64 = 4
};
enum CUtensorMapSwizzle {
    CU_TENSOR_MAP_SWIZZLE_NONE = 0,
    CU_TENSOR_MAP_SWIZZLE_32B = 1,
    CU_TENSOR_MAP_SWIZZLE_64B = 2,
    CU_TENSOR_MAP_SWIZZLE_128B = 3
};
enum CUtensorMapInterleave { CU_TENSOR_MAP_INTERLEAVE_NONE = 0 };
enum CUtensorMapL2promotion { CU_TENSOR_MAP_L2_PROMOTION_L2_128B = 2 };
enum CUtensorMapFloatOOBfill { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0 };
struct CUtensorMap {
    const unsigned char* array;
    cuuint32_t rank, swizzle, bytes; // of an element
    cuuint64_t extents[5], strides[5];
    cuuint32_t box[5];
};

// Refuses what the driver refuses (CUDA driver API, cuTensorMapEncodeTiled).
inline CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                       void* array, const cuuint64_t* extents,
                                       const cuuint64_t* strides, const cuuint32_t* box,
                                       const cuuint32_t* steps, CUtensorMapInterleave,
                                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                       CUtensorMapFloatOOBfill) {
    *map = {};
    map->array = static_cast<const unsigned char*>(array);
    map->rank = rank;
    map->bytes = type == CU_TENSOR_MAP_DATA_TYPE_UINT64 ? 8u : 1u << type;
    map->swizzle = swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? 0 : 16u << swizzle;
    bool fits = rank >= 1 && rank <= 5 && reinterpret_cast<std::size_t>(array) % 16 == 0;
    fits = fits && box[0] * map->bytes % 16 == 0;
    fits = fits && (map->swizzle == 0 || box[0] * map->bytes <= map->swizzle);
    cuuint64_t stride = map->bytes;
    for (cuuint32_t d = 0; fits && d < rank; ++d) {
        map->extents[d] = extents[d];
        map->box[d] = box[d];
        map->strides[d] = stride; // the driver is told of those of further dimensions alone
        stride = strides[d];
        fits = box[d] >= 1 && box[d] <= 256 && steps[d] == 1 &&
               (d + 1 == rank || strides[d] % 16 == 0);
    }
    return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess,
    cudaDriverEntryPointSymbolNotFound
};
enum { cudaEnableDefault = 0 };
inline cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** place, int,
                                           cudaDriverEntryPointQueryResult* result) {
    const bool known = std::strcmp(symbol, "cuTensorMapEncodeTiled") == 0;
    *place = known ? reinterpret_cast<void*>(&cuTensorMapEncodeTiled) : nullptr;
    *result = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

// ---- Mbarriers ----------------------------------------------------------------------------------

struct EmulatedObject {
    std::int32_t bytes;    // expected, less those that have come
    std::uint16_t pending; // arrivals that the phase waits for
    std::uint16_t state;   // 2 * arrivals of a phase + the phase
};
static_assert(sizeof(EmulatedObject) == sizeof(std::uint64_t));

inline std::mutex emulated_mbarriers;
inline std::condition_variable emulated_phase;

// To be called with the lock.
inline void emulated_step(std::uint64_t* object, int arrivals, std::int32_t bytes) {
    EmulatedObject o;
    std::memcpy(&o, object, sizeof o);
    o.bytes += bytes;
    // more have come than the phase counts
    if (o.pending < arrivals)
        std::abort();
    o.pending = static_cast<std::uint16_t>(o.pending - arrivals);
    if (o.pending == 0 && o.bytes == 0) {
        o.pending = o.state / 2;
        o.state ^= 1;
        emulated_phase.notify_all();
    }
    std::memcpy(object, &o, sizeof o);
}

// ---- Boxes --------------------------------------------------------------------------------------

// Bits 4 to 6 of an address XOR its bits 7 to 9, as far as the pattern goes (PTX ISA, "Tensor
// Swizzling Modes").
inline unsigned char* emulated_place(unsigned char* to, std::size_t byte, cuuint32_t swizzle) {
    const auto address = reinterpret_cast<std::size_t>(to) + byte;
    const std::size_t chunks = swizzle == 0 ? 0 : swizzle / 16 - 1;
    return to + byte + ((address ^ ((address >> 7 & chunks) << 4)) - address);
}

inline void emulated_bring(unsigned char* to, const CUtensorMap& map,
                           const std::int64_t (&first)[5]) {
    std::int64_t at[5] = {0};
    for (std::size_t byte = 0;; byte += map.bytes) {
        std::int64_t from = 0;
        bool inside = true;
        for (cuuint32_t d = 0; d < map.rank; ++d) {
            const auto x = first[d] + at[d];
            inside = inside && x >= 0 && x < static_cast<std::int64_t>(map.extents[d]);
            from += x * static_cast<std::int64_t>(map.strides[d]);
        }
        auto* place = emulated_place(to, byte, map.swizzle);
        if (inside)
            std::memcpy(place, map.array + from, map.bytes);
        else
            std::memset(place, 0, map.bytes);
        cuuint32_t d = 0;
        while (d < map.rank && ++at[d] == map.box[d])
            at[d++] = 0;
        if (d == map.rank)
            return;
    }
}

struct EmulatedBox {
    unsigned char* to;
    CUtensorMap map;
    std::uint64_t* object;
    std::int64_t first[5];
};
inline std::vector<EmulatedBox> emulated_boxes; // asked for, and not here yet

inline void emulated_arrival(const EmulatedBox& box) {
    emulated_bring(box.to, box.map, box.first);
    auto bytes = static_cast<std::int32_t>(box.map.bytes);
    for (cuuint32_t d = 0; d < box.map.rank; ++d)
        bytes *= static_cast<std::int32_t>(box.map.box[d]);
    emulated_step(box.object, 0, -bytes);
}

template <typename... X>
void emulated_copy_box(void* to, const CUtensorMap* boxes, std::uint64_t* object, X... x) {
    static std::uint32_t number = 0;
    const std::lock_guard lock(emulated_mbarriers);
    const EmulatedBox box{static_cast<unsigned char*>(to), *boxes, object, {x...}};
    if ((++number * 2654435761u >> 30) == 0) { // one in four, whatever comes in turn
        emulated_arrival(box);
        return;
    }
    emulated_boxes.push_back(box);
    emulated_phase.notify_all();
}
inline void copy_box_1d(void* to, const CUtensorMap* boxes, std::uint64_t* object, int x0) {
    emulated_copy_box(to, boxes, object, x0);
}
inline void copy_box_2d(void* to, const CUtensorMap* boxes, std::uint64_t* object, int x0, int x1) {
    emulated_copy_box(to, boxes, object, x0, x1);
}
inline void copy_box_3d(void* to, const CUtensorMap* boxes, std::uint64_t* object, int x0, int x1,
                        int x2) {
    emulated_copy_box(to, boxes, object, x0, x1, x2);
}

// ---- What threads call --------------------------------------------------------------------------

inline void make_arrivals(std::uint64_t* mbarriers, std::uint32_t count, std::uint32_t arriving) {
    const std::lock_guard lock(emulated_mbarriers);
    // Mbarriers are made before the first box is asked for: what is left is from the block before,
    // which has not waited for it. Of the last block of all nobody asks.
    if (!emulated_boxes.empty())
        std::abort();
    for (std::uint32_t i = 0; i < count; ++i) {
        const EmulatedObject o{0, static_cast<std::uint16_t>(arriving),
                               static_cast<std::uint16_t>(2 * arriving)};
        std::memcpy(&mbarriers[i], &o, sizeof o);
    }
}
inline void arrive(std::uint64_t* object) {
    const std::lock_guard lock(emulated_mbarriers);
    emulated_step(object, 1, 0);
}
inline void arrive_expecting(std::uint64_t* object, std::uint32_t bytes) {
    const std::lock_guard lock(emulated_mbarriers);
    emulated_step(object, 1, static_cast<std::int32_t>(bytes));
}
// The phase under way has the mbarrier's parity; the one before it has ended.
inline void await_phase(std::uint64_t* object, std::uint32_t phase) {
    std::unique_lock lock(emulated_mbarriers);
    emulated_phase.wait(lock, [&] {
        std::erase_if(emulated_boxes, [&](const EmulatedBox& box) {
            if (box.object != object)
                return false;
            emulated_arrival(box);
            return true;
        });
        EmulatedObject o;
        std::memcpy(&o, object, sizeof o);
        return (o.state & 1u) != phase;
    });
}

template <int NUMBER, int THREADS> void barrier_of() {
    static std::barrier<> all(THREADS);
    all.arrive_and_wait();
}
inline void fence_matrices() {}
