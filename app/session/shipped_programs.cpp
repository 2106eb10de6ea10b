#include "app/session/shipped_programs.h"

#include "compiler/protocol/paths.h"
#include "core/base/json_text.h"
#include "core/base/text_file.h"
#include "core/language/schedule_syntax.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace loopscope::session {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "loopscope-programs/1";
constexpr std::size_t kMostBytes = 1 << 20;

std::string folder() { return measure::resource_folder() + "/pipelines/"; }

// Throws nlohmann's exceptions where a key is missing or of another type.
ShippedProgram program_of(const nlohmann::json& entry, const std::string& group) {
    ShippedProgram program;
    program.name = entry.at("name").get<std::string>();
    program.group = group;
    program.teaches = entry.at("teaches").get<std::string>();
    program.stages = entry.at("stages").get<int>();
    program.file = folder() + program.name + ".loop";
    return program;
}

bool has_instructions_of(const Directive& directive, const device::Gpu& gpu) {
    bool has = true;
    visit_fields(
        directive.read_fields(),
        [&](const char*, const field::Intrinsic& named) {
            has = has && gpu.has_intrinsic(named.value);
        },
        [](const char*, const auto&) {});
    return has;
}

// A file that cannot be read suits no GPU.
bool suits(const std::string& file, const device::Device& device) {
    if (!device.gpu) // no instruction is named in what is for processors
        return true;
    const auto text = read_text_file(file, {});
    if (!text)
        return false;
    const auto lines = read_schedule(*text).statements;
    return std::all_of(lines.begin(), lines.end(), [&](const auto& line) {
        return !line.directive || has_instructions_of(*line.directive, *device.gpu);
    });
}

} // namespace

Result<std::vector<ShippedProgram>> shipped_programs() {
    const auto file = folder() + "programs.json";
    const std::string remedy = "an index of programs is an object of the format " +
                               std::string(kFormat) + ", with groups of programs";
    const auto index = read_json_file(file, kMostBytes, remedy);
    if (!index)
        return index.errors();
    if (!index->is_object() || text_or(*index, "format", {}) != kFormat)
        return error(file + " is no index of programs", remedy);
    std::vector<ShippedProgram> programs;
    try {
        for (const auto& group : index->at("groups")) {
            const auto title = group.at("title").get<std::string>();
            for (const auto& entry : group.at("programs"))
                programs.push_back(program_of(entry, title));
        }
    } catch (const nlohmann::json::exception& reason) {
        return error(file + ": " + words_of(reason), remedy);
    }
    return programs;
}

ShippedSchedules::ShippedSchedules() {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder(), ignored))
        if (entry.path().extension() == ".sched")
            files_.push_back(entry.path().string());
    std::sort(files_.begin(), files_.end());
}

std::vector<std::string> ShippedSchedules::of_kind(const std::string& program,
                                                   const device::Device& device) const {
    const auto begins = folder() + program + (device.gpu ? ".gpu" : ".cpu");
    std::vector<std::string> files;
    std::copy_if(files_.begin(), files_.end(), std::back_inserter(files),
                 [&](const auto& file) { return file.starts_with(begins); });
    return files;
}

std::vector<std::string> ShippedSchedules::suited(const std::string& program,
                                                  const device::Device& device) const {
    auto files = of_kind(program, device);
    std::erase_if(files, [&](const auto& file) { return !suits(file, device); });
    return files;
}

bool ShippedSchedules::any_suits(const std::string& program, const device::Device& device) const {
    const auto files = of_kind(program, device);
    return std::any_of(files.begin(), files.end(),
                       [&](const auto& file) { return suits(file, device); });
}

} // namespace loopscope::session
