#include "tests/gpu/bundle_support.h"

#include <fstream>
#include <utility>

#include <sys/wait.h>

namespace loopscope::test {

using nlohmann::json;

const char* const kBlurInOneKernel =
    "schedule for blur\nout.gpu_tile(y, x, yo, xo, yi, xi, 8, 32)\n"
    "blur_x.compute_at(out, xo)\n";

void overwrite(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

Bundled::Bundled() : folder(scratch_folder() + "/bundle") {
    const auto schedule = write_file("blur.sched", kBlurInOneKernel);
    meaning = meaning_of(pipeline("blur"), schedule, {{"H", 40}, {"W", 70}});
    made = run_cli({"bundle", folder, "--arch", "sm_80,sm_90", "--job",
                    "small=" + pipeline("blur") + "," + schedule + ",H=40,W=70"});
}

json Bundled::manifest() const { return json::parse(read_file(folder + "/manifest.json")); }

void Bundled::change(const std::function<void(json&)>& how) const {
    auto changed = manifest();
    how(changed);
    overwrite(folder + "/manifest.json", changed.dump());
}

std::string Bundled::file_of(const char* key) const {
    const auto job = manifest().at("jobs").at(0);
    return folder + "/" +
           job.at("checks").at(0).at("expected").at(0).at(key).at("file").get<std::string>();
}

Outcome run_agent(const std::vector<std::string>& arguments, const Settings& settings) {
    const auto folder = scratch_folder();
    auto command = driver_variables(settings) + "; '" + program_path("loopscope-agent") + "'";
    for (const auto& argument : arguments)
        command += " '" + argument + "'";
    command += " >" + folder + "/out 2>" + folder + "/err </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder + "/out"),
            read_file(folder + "/err")};
}

Outcome run_bundle(const Bundled& bundle, const std::string& results, Settings settings,
                   const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"run", bundle.folder, "--out", results, "--budget", "0.1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    settings.emplace("FAKE_CUDA_PROGRAMS", bundle.meaning);
    return run_agent(arguments, settings);
}

} // namespace loopscope::test
