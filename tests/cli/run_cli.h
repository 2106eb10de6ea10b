#pragma once
// Runs the real loopscope-cli and gives back what it wrote and how it ended.

#include <string>
#include <vector>

namespace loopscope::test {

struct Outcome {
    int status = -1;
    std::string out, err;
};

// The user's cache directory is a folder of this test program. `standard_output`: where it goes in
// place of `out`, such as /dev/full. `before`: what the shell does first.
Outcome run_cli(const std::vector<std::string>& arguments, const std::string& standard_output = "",
                const std::string& before = "");
std::string cli_cache(); // that folder

std::string pipeline(const std::string& name); // resources/pipelines/NAME.loop
std::string schedule(const std::string& name); // resources/pipelines/NAME.cpu.sched
std::string write_file(const std::string& name,
                       const std::string& text); // in a fresh folder; its path

// Arguments that make the shipped programs small.
std::vector<std::string> small(const std::string& name);

} // namespace loopscope::test
