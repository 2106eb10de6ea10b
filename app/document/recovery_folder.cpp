#include "app/document/recovery_folder.h"

#include "core/base/printable.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

namespace loopscope::session {

namespace fs = std::filesystem;

namespace {
constexpr std::size_t kMaxStem = 40; // characters, of four bytes at most
}

RecoveryFolder::RecoveryFolder(const std::string& path)
    : path_(path.empty() ? default_path() : path) {}

std::string RecoveryFolder::default_path() {
    if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data)
        return std::string(data) + "/loopscope/recovery";
    if (const char* home = std::getenv("HOME"); home && *home)
        return std::string(home) + "/.local/share/loopscope/recovery";
    return (fs::temp_directory_path() / ("loopscope-" + std::to_string(::getuid()))).string();
}

std::vector<DocumentSummary> RecoveryFolder::documents() const {
    std::vector<DocumentSummary> found;
    std::error_code failed;
    for (const auto& place : places())
        for (const auto& entry : fs::directory_iterator(place, failed)) {
            if (entry.path().extension() != ".loopscope")
                continue;
            auto summary = Document::summary(entry.path().string());
            if (summary &&
                (summary->revisions > 1 || summary->measurements > 0 || summary->has_draft))
                found.push_back(std::move(*summary));
        }
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.time > b.time; });
    return found;
}

bool RecoveryFolder::holds(const std::string& path) const {
    std::error_code ignored;
    const auto folder = fs::absolute(path, ignored).parent_path();
    const auto all = places();
    return std::any_of(all.begin(), all.end(), [&](const std::string& place) {
        return fs::equivalent(folder, place, ignored);
    });
}

Status RecoveryFolder::stop_offering(const std::string& path) const {
    auto document = Document::open(path);
    if (!document)
        return document.errors();
    return mark_closed(**document, true);
}

std::vector<std::string> RecoveryFolder::places() const {
    std::vector<std::string> all;
    const auto mine = "loopscope-" + std::to_string(::getuid());
    if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime && *runtime)
        all.push_back(std::string(runtime) + "/" + mine);
    std::error_code failed;
    if (const auto temporary = fs::temp_directory_path(failed); !failed)
        all.push_back((temporary / mine).string());
    // In a folder that all may write, a name may be another person's.
    std::erase_if(all, [this](const std::string& place) {
        struct stat info;
        return place == path_ || (::lstat(place.c_str(), &info) == 0 && info.st_uid != ::getuid());
    });
    all.insert(all.begin(), path_);
    return all;
}

std::string RecoveryFolder::new_place(const std::string& folder, const std::string& stem) {
    std::error_code failed;
    fs::create_directories(fs::path(folder).parent_path(), failed);
    ::mkdir(folder.c_str(), 0700);
    // A pipeline's file may have a name of any length, and of bytes that are no text.
    const auto name = printable_text(stem, kMaxStem);
    std::string place;
    for (int n = 1; place.empty() || fs::exists(place, failed); ++n)
        place = folder + "/" + name + "-" + std::to_string(n) + ".loopscope";
    return place;
}

Status mark_closed(Document& document, bool closed) {
    return document.set_state("closed", closed ? "1" : "");
}

} // namespace loopscope::session
