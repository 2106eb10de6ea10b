#pragma once
// One verb, one file. A command gets its options as values, writes to a console, and returns an
// exit status.

#include "compiler/gpu/exit_status.h"
#include "core/base/diagnostic.h"
#include "core/base/text_file.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace loopscope::cli {

struct Options {
    std::string file;              // the .loop file; `format`: either kind
    std::string schedule;          // -s; empty: the default schedule
    FileKind kind = FileKind::Any; // of those two
    std::map<std::string, std::int64_t> params;
    std::string device = "host";
    bool device_given = false;
    std::string model; // --model; empty: the first, "all": every one
    std::string target = "cpu";
    std::string on; // --on: a place of GPUs elsewhere; empty: here
    std::string emit_target = "auto";
    std::string as = "loops"; // --as
    std::string arch;
    std::vector<std::string> architectures;     // bundle --arch
    std::vector<std::string> bundle_jobs;       // --job
    std::string jobs_file;                      // --jobs
    std::string results_file, peer_file;        // --results, --peer
    bool with_agent = false;                    // --with-agent
    bool with_main = false;                     // --main
    std::string output_file;                    // -o
    std::map<std::string, std::string> inputs;  // --input NAME=FILE
    std::map<std::string, std::string> outputs; // --output NAME=FILE
    bool json = false;
    bool dot = false;
    bool probe = false;
    bool check_first = false;  // measure --check
    int threads = 0;           // 0: all cores
    double budget_seconds = 0; // 0: the verb's own
    double kernel_seconds = 0; // --kernel-timeout; 0: the worker's own
    std::string cache;         // --cache: "warm", "cold"; empty: not said
    double timeout_seconds = 600;
    std::uint64_t seed = 1;
    double tolerance = -1; // below 0: the rule of languages.md
};

struct Console {
    std::ostream& out;
    std::ostream& err;
    bool progress = false; // standard error is a terminal: show what the worker does

    // Writes diagnostics to `err`, and gives the exit status that they mean.
    int fail(const Diagnostics& diagnostics) const;
    void warn(const Diagnostics& diagnostics) const;
    int print(const nlohmann::json& object) const; // one object, indented; returns kRight
};

struct Command {
    const char* name;
    int (*run)(const Options& options, const Console& console);
};
// Those of this version, a line each.
const std::vector<Command>& commands();

int run_show(const Options& options, const Console& console);
int run_tree(const Options& options, const Console& console);
int run_check(const Options& options, const Console& console);
int run_run(const Options& options, const Console& console);
int run_estimate(const Options& options, const Console& console);
int run_measure(const Options& options, const Console& console);
int run_emit(const Options& options, const Console& console);
int run_devices(const Options& options, const Console& console);
int run_bundle(const Options& options, const Console& console);
int run_lint(const Options& options, const Console& console);
int run_expand(const Options& options, const Console& console);
int run_format(const Options& options, const Console& console);

} // namespace loopscope::cli
