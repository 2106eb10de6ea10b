#include "compiler/protocol/paths.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <unistd.h>

namespace fs = std::filesystem;

namespace loopscope::measure {

namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::string folder_of_person(const char* variable, const char* otherwise) {
    // The specification of these variables has relative paths ignored.
    if (auto named = environment(variable); !named.empty() && fs::path(named).is_absolute())
        return fs::path(named) / "loopscope";
    auto home = environment("HOME");
    return home.empty() ? std::string() : (fs::path(home) / otherwise / "loopscope").string();
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

std::string cache_folder() { return folder_of_person("XDG_CACHE_HOME", ".cache"); }

std::string config_folder() { return folder_of_person("XDG_CONFIG_HOME", ".config"); }

bool is_program(const std::string& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::string find_program(const std::string& name) {
    std::istringstream folders(environment("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');)
        if (!folder.empty() && is_program(folder + "/" + name))
            return folder + "/" + name;
    return {};
}

} // namespace loopscope::measure
