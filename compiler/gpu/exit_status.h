#pragma once
// Exit statuses of the programs that people and scripts start: loopscope-cli and loopscope-agent
// (the help of both lists them).

#include "core/base/diagnostic.h"

namespace loopscope {

enum ExitStatus {
    kRight = 0,        // done and right
    kWrong = 1,        // `check`: the result is wrong
    kBadInput = 2,     // the input is bad
    kNoTarget = 3,     // the target or device is not there
    kLimitReached = 4, // a resource or time limit; also a worker that ended before it answered
    kBug = 70,         // of the program: what no input should lead to (EX_SOFTWARE)
};

// Of a program that ends with them: the gravest that the errors' codes mean
// (compiler/protocol/worker_client.h, gpu/codes.h). One without a code is the input's.
int exit_status(const Diagnostics& diagnostics);

} // namespace loopscope
