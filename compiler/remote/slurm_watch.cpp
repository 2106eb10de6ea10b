#include "compiler/remote/slurm_watch.h"

#include "compiler/gpu/codes.h"
#include "compiler/protocol/worker_client.h"
#include "compiler/remote/folder_there.h"
#include "core/base/clock.h"
#include "core/base/number_text.h"

#include <algorithm>
#include <sstream>
#include <thread>

namespace loopscope::remote {

namespace {

constexpr double kMinPauseSeconds = 0.3, kMaxPauseSeconds = 10;
constexpr double kMaxBrokenSeconds = 900; // without any answer
// After a task's end: by a network's file system another machine sees a file a minute later.
constexpr double kPatienceSeconds = 90, kPatienceAfterFailure = 10;
constexpr std::size_t kMaxAtOnce = 50; // files that one answer brings
constexpr const char* kHopeless = "slurm-hopeless";
constexpr char kMark = '\x1e'; // before each: no JSON text has it

class Watcher {
public:
    explicit Watcher(SlurmWatch& watch) : watch_(watch) {}

    Status run() {
        while (!watch_.files.empty()) {
            if (auto may = may_go_on(); !may)
                return ended(may);
            auto tasks = watch_.job.tasks(each());
            auto asked = tasks ? look(*tasks) : Status(tasks.errors());
            if (asked) {
                answered_ = Clock::now();
                pause();
                continue;
            }
            auto errors = asked.errors();
            const bool hopeless = errors.front().code == kHopeless;
            if (hopeless)
                errors.front().code = measure::kCodeTarget;
            if (hopeless || errors.front().code == measure::kCodeCancelled)
                return ended(errors);
            // The array goes on without us: it is left alone, and asked for again.
            if (seconds_since(answered_) > kMaxBrokenSeconds)
                return lost(asked.errors().front());
            watch_.on_progress(watch_.shell.name() + " does not answer; trying again");
            pause();
        }
        const auto last = watch_.before_the_end ? watch_.before_the_end() : success();
        remove_folder(watch_.shell, watch_.folder);
        return last;
    }

private:
    Waiting each() const { return {60, watch_.waiting.cancel}; }

    bool cancelled() const { return watch_.waiting.cancel && watch_.waiting.cancel->load(); }

    // By the person's word, or their time: the array ends too.
    Status ended(const Status& why) const {
        auto cancelled = watch_.job.cancel(watch_.folder);
        if (cancelled)
            return why;
        auto errors = why.errors();
        errors.push_back(cancelled.errors().front());
        return errors;
    }

    Status lost(const Diagnostic& why) const {
        return coded_error(gpu::kCodeConnection,
                           why.message + "; the job " + watch_.job.number() +
                               " goes on there, in " + watch_.folder,
                           "`scancel " + watch_.job.number() + "` there ends it");
    }

    Status may_go_on() const {
        if (cancelled())
            return coded_error(measure::kCodeCancelled, "cancelled");
        if (seconds_since(watch_.waiting.begin) > watch_.waiting.timeout_seconds)
            return coded_error(measure::kCodeTimeout,
                               "no answer within " +
                                   general_text(watch_.waiting.timeout_seconds, 3) + " s" +
                                   (reason_.empty() ? "" : ": the queue says " + reason_),
                               "a queue may take long: --timeout allows more");
        return success();
    }

    void pause() {
        const auto until = Clock::now() + std::chrono::duration<double>(pause_);
        while (Clock::now() < until && !cancelled())
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        pause_ = std::min(pause_ * 1.3, kMaxPauseSeconds);
    }

    Status look(const std::map<int, SlurmTask>& tasks) {
        auto there = files_there();
        if (!there)
            return there.errors();
        const bool news = !there->empty();
        if (auto taken = take(*there); !taken)
            return taken;
        if (news)
            pause_ = kMinPauseSeconds;
        say(tasks);
        for (const auto& [number, task] : tasks)
            if (task.hopeless())
                return coded_error(kHopeless,
                                   "Slurm will never run the job " + watch_.job.number() + ": " +
                                       task.reason,
                                   "compare the partition's limits (`scontrol show partition`)");
        // A copy: what is given up is erased.
        for (const auto& [file, task] : std::map(watch_.files)) {
            const auto found = tasks.find(task);
            const bool gone = found == tasks.end();
            if (!gone && !found->second.ended())
                continue;
            const auto since = ended_.emplace(file, Clock::now()).first->second;
            // Slurm keeps what has run for minutes: a task that is gone was cancelled in the queue.
            const bool well = !gone && found->second.state == "COMPLETED";
            if (seconds_since(since) > (well ? kPatienceSeconds : kPatienceAfterFailure))
                give_up(file, task,
                        gone ? "is not there any more" : "ended as " + found->second.state);
        }
        return success();
    }

    // Of those that are waited for.
    Result<std::vector<std::string>> files_there() const {
        ShellRun run;
        // Making a file has a network's file system look again at what is there.
        run.script = "cd " + shell_word(watch_.folder) + " && : > .look && rm -f .look && ls";
        run.waiting = each();
        auto end = watch_.shell.run(run);
        if (!end)
            return end.errors();
        if (end->status != 0)
            return coded_error(gpu::kCodeConnection, "the job's folder on " + watch_.shell.name() +
                                                         " cannot be read: " + said_by(*end));
        std::vector<std::string> there;
        std::istringstream lines(end->output);
        for (std::string line; std::getline(lines, line);)
            if (watch_.files.count(line))
                there.push_back(line);
        return there;
    }

    Status take(const std::vector<std::string>& there) {
        for (std::size_t begin = 0; begin < there.size(); begin += kMaxAtOnce) {
            const auto end = std::min(there.size(), begin + kMaxAtOnce);
            ShellRun run;
            run.script = "cd " + shell_word(watch_.folder) + " && for f in";
            for (auto i = begin; i < end; ++i)
                run.script += " " + shell_word(there[i]);
            run.script += "; do printf '\\036%s\\n' \"$f\" && cat \"$f\" || exit 1; done";
            run.waiting = each();
            auto answer = watch_.shell.run(run);
            if (!answer)
                return answer.errors();
            if (answer->status != 0)
                return coded_error(gpu::kCodeConnection,
                                   "results on " + watch_.shell.name() +
                                       " cannot be read: " + said_by(*answer));
            split(answer->output);
        }
        return success();
    }

    void split(const std::string& output) {
        for (std::size_t at = output.find(kMark); at != std::string::npos;) {
            const auto line = output.find('\n', at);
            const auto next = output.find(kMark, at + 1);
            const auto name = output.substr(at + 1, line - at - 1);
            if (line != std::string::npos && watch_.files.erase(name))
                watch_.on_file(
                    name,
                    output.substr(line + 1, next == std::string::npos ? next : next - line - 1));
            at = next;
        }
    }

    void give_up(const std::string& file, int task, const std::string& how) {
        ShellRun run;
        run.script =
            "tail -c 300 " + shell_word(watch_.folder + "/slurm-" + std::to_string(task) + ".log");
        run.waiting = each();
        auto end = watch_.shell.run(run);
        const auto said = end && end->status == 0 ? last_words(end->output) : std::string();
        watch_.files.erase(file);
        watch_.on_missing(file, "its task " + watch_.job.number() + "_" + std::to_string(task) +
                                    " " + how + (said.empty() ? "" : ": " + said));
    }

    void say(const std::map<int, SlurmTask>& tasks) {
        std::size_t waiting = 0, running = 0;
        std::string reason;
        for (const auto& [number, task] : tasks) {
            running += task.state == "RUNNING";
            if (task.state != "PENDING")
                continue;
            ++waiting;
            reason = task.reason;
        }
        reason_ = waiting > 0 && reason != "None" ? reason : "";
        watch_.on_progress("job " + watch_.job.number() + ": " + std::to_string(running) +
                           " running, " + std::to_string(waiting) + " in the queue" +
                           (reason_.empty() ? "" : " (" + reason_ + ")") + ", " +
                           std::to_string(watch_.files.size()) + " left");
    }

    SlurmWatch& watch_;
    Clock::time_point answered_ = Clock::now();
    double pause_ = kMinPauseSeconds;
    std::string reason_;                             // for which some wait
    std::map<std::string, Clock::time_point> ended_; // whose file is not there
};

} // namespace

Status watch(SlurmWatch watch) { return Watcher(watch).run(); }

} // namespace loopscope::remote
