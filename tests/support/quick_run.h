#pragma once
// `./test.sh FILE` is for the minute between two edits: it shortens random runs and leaves out the
// tests that take longest, which say so in their first line. `./test.sh FOLDER` and `./test.sh`
// leave out nothing.

#include <gtest/gtest.h>

namespace loopscope::test {

bool quick_run(); // LOOPSCOPE_QUICK_RUN is set, as `./test.sh FILE` sets it

} // namespace loopscope::test

// Begins a test that takes long.
#define LOOPSCOPE_LONG_TEST()                                                                      \
    if (::loopscope::test::quick_run())                                                            \
    GTEST_SKIP() << "takes long; name the folder in place of the file"
