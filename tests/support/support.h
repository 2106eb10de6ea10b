#pragma once
// Shared by all tests: where the sources, the programs and scratch folders are; reading and
// comparing golden files.

#include <cstdint>
#include <string>

namespace loopscope::test {

std::string source_path(const std::string& relative); // a file of the repository
std::string program_path(const std::string& name);    // build/bin/NAME
std::string read_file(const std::string& path);       // throws if it cannot be read
// A number in the environment, such as how many random pairs to draw.
std::uint64_t setting(const char* name, std::uint64_t otherwise);
// A fresh empty folder, removed when the process ends.
std::string scratch_folder();
// Compares with tests/golden/NAME; a missing file fails. LOOPSCOPE_UPDATE_GOLDEN=1 writes it
// instead, and fails too, so that an update is never mistaken for a pass.
::std::string golden_difference(const std::string& name, const std::string& actual);

} // namespace loopscope::test
