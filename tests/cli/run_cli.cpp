#include "tests/cli/run_cli.h"

#include "tests/support/support.h"

#include <cstdlib>
#include <fstream>
#include <map>

#include <sys/wait.h>

namespace loopscope::test {

namespace {

std::string shell_word(const std::string& text) {
    std::string result = "'";
    for (char c : text)
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

} // namespace

std::string cli_cache() {
    static const std::string cache = scratch_folder();
    return cache;
}

Outcome run_cli(const std::vector<std::string>& arguments, const std::string& standard_output,
                const std::string& before) {
    auto folder = scratch_folder();
    auto command = before + (before.empty() ? "" : "; ") +
                   "XDG_CACHE_HOME=" + shell_word(cli_cache()) + " " +
                   shell_word(program_path("loopscope-cli"));
    for (const auto& argument : arguments)
        command += " " + shell_word(argument);
    auto out = standard_output.empty() ? folder + "/out" : standard_output;
    command += " >" + shell_word(out) + " 2>" + shell_word(folder + "/err") + " </dev/null";
    int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            standard_output.empty() ? read_file(out) : "", read_file(folder + "/err")};
}

std::string pipeline(const std::string& name) {
    return source_path("resources/pipelines/" + name + ".loop");
}
std::string schedule(const std::string& name) {
    return source_path("resources/pipelines/" + name + ".cpu.sched");
}

std::string write_file(const std::string& name, const std::string& text) {
    auto path = scratch_folder() + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

std::vector<std::string> small(const std::string& name) {
    static const std::map<std::string, std::vector<std::string>> sizes{
        {"blur", {"--param", "H=48", "--param", "W=80"}},
        {"harris", {"--param", "H=40", "--param", "W=72"}},
        {"matmul", {"--param", "M=24", "--param", "N=40", "--param", "K=32"}},
    };
    return sizes.at(name);
}

} // namespace loopscope::test
