#pragma once
// The passes' functions, each in the file of its name; passes.cpp puts them in order.

#include "compiler/lower/pass.h"

namespace loopscope::lower {

// Passes for launches on a device
Program bind_levels(const Program& program, const TargetInfo& target);
Program reduce_threads(const Program& program, const TargetInfo& target);
Program virtual_threads(const Program& program, const TargetInfo& target);
Program plan_pipelines(const Program& program, const TargetInfo& target);
Program expand_pipelines(const Program& program, const TargetInfo& target);
Program shift_pipelines(const Program& program, const TargetInfo& target);
Program wrap_pipelines(const Program& program, const TargetInfo& target);
Program fill_pipelines(const Program& program, const TargetInfo& target);
Program synchronize_pipelines(const Program& program, const TargetInfo& target);
Program skip_pipelines(const Program& program, const TargetInfo& target);
Program bulk_copies(const Program& program, const TargetInfo& target);
Program divide_work(const Program& program, const TargetInfo& target);
Program persistent_blocks(const Program& program, const TargetInfo& target);
Program reuse_storage(const Program& program, const TargetInfo& target);
Program barriers(const Program& program, const TargetInfo& target);
Program specialize_warps(const Program& program, const TargetInfo& target);
Program multicast_copies(const Program& program, const TargetInfo& target);
Program swizzle(const Program& program, const TargetInfo& target);
Program group_products(const Program& program, const TargetInfo& target);
Program overlap_products(const Program& program, const TargetInfo& target);

Program half_arithmetic(const Program& program, const TargetInfo& target);
Program half_accumulations(const Program& program, const TargetInfo& target);
Program half_arithmetic_but_casts(const Program& program, const TargetInfo& target);
Program half_accumulations_but_casts(const Program& program, const TargetInfo& target);
Program simplify(const Program& program, const TargetInfo& target);
Program hoist_lets(const Program& program, const TargetInfo& target);
Program join_lets(const Program& program, const TargetInfo& target);
Program hoist_guards(const Program& program, const TargetInfo& target);
Program partition(const Program& program, const TargetInfo& target);
Program trim_guards(const Program& program, const TargetInfo& target);
Program lane_accumulators(const Program& program, const TargetInfo& target);
Program vectorize(const Program& program, const TargetInfo& target);
Program spread_prefetches(const Program& program, const TargetInfo& target);
Program unroll(const Program& program, const TargetInfo& target);
Program unroll_products(const Program& program, const TargetInfo& target);
Program promote_accumulators(const Program& program, const TargetInfo& target);
Program dead_stores(const Program& program, const TargetInfo& target);
Program promote_tiles(const Program& program, const TargetInfo& target);
Program merge_lanes(const Program& program, const TargetInfo& target);
Program flatten(const Program& program, const TargetInfo& target);
Program join_masks(const Program& program, const TargetInfo& target);
Program split_vectors(const Program& program, const TargetInfo& target);

// The pass `vectorize`, which also tells of which loops it makes no vector code.
Program vectorize_and_tell(const Program& program, std::vector<ScalarLoop>& left);

} // namespace loopscope::lower
