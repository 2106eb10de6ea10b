#pragma once
// Footprints: the memory that one execution of a node, or of a loop's body, touches. A buffer's
// part is the hull of all accesses below the node, relative to what is held there; it is exact
// where accesses move alike, and an upper bound where they do not. Memory is counted where it lies:
// a buffer inside a loop is the same memory in every iteration.

#include "tuner/model/work.h"

namespace loopscope::model {

struct Touch {
    int buffer = 0;
    double bytes = 0; // distinct elements, as a hull
    double lines = 0; // bytes of the whole cache lines that they lie in, but for what streams
    double written_lines = 0; // of those, and of what streams, lines that are written to
    double next_lines = 0;    // bodies: lines of two consecutive iterations together
    double next_written = 0;
    bool streams = false; // some of it is written past the caches
    // The shape of its largest part: so many rows of so many bytes, this far apart
    double rows = 1, row_bytes = 0, row_pitch = 0;
};

struct Footprint {
    std::vector<Touch> touches; // by rising buffer
    double lines = 0;           // sum, bytes: the working set
    const Touch* find(int buffer) const;
};

struct NodeFootprints {
    Footprint all;  // of one execution of the node
    Footprint body; // loops: of one iteration
};

// By index of Work::nodes. `line_bytes`: of the innermost cache. Storage nodes: the memory itself.
std::vector<NodeFootprints> footprints(const Work& work, double line_bytes);

} // namespace loopscope::model
