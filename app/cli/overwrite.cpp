#include "app/cli/overwrite.h"

#include <filesystem>

namespace loopscope::cli {

namespace {

struct NamedFile {
    std::string what; // as messages call it
    std::string path;
};

std::vector<NamedFile> files_read(const Options& options, const std::string& device_file) {
    std::vector<NamedFile> files{{"the pipeline", options.file},
                                 {"the schedule", options.schedule},
                                 {"the device description", device_file}};
    for (const auto& [name, file] : options.inputs)
        files.push_back({"the array of the input `" + name + "`,", file});
    std::erase_if(files, [](const NamedFile& file) { return file.path.empty(); });
    return files;
}

std::vector<NamedFile> files_written(const Options& options) {
    std::vector<NamedFile> files;
    if (!options.output_file.empty())
        files.push_back({"-o " + options.output_file, options.output_file});
    for (const auto& [name, file] : options.outputs)
        files.push_back({"--output " + name + "=" + file, file});
    return files;
}

// A link, or another spelling of the path, is the same file. A device or a pipe holds nothing that
// could be lost.
bool same_file(const std::string& a, const std::string& b) {
    std::error_code missing; // a file that is not there yet is none that is read
    return std::filesystem::is_regular_file(a, missing) &&
           std::filesystem::equivalent(a, b, missing);
}

} // namespace

Status check_overwrites(const Options& options, const std::string& device_file) {
    Diagnostics errors;
    for (const auto& written : files_written(options))
        for (const auto& read : files_read(options, device_file))
            if (same_file(written.path, read.path))
                errors.push_back(error("`" + written.what + "` would overwrite " + read.what + " " +
                                           read.path + ", which is read",
                                       "name another file to write"));
    return errors.empty() ? success() : Status(errors);
}

} // namespace loopscope::cli
