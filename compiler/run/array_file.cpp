#include "compiler/run/array_file.h"

#include "compiler/run/numpy.h"
#include "compiler/run/png.h"
#include "core/base/whole_file.h"

#include <filesystem>

namespace loopscope {

namespace {

std::string ending(const std::string& path) {
    auto text = std::filesystem::path(path).extension().string();
    for (char& c : text)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return text;
}

Diagnostic unknown_ending(const std::string& path) {
    return error("'" + path + "' ends neither in .npy nor in .png", "name a NumPy or PNG file");
}

} // namespace

bool is_numpy_file(const std::string& path) { return ending(path) == ".npy"; }

Result<Buffer> read_array(const std::string& path) {
    auto end = ending(path);
    if (end == ".npy")
        return read_numpy(path);
    if (end == ".png")
        return read_png(path);
    return unknown_ending(path);
}

Result<std::int64_t> array_size(const std::string& path) {
    auto end = ending(path);
    if (end == ".npy")
        return file_size(path);
    if (end == ".png")
        return png_size(path);
    return unknown_ending(path);
}

Status check_array_file(const std::string& path, ScalarType type,
                        const std::vector<std::int64_t>& extents) {
    auto end = ending(path);
    if (end != ".npy" && end != ".png")
        return unknown_ending(path);
    if (end == ".png")
        if (auto image = check_png(path, type, extents); !image)
            return image;
    return check_writable(path);
}

Status write_array(const std::string& path, const Buffer& buffer) {
    auto end = ending(path);
    if (end == ".npy")
        return write_numpy(path, buffer);
    if (end == ".png")
        return write_png(path, buffer);
    return unknown_ending(path);
}

} // namespace loopscope
