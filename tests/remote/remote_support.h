#pragma once
// A small program for GPUs elsewhere, and the command line in the background.

#include "tests/gpu/bundle_support.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

namespace loopscope::test {

#define NEEDS(host)                                                                                \
    if (!(host).missing().empty())                                                                 \
    GTEST_SKIP() << (host).missing()

// blur in one kernel at a small size, and what the driver there takes its kernel for.
struct Blur {
    std::string schedule = write_file("blur.sched", kBlurInOneKernel);
    std::string meaning = meaning_of(pipeline("blur"), schedule, {{"H", 40}, {"W", 70}});

    std::vector<std::string> arguments(const std::string& verb, const std::string& place,
                                       const std::vector<std::string>& more = {}) const {
        std::vector<std::string> all{
            verb,      pipeline("blur"), "-s",   schedule, "--param",   "H=40",
            "--param", "W=70",           "--on", place,    "--timeout", "120"};
        if (verb == "measure")
            all.insert(all.end(), {"--budget", "0.1"});
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    template <typename Host>
    Outcome on(const Host& host, const std::string& verb,
               const std::vector<std::string>& more = {}) const {
        return host.cli(arguments(verb, host.place(), more));
    }
};

// Waits until it holds, a minute at most.
template <typename Holds> bool soon(Holds holds) {
    for (int i = 0; i < 1200; ++i) {
        if (holds())
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
}

// The CLI in the background: what it says, and its process.
class Background {
public:
    Background(const std::string& variables, const std::vector<std::string>& arguments,
               const std::string& cache)
        : folder_(scratch_folder()) {
        auto command = variables + "; export XDG_CACHE_HOME=" + cache + "; '" +
                       program_path("loopscope-cli") + "'";
        for (const auto& argument : arguments)
            command += " '" + argument + "'";
        command = "(" + command + " >" + folder_ + "/out 2>" + folder_ + "/err & echo $! >" +
                  folder_ + "/pid; wait $!; echo $? >" + folder_ + "/status) &";
        static_cast<void>(std::system(command.c_str()));
        wait_for("pid");
    }
    int process() const { return std::stoi(read_file(folder_ + "/pid")); }
    int status() const {
        wait_for("status");
        return std::stoi(read_file(folder_ + "/status"));
    }
    std::string err() const { return read_file(folder_ + "/err"); }

private:
    void wait_for(const char* file) const {
        const auto path = folder_ + "/" + file;
        EXPECT_TRUE(soon([&] {
            return std::filesystem::exists(path) && std::filesystem::file_size(path) > 0;
        })) << file;
    }
    std::string folder_;
};

} // namespace loopscope::test
