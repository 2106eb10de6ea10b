// Any bytes as arrays, .npy and .png: what is read is within what the file can hold, and is written
// as a file that reads back bit for bit.
#include "compiler/run/numpy.h"
#include "compiler/run/png.h"
#include "tests/fuzz_formats/format.h"

#include <zlib.h>

namespace loopscope::fuzz {
namespace {

using Reader = Result<Buffer> (*)(const std::string& path);
using Writer = Status (*)(const std::string& path, const Buffer& buffer);

void judge_array(std::string_view bytes, const char* name, Reader read, Writer write) {
    const auto path = as_file(bytes, name);
    const auto array = read(path);
    if (!array)
        return judge_refusal(array.errors());
    const auto size = checked_size(array->type, array->extents);
    if (!size || *size != static_cast<std::int64_t>(array->data.size()))
        throw Wrong("its size is not that of its shape " + shape_text(array->extents));
    if (auto written = write(path, *array); !written)
        throw Wrong("what was read is not written\n" + format(written.errors()));
    const auto again = read(path);
    if (!again)
        throw Wrong("what was written is not read\n" + format(again.errors()));
    if (again->type != array->type || again->extents != array->extents ||
        again->data != array->data)
        throw Wrong("it reads back as another array than " + shape_text(array->extents));
}

void judge_npy(std::string_view bytes) { judge_array(bytes, "a.npy", read_numpy, write_numpy); }

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i)
        value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

// The same with the sum that each chunk's bytes have: any other file is refused at its first chunk.
std::string with_right_sums(std::string bytes) {
    constexpr std::size_t kSignature = 8, kAround = 12; // of a chunk: length, type, sum
    for (std::size_t at = kSignature; at + kAround <= bytes.size();) {
        const std::size_t length = big_endian(bytes, at);
        if (length > bytes.size() - at - kAround)
            break;
        const auto* type = reinterpret_cast<const Bytef*>(bytes.data() + at + 4);
        auto sum = ::crc32(0, type, static_cast<uInt>(length + 4));
        for (std::size_t i = at + length + kAround; i-- > at + length + 8; sum >>= 8)
            bytes[i] = static_cast<char>(sum);
        at += length + kAround;
    }
    return bytes;
}

void judge_png(std::string_view bytes) {
    judge_array(bytes, "a.png", read_png, write_png);
    judge_array(with_right_sums(std::string(bytes)), "a.png", read_png, write_png);
}

std::string read_as(std::string_view bytes, const char* name, Reader read) {
    const auto array = read(as_file(bytes, name));
    if (!array)
        return format(array.errors());
    const auto* data = reinterpret_cast<const char*>(array->data.data());
    return shape_text(array->extents) + std::string(data, array->data.size());
}

std::string text_of_npy(std::string_view bytes) { return read_as(bytes, "a.npy", read_numpy); }
std::string text_of_png(std::string_view bytes) { return read_as(bytes, "a.png", read_png); }

const AddFormat kNpy("npy", judge_npy, text_of_npy);
const AddFormat kPng("png", judge_png, text_of_png);

} // namespace
} // namespace loopscope::fuzz
