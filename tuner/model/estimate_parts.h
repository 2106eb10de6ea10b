#pragma once
// What models of processors and of GPUs say alike of a schedule.

#include "tuner/model/estimate.h"
#include "tuner/model/footprint.h"
#include "tuner/model/recompute.h"

namespace loopscope::model {

// An estimate by this model for this device, with nothing in it.
Estimate named_estimate(const char* model, const device::Device& device);

// Distinct bytes of inputs read and of outputs written.
double compulsory_bytes(const Work& work);

// Everything that is counted of the whole and of each node, with terms of the whole: FLOPs,
// recomputation, compulsory bytes.
void add_counts(Estimate& e, const Work& work, const std::vector<NodeFootprints>& footprints,
                Recomputation recompute, double compulsory);

// Counts of every node, without seconds.
std::map<NodeId, NodeCost> node_costs(const Work& work,
                                      const std::vector<NodeFootprints>& footprints);

// The seconds of the nodes from `first` to `last`, a node and all below it, by those that each has
// of its own.
void set_seconds(Estimate& e, const Work& work, const std::vector<double>& own, std::size_t first,
                 std::size_t last);

// The bound of the whole: the one under which the kernels spend most of their time.
std::string overall_bound(const Estimate& estimate);

// "1.23e9", three significant digits, without an exponent between 0.01 and 100,000.
std::string number(double value);

} // namespace loopscope::model
