#pragma once
// One child process with pipes on its three standard streams.

#include "compiler/protocol/spawn.h"

#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace loopscope::measure {

class WorkerProcess {
public:
    // Errors: the program cannot be started, with the system's reason.
    static Result<std::unique_ptr<WorkerProcess>>
    start(const std::string& program, const std::vector<std::string>& arguments,
          const std::vector<std::string>& environment);
    ~WorkerProcess(); // closes its input, gives it a moment to end, then kills it
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    pid_t pid() const { return pid_; }
    int input() const { return input_; }   // written by us
    int output() const { return output_; } // read by us
    int errors() const { return errors_; } // read by us; does not block

    // Ends it now (if `kill`) or waits a moment for its end, and says how it ended.
    ProcessEnd finish(bool kill);

private:
    WorkerProcess() = default;
    pid_t pid_ = -1;
    int input_ = -1, output_ = -1, errors_ = -1;
};

} // namespace loopscope::measure
