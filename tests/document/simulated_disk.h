#pragma once
// What a disk may hold after a power cut.

#include "tests/document/faulty_files.h"

#include <random>

namespace loopscope::session::test {

// Writes into the folder `to` what may be left of the folder `from`, of a program that made the
// first `count` of those calls: of what was not synced any sectors, in any order; of names that
// came and went any beginning.
void leave_after_cut(const std::vector<FileCall>& calls, std::size_t count, const std::string& from,
                     const std::string& to, std::mt19937& random);

} // namespace loopscope::session::test
