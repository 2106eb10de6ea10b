#pragma once
// Bundles of one small job, and loopscope-agent with the fake driver.

#include "tests/gpu/gpu_support.h"
#include "tests/support/support.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace loopscope::test {

// blur in one kernel, its horizontal pass in the blocks of its vertical one.
extern const char* const kBlurInOneKernel;

// Without ado: what is there is written over.
void overwrite(const std::string& path, const std::string& text);

// blur, in one kernel, at a small size, packed by loopscope-cli.
class Bundled {
public:
    Bundled();

    nlohmann::json manifest() const;
    void change(const std::function<void(nlohmann::json&)>& how) const;
    // The file of the first expected result, "KEY" of its entry.
    std::string file_of(const char* key) const;

    std::string folder;
    std::string meaning; // what the fake driver computes for the kernel
    Outcome made;
};

Outcome run_agent(const std::vector<std::string>& arguments, const Settings& settings = {});
// `loopscope-agent run` of the bundle, whose results go to the file `results`.
Outcome run_bundle(const Bundled& bundle, const std::string& results, Settings settings = {},
                   const std::vector<std::string>& more = {});

} // namespace loopscope::test
