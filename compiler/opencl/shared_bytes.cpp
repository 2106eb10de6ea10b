#include "compiler/opencl/shared_bytes.h"

#include "compiler/protocol/worker_client.h"
#include "core/base/memory_limit.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loopscope::opencl {

namespace {

Diagnostic no_memory(std::size_t bytes) {
    const std::string reason = std::strerror(errno); // before other calls
    return coded_error(measure::kCodeOutOfMemory,
                       "no memory of " + std::to_string(bytes) +
                           " bytes to share with the OpenCL worker: " + reason + " (" +
                           memory_limit().text() + ")",
                       "make the problem smaller (--param)");
}

} // namespace

Result<SharedBytes> SharedBytes::make(std::size_t bytes) {
    const int descriptor = ::memfd_create("loopscope-array", MFD_CLOEXEC);
    if (descriptor < 0)
        return no_memory(bytes);
    if (::ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) {
        auto failed = no_memory(bytes);
        ::close(descriptor);
        return failed;
    }
    return mapped(descriptor, bytes);
}

Result<SharedBytes> SharedBytes::open(const std::string& path, std::size_t bytes) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        return error("cannot open the shared array " + path + ": " + std::strerror(errno));
    struct stat found = {};
    // Beyond the end of a file an access would end the process.
    if (::fstat(descriptor, &found) != 0 || found.st_size != static_cast<off_t>(bytes)) {
        ::close(descriptor);
        return error("the shared array " + path + " has not the " + std::to_string(bytes) +
                     " bytes that it should have");
    }
    return mapped(descriptor, bytes);
}

Result<SharedBytes> SharedBytes::mapped(int descriptor, std::size_t bytes) {
    SharedBytes shared(descriptor, bytes);
    if (bytes == 0)
        return shared;
    void* place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (place == MAP_FAILED)
        return no_memory(bytes);
    shared.data_ = static_cast<std::byte*>(place);
    return shared;
}

SharedBytes::~SharedBytes() {
    if (data_)
        ::munmap(data_, size_);
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

SharedBytes::SharedBytes(SharedBytes&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      size_(std::exchange(other.size_, 0)),
      data_(std::exchange(other.data_, nullptr)) {}

SharedBytes& SharedBytes::operator=(SharedBytes&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
    return *this;
}

std::string SharedBytes::path() const {
    return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(descriptor_);
}

} // namespace loopscope::opencl
