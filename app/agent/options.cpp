#include "app/agent/options.h"
#include "core/base/number_text.h"
#include "core/base/text_file.h"

#include <charconv>
#include <cmath>
#include <sstream>

namespace loopscope::agent {

namespace {

const char* const kHelp =
    R"(loopscope-agent: runs jobs that `loopscope-cli bundle` has packed, on this machine's GPU.

  loopscope-agent run FOLDER [options]      checks and times all jobs, each in a process of its own
  loopscope-agent devices [--measure]       the GPUs of this machine, as JSON; measured: with what they reach

  --out FILE               where the results go, after each job; `results.json` without it; `-`: a line of JSON on standard
                           output for each
  --job NAME               this job only; may be repeated
  --jobs-from FILE         those that the file names, a line each
  --cache warm|cold|both|none   times with what executions leave in the L2 cache, with an emptied one, or both; or none
  --budget SECONDS         of timing, for each time; 2 without it
  --kernel-timeout SECONDS after which a kernel is taken to hang; 20 without it
  --job-timeout SECONDS    after which a job's process is ended; 300 without it
  --device N               the GPU's number; 0 without it
  --heartbeat SECONDS      ends itself and its job once standard input has ended, or has said nothing for so long

Needs NVIDIA's driver (libcuda.so.1, or what LOOPSCOPE_CUDA_LIBRARY names), and nothing else.
Exit status: 0 all jobs right; 1 a job's result is wrong; 2 the bundle or the command line is bad; 3 no driver or no GPU;
4 a job did not come to its end, a disk is full, or the driver gave up.
)";

bool read_number(const std::string& text, double& value) {
    auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failed == std::errc() && end == text.data() + text.size() && std::isfinite(value) &&
           value > 0;
}

class Parser {
public:
    explicit Parser(const std::vector<std::string>& arguments) : arguments_(arguments) {}

    Result<Options> parse() {
        if (arguments_.empty() || arguments_[0] == "--help" || arguments_[0] == "-h")
            return options_;
        const auto& verb = arguments_[0];
        if (verb == "--version")
            options_.verb = Options::Verb::Version;
        else if (verb == "run")
            options_.verb = Options::Verb::Run;
        else if (verb == "job")
            options_.verb = Options::Verb::Job;
        else if (verb == "devices")
            options_.verb = Options::Verb::Devices;
        else
            return error("there is no verb `" + verb + "`", "the verbs are run and devices");
        for (next_ = 1; next_ < arguments_.size(); ++next_)
            if (arguments_[next_] == "--help" || arguments_[next_] == "-h")
                return Options();
        for (next_ = 1; next_ < arguments_.size(); ++next_)
            if (auto taken = take(arguments_[next_]); !taken)
                return taken.errors();
        const bool needs_folder =
            options_.verb == Options::Verb::Run || options_.verb == Options::Verb::Job;
        if (needs_folder && options_.folder.empty())
            return error("`" + verb + "` needs the bundle's folder");
        return options_;
    }

private:
    Status take(const std::string& argument) {
        if (argument == "--measure")
            options_.measure = true;
        else if (argument == "--out")
            return text(argument, options_.out);
        else if (argument == "--cache")
            return cache(argument);
        else if (argument == "--job")
            return text(argument, options_.jobs.emplace_back());
        else if (argument == "--jobs-from")
            return names(argument);
        else if (argument == "--budget")
            return number(argument, options_.budget_seconds);
        else if (argument == "--kernel-timeout")
            return number(argument, options_.kernel_seconds);
        else if (argument == "--job-timeout")
            return number(argument, options_.job_seconds);
        else if (argument == "--heartbeat")
            return number(argument, options_.heartbeat_seconds);
        else if (argument == "--device")
            return device(argument);
        else if (argument.rfind("-", 0) == 0 || !options_.folder.empty())
            return error("`" + argument + "` is not understood", "see --help");
        else
            options_.folder = argument;
        return success();
    }

    Status text(const std::string& option, std::string& value) {
        if (++next_ >= arguments_.size())
            return error("`" + option + "` needs a value");
        value = arguments_[next_];
        return success();
    }

    Status names(const std::string& option) {
        constexpr std::size_t kMaxBytes = 4 << 20;
        std::string path;
        if (auto given = text(option, path); !given)
            return given;
        auto file = read_text_file(path, {kMaxBytes, ""});
        if (!file)
            return file.errors();
        std::istringstream lines((*file)->text());
        for (std::string line; std::getline(lines, line);)
            options_.jobs.push_back(line);
        return options_.jobs.empty() ? Status(error("`" + option + " " + path + "` names no job"))
                                     : success();
    }

    Status number(const std::string& option, double& value) {
        std::string digits;
        if (auto given = text(option, digits); !given)
            return given;
        return read_number(digits, value)
                   ? success()
                   : Status(error("`" + option + " " + digits + "`: must be a positive number"));
    }

    Status cache(const std::string& option) {
        if (auto given = text(option, options_.cache); !given)
            return given;
        for (auto known : {"warm", "cold", "both", "none"})
            if (options_.cache == known)
                return success();
        return error("`--cache " + options_.cache + "`: must be warm, cold, both or none");
    }

    Status device(const std::string& option) {
        std::string digits;
        if (auto given = text(option, digits); !given)
            return given;
        auto [end, failed] =
            std::from_chars(digits.data(), digits.data() + digits.size(), options_.device);
        const bool whole = failed == std::errc() && end == digits.data() + digits.size();
        return whole && options_.device >= 0
                   ? success()
                   : Status(error("`--device " + digits + "`: must be a number from 0 on"));
    }

    const std::vector<std::string>& arguments_;
    std::size_t next_ = 0;
    Options options_;
};

} // namespace

const char* help() { return kHelp; }

Result<Options> parse(const std::vector<std::string>& arguments) {
    return Parser(arguments).parse();
}

std::vector<std::string> Options::job_arguments(const std::string& job) const {
    return {"job",
            folder,
            "--job",
            job,
            "--cache",
            cache,
            "--budget",
            general_text(budget_seconds, 9),
            "--device",
            std::to_string(device),
            "--kernel-timeout",
            general_text(kernel_seconds, 9)};
}

} // namespace loopscope::agent
