#pragma once
// The part of a buffer that an access names while some of the loops around it take several values
// and the others stand still: a box, as whole sectors of memory. The moving loops are those of
// blocks that run at once, of the threads of one block, or of all of a launch.

#include "tuner/model/work.h"

#include <vector>

namespace loopscope::model::gpu {

// By depth: how many values each loop takes. 1: it stands still.
using Moving = std::vector<double>;

struct Part {
    int buffer = 0;
    std::uint64_t held = 0;        // equal: the boxes begin at the same held place
    bool absolute = true;          // nothing is held: the box lies where `low` says
    bool aligned = true;           // its rows begin at whole sectors
    std::vector<double> low, high; // per dimension, closed, relative to what is held
    std::vector<double> values;    // different ones within that, at most
    double most = 0;               // elements, where data decide
};

Part part_of(const Work& work, const Point& point, const Access& access, const Moving& moving);
// Adds a part to those of one buffer; parts that begin at the same held place become their hull.
void unite(std::vector<Part>& parts, const Part& part);
// Bytes of the sectors that the part touches; rows that begin anywhere cross, on average, into one
// more than their length says.
double sector_bytes(const Work& work, const Part& part);
double sector_bytes(const Work& work, const std::vector<Part>& parts); // sum, at most the buffer

} // namespace loopscope::model::gpu
