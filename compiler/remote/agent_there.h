#pragma once
// loopscope-agent on another machine: copied there once, into the person's cache folder, under a
// name that has its hash.

#include "compiler/remote/shell.h"

#include <nlohmann/json.hpp>

namespace loopscope::remote {

struct AgentThere {
    std::string command; // as a script calls it that began with kFolderThere
    std::string hash;    // of its bytes
};

// The start of every script: where our files are, as $b.
extern const char* const kFolderThere;
// For an agent whose standard input is kept awake (ShellRun::heartbeat): the seconds of silence
// after which nobody is here, and it ends.
extern const char* const kHeartbeatOption;

// Looks whether this program's agent is there, and copies it if it is not; with `anew` in any case.
// Errors: those of Shell::run; the machine is of another architecture or system; it cannot be
// written there (kCodeDiskFull where the disk is full).
Result<AgentThere> find_agent(const Shell& shell, const Waiting& waiting, bool anew = false);

// What `loopscope-agent devices` said at a place, for people `where`: "gpus"
// (compiler/gpu/device.h). Errors: no driver or no GPU there (kCodeTarget); the agent did not
// start, or is not the one of that hash (kCodeProtocol).
Result<nlohmann::json> devices_of(const std::string& where, const ShellEnd& end,
                                  const std::string& hash);

} // namespace loopscope::remote
