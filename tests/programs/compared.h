#pragma once
// Which files of resources/pipelines these tests have compared with independent code. runs_of()
// notes them; when all tests have run, a file that nobody has noted fails: a program or a schedule
// is not added without such a test.

#include <string>

namespace loopscope::test {

void note_compared(const std::string& file); // its name, without the folder

} // namespace loopscope::test
