#pragma once
// A bundled program under its default and its shipped schedule, compiled, on one and on three
// threads, held to the reference interpreter; what it gave is returned for a comparison with
// independent code.

#include "tests/programs/program_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace loopscope::test {

struct Runs {
    Buffers inputs;
    Buffers actual; // compiled
    bool contracted = false;
    bool shipped = false;
};

// Compiles and runs under variants() on one and on three threads. A schedule that does not
// reassociate must give the reference's bits. Inputs are random unless given. What is run here
// counts as compared (compared.h).
std::vector<Runs> runs_of(const std::string& name, const Params& params, const Buffers& given = {});

template <typename T> void same(const Buffer& actual, const std::vector<T>& expected) {
    EXPECT_EQ(values<T>(actual), expected);
}

// Within `bound` of the greatest magnitude.
void halves_near(const Buffer& actual, const Buffer& expected, double bound); // of f16
void close(const Buffer& actual, const std::vector<double>& expected, double bound);

} // namespace loopscope::test
