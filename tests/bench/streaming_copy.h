#pragma once
// The ceiling of programs that move memory: a copy by streaming stores, written by hand, in pieces
// that the threads take which run compiled programs, too.

#include "compiler/run/buffer.h"

namespace loopscope::bench {

class StreamingCopy {
public:
    explicit StreamingCopy(std::int64_t bytes); // of each of the two arrays: a multiple of 1 MiB
    void run(int threads);
    double bytes() const; // read and written

private:
    Buffer from_, to_;
};

} // namespace loopscope::bench
