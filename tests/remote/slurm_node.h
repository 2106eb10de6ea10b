#pragma once
// A real Slurm of one node, this machine, with two "GPUs", for as long as the object lives; the
// fake driver (tests/gpu/fake_driver) stands in its jobs' environment.

#include "tests/gpu/gpu_support.h"

#include <string>
#include <vector>

namespace loopscope::test {

class SlurmNode {
public:
    SlurmNode();
    ~SlurmNode();
    SlurmNode(const SlurmNode&) = delete;

    // Empty: it runs. Else why it cannot: no Slurm here, or nobody who may start one.
    const std::string& missing() const { return missing_; }
    std::string place() const { return "slurm:gpu"; }

    // `settings`: variables of the jobs, beside those of the fake driver.
    std::string variables(const Settings& settings) const;
    Outcome cli(const std::vector<std::string>& arguments, const Settings& settings) const;
    // A command of Slurm's: what it says.
    std::string ask(const std::string& command) const;

    std::vector<std::string> run_folders() const; // of bundles, that are left
    int jobs() const;                             // that wait or run

private:
    bool start();
    std::string folder_, missing_;
};

} // namespace loopscope::test
