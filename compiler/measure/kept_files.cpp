#include "compiler/measure/kept_files.h"

#include "core/base/whole_file.h"

#include <nlohmann/json.hpp>

#include <ctime>
#include <filesystem>

namespace loopscope::measure {

Status keep_file(const std::string& path, const nlohmann::json& value) {
    if (path.empty())
        return error("neither XDG_CACHE_HOME nor HOME is set");
    std::error_code ignored; // write_whole says what is wrong with it
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
    return write_whole(path, {value.dump(2), "\n"});
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d", &local);
    return text;
}

} // namespace loopscope::measure
