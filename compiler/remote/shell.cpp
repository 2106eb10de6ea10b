#include "compiler/remote/shell.h"

#include "compiler/protocol/worker_client.h"
#include "compiler/remote/shell_streams.h"
#include "compiler/remote/ssh_command.h"

namespace loopscope::remote {

Shell::Shell(std::string host) : host_(std::move(host)) {}

std::string Shell::name() const { return host_.empty() ? "this machine" : host_; }

Result<ShellEnd> Shell::run(const ShellRun& run) const {
    // Start-up files there may print whatever they like before the script begins. Messages are read
    // in English.
    const auto script = "LC_ALL=C; export LC_ALL; echo " + std::string(kBegin) + "; " + run.script;
    auto command = command_of(host_, script);
    if (!command)
        return command.errors();
    auto process = measure::WorkerProcess::start(command->program, command->arguments, {});
    if (!process)
        return coded_error(measure::kCodeTarget, name() + ": " + process.errors().front().message);
    ShellStreams streams(**process, run);
    if (auto done = streams.until_end(); !done) {
        (*process)->finish(true);
        auto reasons = done.errors();
        if (reasons.front().code != measure::kCodeCancelled)
            reasons.front().message = name() + ": " + reasons.front().message;
        return reasons;
    }
    const auto end = (*process)->finish(false);
    if (!host_.empty() && (end.by_signal || end.status == kSshFailed))
        return ssh_failure(host_, streams.errors);
    return ShellEnd{end.by_signal ? 128 + end.signal : end.status, std::move(streams.output),
                    std::move(streams.errors)};
}

std::string shell_word(const std::string& text) {
    std::string word = "'";
    for (char c : text)
        if (c == '\'' || c == '\\') // fish has a backslash within quotes
            word += std::string("'\\") + c + "'";
        else
            word += c;
    return word + "'";
}

} // namespace loopscope::remote
