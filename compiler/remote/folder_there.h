#pragma once
// A folder on another machine that holds one bundle, as long as it is used.

#include "compiler/remote/agent_there.h"

namespace loopscope::remote {

constexpr const char* kJobsThere = "jobs.txt"; // the names of the jobs to run, a line each

// Brings the files of a bundle's folder there, with kJobsThere, into a new one below the person's
// cache folder; what is a week old there, and so nobody's, goes. Returns its path there.
// Errors: those of Shell::run; it cannot be written there (kCodeDiskFull where the disk is full);
// there is no `tar` here or there.
Result<std::string> send_folder(const Shell& shell, const std::string& folder,
                                const std::vector<std::string>& jobs, const Waiting& waiting);
// A file of it. Errors: those of Shell::run; it is not there, or of another length (kCodeProtocol).
Result<std::string> fetch_file(const Shell& shell, const std::string& there,
                               const std::string& file, std::size_t bytes, const Waiting& waiting);
void remove_folder(const Shell& shell, const std::string& there);

// What a script that failed says of the other machine's disk.
Diagnostic not_written(const Shell& shell, const std::string& what, const ShellEnd& end);
// The end of a text from there, as a message may have it; may be empty.
std::string last_words(std::string_view text);
// Of what a program said there, or else its status.
std::string said_by(const ShellEnd& end);

} // namespace loopscope::remote
