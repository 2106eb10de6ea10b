#include "compiler/protocol/paths.h"

#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;

namespace loopscope::measure {

namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

} // namespace

std::string executable_folder() {
    std::error_code failed;
    auto path = fs::read_symlink("/proc/self/exe", failed);
    return failed ? fs::current_path().string() : path.parent_path().string();
}

std::string resource_folder() {
    if (auto named = environment("LOOPSCOPE_RESOURCES"); !named.empty())
        return named;
    std::error_code ignored;
    fs::path folder = executable_folder();
    for (int up = 0; up < 4 && !folder.empty(); ++up, folder = folder.parent_path())
        if (fs::is_directory(folder / "resources" / "pipelines", ignored))
            return folder / "resources";
    auto installed = fs::path(executable_folder()).parent_path() / "share" / "loopscope";
    return fs::is_directory(installed, ignored) ? installed.string() : std::string();
}

std::string cache_folder() {
    // The specification of XDG_CACHE_HOME has relative paths ignored.
    if (auto cache = environment("XDG_CACHE_HOME"); !cache.empty() && fs::path(cache).is_absolute())
        return fs::path(cache) / "loopscope";
    auto home = environment("HOME");
    return home.empty() ? std::string() : (fs::path(home) / ".cache" / "loopscope").string();
}

} // namespace loopscope::measure
