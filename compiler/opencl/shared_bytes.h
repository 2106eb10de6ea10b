#pragma once
// An array that two processes see: the one that made it, and one that opens its path. It has no
// name in any folder, and is gone with the last of the two, however they end.

#include "core/base/result.h"

#include <cstddef>
#include <string>

namespace loopscope::opencl {

class SharedBytes {
public:
    // Zeros. Errors: memory that the system does not have.
    static Result<SharedBytes> make(std::size_t bytes);
    // Opens what another process made, which must still have it. Errors: there is none, or one of
    // another size.
    static Result<SharedBytes> open(const std::string& path, std::size_t bytes);
    ~SharedBytes();
    SharedBytes(SharedBytes&& other) noexcept;
    SharedBytes& operator=(SharedBytes&& other) noexcept;

    std::byte* data() const { return data_; }
    std::size_t size() const { return size_; }
    std::string path() const; // for processes of the same user, as long as this one has it

private:
    SharedBytes(int descriptor, std::size_t bytes) : descriptor_(descriptor), size_(bytes) {}
    static Result<SharedBytes> mapped(int descriptor, std::size_t bytes);
    int descriptor_ = -1;
    std::size_t size_ = 0;
    std::byte* data_ = nullptr;
};

} // namespace loopscope::opencl
