#pragma once
// A place for temporary files.

#include "core/base/result.h"

#include <string>

namespace loopscope {

// A directory that is this process's alone, and gone with the object.
class PrivateDirectory {
public:
    static Result<PrivateDirectory> make();
    PrivateDirectory(PrivateDirectory&& other) noexcept : path_(std::move(other.path_)) {
        other.path_.clear();
    }
    PrivateDirectory& operator=(PrivateDirectory&&) = delete;
    ~PrivateDirectory();
    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }
    Status write(const std::string& name, const std::string& content) const;
    Result<std::string> read(const std::string& name) const;

private:
    explicit PrivateDirectory(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

} // namespace loopscope
