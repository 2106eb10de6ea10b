#pragma once
// Arrays in memory: what pipelines take and give, and what files hold.

#include "core/base/result.h"
#include "core/ir/type.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <vector>

namespace loopscope {

// Vectors of any width load from the start of a buffer without a split cache line.
constexpr std::size_t kBufferAlignment = 64;

template <typename T> struct AlignedAllocator {
    using value_type = T;
    AlignedAllocator() = default;
    template <typename U> AlignedAllocator(const AlignedAllocator<U>&) {}
    T* allocate(std::size_t count) {
        return static_cast<T*>(
            ::operator new(count * sizeof(T), std::align_val_t{kBufferAlignment}));
    }
    void deallocate(T* pointer, std::size_t) {
        ::operator delete(pointer, std::align_val_t{kBufferAlignment});
    }
    template <typename U> bool operator==(const AlignedAllocator<U>&) const { return true; }
};

using AlignedBytes = std::vector<std::byte, AlignedAllocator<std::byte>>;

// A dense array, row-major: the last index is contiguous. A bool is a byte, 0 or 1. No extents: one
// element.
struct Buffer {
    ScalarType type = ScalarType::F32;
    std::vector<std::int64_t> extents;
    AlignedBytes data; // element_count(extents) * bytes(type)

    std::int64_t count() const { return static_cast<std::int64_t>(data.size()) / bytes(type); }
    // Elements as T, whose size must be the type's (an exception otherwise: that is a bug).
    template <typename T> T* as() { return check(sizeof(T)), reinterpret_cast<T*>(data.data()); }
    template <typename T> const T* as() const {
        return check(sizeof(T)), reinterpret_cast<const T*>(data.data());
    }

private:
    void check(std::size_t element_bytes) const;
};

using Buffers = std::map<std::string, Buffer>; // by their names

// Greatest size of one buffer, in bytes: what an allocation can be asked for at all.
constexpr std::int64_t kMaxBuffer = std::int64_t{1} << 46;

// Product of the extents. Errors: a negative extent; more than 2^62 elements.
Result<std::int64_t> element_count(const std::vector<std::int64_t>& extents);
// Size in bytes. Errors: as above; more than `limit` bytes, with both figures.
Result<std::int64_t> checked_size(ScalarType type, const std::vector<std::int64_t>& extents,
                                  std::int64_t limit = kMaxBuffer);
// A buffer of zeros. Errors: as checked_size; memory that the system does not have.
Result<Buffer> make_buffer(ScalarType type, std::vector<std::int64_t> extents,
                           std::int64_t limit = kMaxBuffer);

std::string shape_text(const std::vector<std::int64_t>& extents); // "[3, 1024, 1920]"

} // namespace loopscope
