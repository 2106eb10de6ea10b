#pragma once
// A launch's requests to the copy engine, which is the tensor memory accelerator (TMA), and who
// waits for whom on its mbarriers. Both ways to a kernel need it: PTX (device_bulk.cpp) and CUDA
// C++ (../cuda).

#include "compiler/codegen/nvptx/ptx_program.h"
#include "compiler/codegen/nvptx/shared_layout.h"
#include "compiler/lower/gpu/launch.h"

#include <optional>
#include <vector>

namespace loopscope::codegen {

// The tensor map of the box that one block asks for by a bulk copy; below, those of all bulk copies
// of a launch, each once.
TensorMap tensor_map_of(const lower::Statement& copy, const lower::LaunchShape& shape);
std::vector<TensorMap> tensor_maps_of(const lower::LaunchShape& shape);
// The bytes that a bulk copy brings.
std::int64_t bytes_of_box(const TensorMap& map, ScalarType type);

// An allocation of mbarriers, each of which counts so many arrivals a phase: boxes that the TMA has
// brought, for one thread that asks; or releases of slots, for all warps that release them, of all
// blocks that share them. Nothing: it is no allocation of mbarriers.
struct CountedArrivals {
    std::int64_t mbarriers = 1, arriving = 1;
    bool of_slots = false;
};
std::optional<CountedArrivals> counted_arrivals(const lower::Statement& allocation,
                                                const lower::LaunchShape& shape);

// Do threads write memory in which an array of theirs and one that the TMA fills take turns?
// Barriers alone do not order what the two write (PTX ISA, "Async Proxy").
bool threads_write_where_it_does(const lower::StatementPtr& body, const SharedLayout& layout);

} // namespace loopscope::codegen
