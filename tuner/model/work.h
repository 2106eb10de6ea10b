#pragma once
// A schedule tree flattened for models: nodes in preorder, the points of computation with their
// accesses as affine forms, and the buffers. Built once an estimate; everything else here is
// arithmetic on it.

#include "core/schedule/tree.h"
#include "tuner/model/affine.h"
#include "tuner/model/expr_work.h"

#include <algorithm>
#include <unordered_map>

namespace loopscope {
struct NestLayout;
}

namespace loopscope::model {

// Dimensions outside the innermost eight are taken together as one
constexpr std::size_t kMaxRank = 8;

struct Buffer {
    std::string name;
    double element_bytes = 0;
    // Dimensions in the order of memory, the last contiguous; at most kMaxRank, without padding
    std::vector<double> extents;
    std::vector<double> pitch; // elements from one index to the next, per dimension
    int depth = 0;             // loops outside its memory: those do not move it
    int writer_depth = 0;      // loops outside the stage that writes it: they make it anew
    bool is_input = false;
    // Does an input's boundary wrap or mirror, so that reads outside lie elsewhere inside?
    bool folds = false;
    bool is_output = false;
    double bytes = 0;      // of its memory, with the padding of its layout
    double held_bytes = 0; // without
    int copies = 1;        // slots that rotate; sizes are of one
};

// The accesses of one point to one buffer that move alike: index = forms + an offset; the offsets
// are a few constants.
struct Access {
    int buffer = 0;
    bool read = false, write = false;
    bool streams = false;    // the write passes the caches by
    double loads = 0;        // distinct loads, one per different tuple of offsets
    std::vector<Form> forms; // relative to the buffer's first element
    std::vector<std::vector<std::int64_t>> offsets; // per dimension: the distinct constants, rising
    bool by_data = false;                           // an index depends on data
    std::uint64_t data_depths = 0;                  // the loops with which what they decide changes
    double clamped = 0; // indices, of all its loads, that an input's boundary must bring inside
    std::uint64_t depths = 0; // loops on which any index depends
    bool moves_with(std::size_t loop) const {
        return depths >> std::min<std::size_t>(loop, 63) & 1;
    }
};

struct Point {
    int node = 0; // of `nodes`: the Compute node
    const DerivedStage* stage = nullptr;
    const Definition* definition = nullptr;
    ComputeRole role = ComputeRole::Pure;
    std::vector<int> loops;      // nodes of the loops around it, outermost first; depth = position
    std::vector<double> trips;   // of those
    int own = 0;                 // how many of them lie outside its stage
    double stage_executions = 1; // of the stage's node
    double points = 0;           // evaluated, in all: guards respected
    // How many of those points satisfy the `where` condition: an upper bound unless taken_exact
    double taken = 0;
    bool taken_exact = true;
    double needed = 0; // points of the definition if its stage were computed once
    double flops = 0;  // in all; definition: core/ir/cost.h
    bool flops_exact = true;
    double integer_operations = 0; // in all, without those of indices
    std::vector<Access> accesses;
    Operations operations;   // of one evaluation, without those of its `where`
    Operations condition;    // of the `where`
    double step_latency = 0; // slots until a reduction's or update's value so far is the next one
    std::uint64_t condition_depths = 0; // the loops with which it changes
    ScalarType type = ScalarType::F32;  // of the stage
};

struct WorkNode {
    const TreeNode* node = nullptr;
    int parent = -1;
    int depth = 0;     // loops around it
    double trips = 1;  // how often it is executed in all: for a loop, how often it is started
    double extent = 1; // Loop: iterations of one execution
    int first_point = 0, last_point = 0; // points[first, last) lie below it
    std::vector<int> children;
};

struct Work {
    const ScheduleTree* tree = nullptr;
    std::vector<WorkNode> nodes; // preorder; 0 is the root
    std::vector<Point> points;
    std::vector<Buffer> buffers;
    FormTable forms{0};

    const TreeNode& tree_node(int node) const {
        return *nodes[static_cast<std::size_t>(node)].node;
    }
};

Work flatten(const ScheduleTree& tree);

// Does the nest evaluate, `count` times in all, every point of the box that its first `axes` axes
// span? Padded tails may leave its corners out.
bool covers(const NestLayout& nest, std::size_t axes, double count);

} // namespace loopscope::model
