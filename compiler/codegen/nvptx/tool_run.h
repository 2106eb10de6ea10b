#pragma once
// Running a program of the CUDA toolkit in a directory of its own, with a limit of time.

#include "core/base/result.h"

#include <string>
#include <vector>

namespace loopscope::codegen {

// A directory that is this process's alone, and gone with the object.
class PrivateDirectory {
public:
    static Result<PrivateDirectory> make();
    PrivateDirectory(PrivateDirectory&& other) noexcept : path_(std::move(other.path_)) {
        other.path_.clear();
    }
    PrivateDirectory& operator=(PrivateDirectory&&) = delete;
    ~PrivateDirectory();
    std::string file(const std::string& name) const { return path_ + "/" + name; }
    Status write(const std::string& name, const std::string& content) const;
    Result<std::string> read(const std::string& name) const;

private:
    explicit PrivateDirectory(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

struct ToolEnd {
    int status = 0;     // what it exited with, or 128 + the signal that ended it
    std::string output; // standard output and standard error together
};

// Runs a program. Errors: it cannot be started; it took more than `seconds` (code "time-limit"),
// and was ended with all that it started.
Result<ToolEnd> run_tool(const std::string& program, const std::vector<std::string>& arguments,
                         const PrivateDirectory& directory, double seconds);

} // namespace loopscope::codegen
