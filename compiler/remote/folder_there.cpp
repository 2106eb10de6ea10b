#include "compiler/remote/folder_there.h"

#include "compiler/protocol/worker_client.h"
#include "core/base/printable.h"
#include "core/base/private_directory.h"
#include "core/base/system_error.h"

#include <algorithm>

namespace loopscope::remote {

namespace {

constexpr std::size_t kMaxArchive = std::size_t{4} << 30;
constexpr double kRemoveSeconds = 10;

// Without what may lie beside the bundle and is not needed.
Result<std::string> archive_of(const std::string& folder, const std::vector<std::string>& jobs,
                               const Waiting& waiting) {
    auto directory = PrivateDirectory::make();
    if (!directory)
        return directory.errors();
    std::string names;
    for (const auto& job : jobs)
        names += job + "\n";
    if (auto written = directory->write(kJobsThere, names); !written)
        return written.errors();
    ShellRun run;
    run.script = "exec tar --exclude=./loopscope-agent -cf - -C " + shell_word(folder) +
                 " ./manifest.json ./jobs -C " + shell_word(directory->path()) + " " + kJobsThere;
    run.max_output = kMaxArchive;
    run.waiting = waiting;
    auto end = Shell("").run(run);
    if (!end)
        return end.errors();
    if (end->status != 0)
        return error("tar cannot pack " + folder + ": " + said_by(*end),
                     "bundles travel as archives of the tar that is installed here");
    return std::move(end->output);
}

} // namespace

std::string last_words(std::string_view text) {
    constexpr std::size_t kMaxWords = 300;
    auto words = printable_text(text.substr(text.size() - std::min(text.size(), kMaxWords)));
    while (!words.empty() && words.back() == ' ')
        words.pop_back();
    return words;
}

std::string said_by(const ShellEnd& end) {
    const auto text = last_words(end.errors);
    return text.empty() ? "status " + std::to_string(end.status) : text;
}

Diagnostic not_written(const Shell& shell, const std::string& what, const ShellEnd& end) {
    const bool full = end.errors.find("No space left") != std::string::npos ||
                      end.errors.find("quota") != std::string::npos;
    return coded_error(full ? kCodeDiskFull : measure::kCodeTarget,
                       what + " cannot be copied to " + shell.name() + ": " + said_by(end),
                       full ? "make room there, in ~/.cache or where XDG_CACHE_HOME says"
                            : "it goes to ~/.cache/loopscope there, or where XDG_CACHE_HOME says");
}

Result<std::string> send_folder(const Shell& shell, const std::string& folder,
                                const std::vector<std::string>& jobs, const Waiting& waiting) {
    auto archive = archive_of(folder, jobs, waiting);
    if (!archive)
        return archive.errors();
    ShellRun run;
    run.script = std::string(kFolderThere) +
                 "find \"$b\" -maxdepth 1 -name 'run-*' -mtime +7 -exec rm -rf {} + 2>/dev/null; "
                 "mkdir -p \"$b\" && d=$(mktemp -d \"$b/run-XXXXXXXX\") && "
                 "tar --no-same-owner -C \"$d\" -xf - && printf %s \"$d\" || "
                 "{ test -n \"$d\" && rm -rf \"$d\"; exit 1; }";
    run.input = *archive;
    run.waiting = waiting;
    auto end = shell.run(run);
    if (!end)
        return end.errors();
    if (end->status != 0 || !end->output.starts_with('/'))
        return not_written(shell, "the bundle", *end);
    return end->output;
}

Result<std::string> fetch_file(const Shell& shell, const std::string& there,
                               const std::string& file, std::size_t bytes, const Waiting& waiting) {
    ShellRun run;
    run.script = "cat " + shell_word(there + "/" + file);
    run.max_output = bytes;
    run.waiting = waiting;
    auto end = shell.run(run);
    if (!end)
        return end.errors();
    if (end->status != 0 || end->output.size() != bytes)
        return coded_error(measure::kCodeProtocol, "the result " + file + " on " + shell.name() +
                                                       " is not whole: " + said_by(*end));
    return std::move(end->output);
}

void remove_folder(const Shell& shell, const std::string& there) {
    ShellRun run;
    run.script = "rm -rf " + shell_word(there);
    run.waiting = {kRemoveSeconds, nullptr};
    static_cast<void>(shell.run(run)); // else it goes when it is a week old
}

} // namespace loopscope::remote
