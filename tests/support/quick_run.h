#pragma once
// `./test.sh FILE` is for the minute between two edits: it shortens random runs and leaves out the
// tests that take longest, which say so in their first line. `./test.sh FOLDER` and `./test.sh`
// leave out nothing.

#include <gtest/gtest.h>

#include <cstdlib>

namespace loopscope::test {

// `./test.sh FILE` sets the variable.
inline bool quick_run() { return std::getenv("LOOPSCOPE_QUICK_RUN") != nullptr; }

} // namespace loopscope::test

// Begins a test that takes long.
#define LOOPSCOPE_LONG_TEST()                                                                      \
    if (::loopscope::test::quick_run())                                                            \
    GTEST_SKIP() << "takes long; name the folder in place of the file"
