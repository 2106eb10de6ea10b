#pragma once
// The fake driver (fake_driver/README.md) in this process and in programs that tests start.

#include "tests/cli/run_cli.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::test {

using Settings = std::map<std::string, std::string>; // FAKE_CUDA_…

// Sets the fake driver's variables in this process as long as it lives, and mends what a test
// before has broken.
class FakeDriver {
public:
    explicit FakeDriver(Settings settings = {});
    ~FakeDriver();
    FakeDriver(const FakeDriver&) = delete;

private:
    Settings settings_;
};

// Runs loopscope-cli with the fake driver.
Outcome run_with_driver(const std::vector<std::string>& arguments, const Settings& settings = {});
// The same of any program: the variables, as a shell takes them.
std::string driver_variables(const Settings& settings);

// Lowers a pipeline under a schedule for GPUs and puts the loop program into a fresh folder, which
// FAKE_CUDA_PROGRAMS names; for a GPU of so many multiprocessors, where that is said.
std::string meaning_of(const std::string& pipeline, const std::string& schedule,
                       const std::map<std::string, std::int64_t>& params,
                       std::optional<int> multiprocessors = std::nullopt);

} // namespace loopscope::test
