#include "tests/fuzz_formats/format.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <unistd.h>

namespace loopscope::fuzz {

namespace fs = std::filesystem;

namespace {

std::vector<Format>& known() {
    static std::vector<Format> all;
    return all;
}

// In memory where that is there: a million files are written and synced.
struct Folder {
    Folder() {
        const fs::path parent =
            ::access("/dev/shm", W_OK) == 0 ? fs::path("/dev/shm") : fs::temp_directory_path();
        auto pattern = (parent / "loopscope-fuzz-XXXXXX").string();
        if (!::mkdtemp(pattern.data()))
            throw std::runtime_error("no folder can be made in " + parent.string());
        path = pattern;
    }
    ~Folder() { remove(); }
    void remove() const {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
    std::string path;
};

Folder& folder() {
    static Folder made;
    return made;
}

} // namespace

const std::vector<Format>& formats() {
    std::sort(known().begin(), known().end(),
              [](const Format& a, const Format& b) { return std::string_view(a.name) < b.name; });
    return known();
}

AddFormat::AddFormat(const char* name, void (*judge)(std::string_view bytes),
                     std::string (*read)(std::string_view bytes)) {
    known().push_back({name, judge, read});
}

void judge_refusal(const Diagnostics& errors) {
    if (errors.empty())
        throw Wrong("refused without a reason");
    for (const auto& e : errors)
        if (e.message.empty())
            throw Wrong("refused by an empty message");
    (void)format(errors);
}

std::string as_file(std::string_view bytes, const char* name) {
    auto path = folder().path + "/" + name;
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const auto written = ::write(file, bytes.data(), bytes.size());
    if (::close(file) != 0 || written != static_cast<ssize_t>(bytes.size()))
        throw std::runtime_error("an input cannot be written");
    return path;
}

void remove_files() { folder().remove(); }

std::string bytes_in(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace loopscope::fuzz
