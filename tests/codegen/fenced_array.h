#pragma once
// Memory whose neighbourhood must not be touched.

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <numeric>

namespace loopscope::test {

// Elements right before a page that must not be read, or right behind one.
template <typename T> class FencedArray {
public:
    FencedArray(std::size_t size, bool fence_behind) : size_(size) {
        page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        base_ = static_cast<unsigned char*>(
            mmap(nullptr, 3 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        mprotect(base_, page_, PROT_NONE);
        mprotect(base_ + 2 * page_, page_, PROT_NONE);
        data_ = reinterpret_cast<T*>(fence_behind ? base_ + 2 * page_ - size * sizeof(T)
                                                  : base_ + page_);
        std::iota(data_, data_ + size, T(1));
    }
    ~FencedArray() { munmap(base_, 3 * page_); }
    void* data() { return data_; }
    T& operator[](std::size_t i) { return data_[i]; }

private:
    std::size_t size_, page_;
    unsigned char* base_;
    T* data_;
};

} // namespace loopscope::test
