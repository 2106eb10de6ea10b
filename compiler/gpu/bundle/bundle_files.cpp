#include "compiler/gpu/bundle/bundle.h"

#include "core/base/system_error.h"
#include "core/base/whole_file.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace loopscope::gpu {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxPath = 1024;

bool is_part(const std::string& part) {
    const bool plain = std::all_of(part.begin(), part.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '.' || c == '_' || c == '-';
    });
    return plain && !part.empty() && part != "." && part != "..";
}

// A link may lead anywhere, whatever its name is.
bool leads_out(const fs::path& folder, const fs::path& file) {
    std::error_code failed;
    const auto inside = fs::canonical(folder, failed);
    const auto real = fs::canonical(file, failed);
    // it is not there, which reading says
    if (failed)
        return false;
    return std::mismatch(inside.begin(), inside.end(), real.begin(), real.end()).first !=
           inside.end();
}

} // namespace

bool is_bundle_path(const std::string& path) {
    if (path.empty() || path.size() > kMaxPath || path.back() == '/')
        return false;
    for (std::size_t begin = 0; begin <= path.size();) {
        const auto end = std::min(path.find('/', begin), path.size());
        if (!is_part(path.substr(begin, end - begin)))
            return false;
        begin = end + 1;
    }
    return true;
}

Result<std::string> read_file(const std::string& folder, const BundleFile& file) {
    if (!is_bundle_path(file.path))
        return error("`" + file.path + "` is no path inside of a bundle");
    const auto path = folder + "/" + file.path;
    if (leads_out(folder, path))
        return error(path + " leads out of the bundle");
    auto size = file_size(path);
    if (!size)
        return size.errors();
    if (*size != file.bytes)
        return error(path + " has " + std::to_string(*size) + " bytes, and the manifest says " +
                         std::to_string(file.bytes),
                     "copy the bundle again, whole");
    std::string bytes(static_cast<std::size_t>(*size), '\0');
    std::ifstream stream(path, std::ios::binary);
    if (!stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
        return error("cannot read " + path + ": " + std::strerror(errno));
    if (hash_of(bytes) != file.hash)
        return error(path + " is not the file that the manifest was written for: its hash differs",
                     "copy the bundle again, whole");
    return bytes;
}

Result<BundleFile> write_file(const std::string& folder, const std::string& path,
                              std::string_view bytes) {
    if (!is_bundle_path(path))
        return error("`" + path + "` is no path inside of a bundle");
    const fs::path whole = folder + "/" + path;
    std::error_code failed;
    fs::create_directories(whole.parent_path(), failed);
    if (failed)
        return system_error("make", whole.parent_path().string(), failed.value());
    if (auto written = write_whole(whole, {bytes}); !written)
        return written.errors();
    return BundleFile{path, static_cast<std::int64_t>(bytes.size()), hash_of(bytes)};
}

} // namespace loopscope::gpu
