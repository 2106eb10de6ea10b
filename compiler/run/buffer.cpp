#include "compiler/run/buffer.h"

#include "compiler/run/large_pages.h"
#include "core/base/memory_limit.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace loopscope {

namespace {
constexpr std::int64_t kMaxElements = std::int64_t{1} << 62;
}

void Buffer::check(std::size_t element_bytes) const {
    if (element_bytes != static_cast<std::size_t>(bytes(type)))
        throw std::logic_error(std::string("buffer of ") + name(type) + " read as elements of " +
                               std::to_string(element_bytes) + " bytes");
}

std::string shape_text(const std::vector<std::int64_t>& extents) {
    std::string text = "[";
    for (std::size_t i = 0; i < extents.size(); ++i)
        text += (i ? ", " : "") + std::to_string(extents[i]);
    return text + "]";
}

Result<std::int64_t> element_count(const std::vector<std::int64_t>& extents) {
    if (std::any_of(extents.begin(), extents.end(), [](std::int64_t extent) { return extent < 0; }))
        return error("negative extent in shape " + shape_text(extents));
    if (std::find(extents.begin(), extents.end(), 0) != extents.end())
        return std::int64_t{0};
    std::int64_t count = 1;
    for (auto extent : extents) {
        if (count > kMaxElements / extent)
            return error("shape " + shape_text(extents) + " has more than 2^62 elements");
        count *= extent;
    }
    return count;
}

Result<std::int64_t> checked_size(ScalarType type, const std::vector<std::int64_t>& extents,
                                  std::int64_t limit) {
    auto count = element_count(extents);
    if (!count)
        return count;
    if (*count > limit / bytes(type)) {
        return coded_error("memory-limit",
                           "an array of " + std::string(name(type)) + shape_text(extents) +
                               " needs more than the limit of " + std::to_string(limit) + " bytes");
    }
    return *count * bytes(type);
}

Result<Buffer> make_buffer(ScalarType type, std::vector<std::int64_t> extents, std::int64_t limit) {
    auto size = checked_size(type, extents, limit);
    if (!size)
        return size.errors();
    Buffer buffer;
    buffer.type = type;
    buffer.extents = std::move(extents);
    try {
        buffer.data.reserve(static_cast<std::size_t>(*size));
        prefer_large_pages(buffer.data.data(), buffer.data.capacity());
        buffer.data.resize(static_cast<std::size_t>(*size));
    } catch (const std::bad_alloc&) {
        return coded_error("memory-limit", "not enough memory for an array of " +
                                               std::to_string(*size) +
                                               " bytes: " + memory_limit().text());
    }
    return buffer;
}

} // namespace loopscope
