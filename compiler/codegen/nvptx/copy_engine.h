#pragma once
// What a launch asks the copy engine for, and who waits for whom on its objects: as both ways to a
// kernel need it, PTX (device_bulk.cpp) and CUDA C++ (../cuda).

#include "compiler/codegen/nvptx/ptx_program.h"
#include "compiler/codegen/nvptx/shared_layout.h"
#include "compiler/lower/gpu/launch.h"

#include <optional>
#include <vector>

namespace loopscope::codegen {

// Threads of a block, by number.
struct ThreadRange {
    std::int64_t begin = 0, count = 1;
};
ThreadRange threads_of(const lower::Statement& threads);

// The tensor map of the box that one block asks for by a bulk copy; below, those of all bulk copies
// of a launch, each once.
TensorMap tensor_map_of(const lower::Statement& copy, const lower::LaunchShape& shape);
std::vector<TensorMap> tensor_maps_of(const lower::LaunchShape& shape);
// What a bulk copy brings.
std::int64_t bytes_of_box(const TensorMap& map, ScalarType type);

// An allocation of objects (mbarriers), each of which counts so many arrivals a phase: what the
// engine has brought, for one thread that asks; or slots that are free again, for all warps that
// release them, of all blocks that share them. Nothing: it has no objects.
struct CountedArrivals {
    std::int64_t objects = 1, arriving = 1;
    bool of_slots = false;
};
std::optional<CountedArrivals> counted_arrivals(const lower::Statement& allocation,
                                                const lower::LaunchShape& shape);

// Memory in which an array of the threads' own and one that the engine fills take turns. Barriers
// alone do not order what the two write (PTX ISA, "Async Proxy").
bool threads_write_where_it_does(const lower::StatementPtr& body, const SharedLayout& layout);

} // namespace loopscope::codegen
