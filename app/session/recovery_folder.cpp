#include "app/session/recovery_folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace loopscope::session {

namespace fs = std::filesystem;

RecoveryFolder::RecoveryFolder(const std::string& path)
    : path_(path.empty() ? default_path() : path) {}

std::string RecoveryFolder::default_path() {
    if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data)
        return std::string(data) + "/loopscope/recovery";
    if (const char* home = std::getenv("HOME"); home && *home)
        return std::string(home) + "/.local/share/loopscope/recovery";
    return (fs::temp_directory_path() / "loopscope-recovery").string();
}

std::vector<DocumentSummary> RecoveryFolder::documents() const {
    std::vector<DocumentSummary> found;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(path_, failed)) {
        if (entry.path().extension() != ".loopscope")
            continue;
        auto summary = Document::summary(entry.path().string());
        if (summary && (summary->revisions > 1 || summary->measurements > 0 || summary->has_draft))
            found.push_back(std::move(*summary));
    }
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.time > b.time; });
    return found;
}

bool RecoveryFolder::holds(const std::string& path) const {
    std::error_code ignored;
    return fs::equivalent(fs::absolute(path, ignored).parent_path(), path_, ignored);
}

Status RecoveryFolder::stop_offering(const std::string& path) const {
    auto document = Document::open(path);
    if (!document)
        return document.errors();
    return mark_closed(**document, true);
}

std::string RecoveryFolder::new_place(const std::string& stem) const {
    std::error_code failed;
    fs::create_directories(path_, failed);
    std::string place;
    for (int n = 1; place.empty() || fs::exists(place, failed); ++n)
        place = path_ + "/" + stem + "-" + std::to_string(n) + ".loopscope";
    return place;
}

Status mark_closed(Document& document, bool closed) {
    return document.set_state("closed", closed ? "1" : "");
}

} // namespace loopscope::session
