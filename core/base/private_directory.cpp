#include "core/base/private_directory.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <stdlib.h>

namespace loopscope {

Result<PrivateDirectory> PrivateDirectory::make() {
    std::error_code ignored;
    auto parent = std::filesystem::temp_directory_path(ignored);
    auto pattern = (parent.empty() ? std::filesystem::path("/tmp") : parent) / "loopscope-XXXXXX";
    auto path = pattern.string();
    if (!::mkdtemp(path.data()))
        return error("no temporary directory: " + std::string(std::strerror(errno)));
    return PrivateDirectory(path);
}

PrivateDirectory::~PrivateDirectory() {
    std::error_code ignored;
    if (!path_.empty())
        std::filesystem::remove_all(path_, ignored);
}

Status PrivateDirectory::write(const std::string& name, const std::string& content) const {
    std::ofstream out(file(name), std::ios::binary);
    out << content;
    out.close();
    return out ? success()
               : Status(error("the temporary file " + file(name) + " cannot be written"));
}

Result<std::string> PrivateDirectory::read(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    std::ostringstream content;
    content << in.rdbuf();
    if (!in)
        return error("the temporary file " + file(name) + " cannot be read");
    return content.str();
}

} // namespace loopscope
