// The list of passes for CPU targets, and what runs it.
#include "compiler/lower/passes.h"

#include "compiler/lower/producers.h"

#include "compiler/lower/size_limit.h"

#include <algorithm>

namespace loopscope::lower {

const std::vector<Pass>& cpu_passes() {
    static const std::vector<Pass> passes{
        {"half_arithmetic", "operations on f16 and bf16 become f32 operations and one rounding",
         half_arithmetic},
        {"simplify", "canonical expressions; what ranges decide is gone", simplify},
        {"hoist_lets", "lets move out of loops that they do not depend on", hoist_lets},
        {"hoist_guards", "conditions around whole loops move out of them or become their bounds",
         hoist_guards},
        {"simplify_guards", "canonical bounds", simplify},
        {"partition", "loops split where guards and clamps stop to matter", partition},
        {"simplify_partitions", "the guards that partition made superfluous are gone", simplify},
        {"trim_guards", "guards of triangles become bounds, and are asked at their edges alone",
         trim_guards},
        {"simplify_trimmed", "canonical bounds, and the guards that they have made superfluous",
         simplify},
        {"lane_accumulators", "reductions over vectorised axes keep an accumulator a lane",
         lane_accumulators},
        {"vectorise", "vectorised loops become vector code", vectorise},
        {"half_accumulations", "what half_arithmetic left for reductions to be seen",
         half_accumulations},
        {"spread_prefetches", "many prefetches in a row are spread over the loops behind them",
         spread_prefetches},
        {"unroll", "unrolled loops become copies of their bodies", unroll, false},
        {"simplify_vectors", "ramps and broadcasts gathered, constants of unrolled loops folded",
         simplify},
        {"promote_accumulators", "what a serial loop accumulates stays in registers meanwhile",
         promote_accumulators},
        {"dead_stores", "what nobody reads is not stored", dead_stores},
        {"flatten", "one index for every load and store, of 32 bits where that is enough", flatten,
         false},
        {"join_masks",
         "masks move before the stores in front of them, which then stand side by side", join_masks,
         false},
        {"split_vectors", "vectors that no register holds are cut into pieces", split_vectors,
         false},
        {"simplify_indices", "flat indices in canonical form", simplify, false},
    };
    return passes;
}

namespace {

// Without what serves machine code alone. Casts to f16 and bf16 stay whole: source has functions for them, and one call
// says more than their insides.
std::vector<Pass> for_source(std::vector<Pass> list) {
    std::erase_if(list, [](const Pass& pass) { return !pass.for_source; });
    for (auto& pass : list)
        if (pass.run == half_arithmetic)
            pass.run = half_arithmetic_but_casts;
        else if (pass.run == half_accumulations)
            pass.run = half_accumulations_but_casts;
    return list;
}

constexpr Pass kPromoteTiles{"promote_tiles",
                             "what unrolled loops accumulate together is kept in a small array",
                             promote_tiles};

} // namespace

const std::vector<Pass>& c_passes() {
    static const std::vector<Pass> passes = [] {
        auto list = for_source(cpu_passes());
        list.push_back(kPromoteTiles);
        list.push_back({"merge_lanes", "loops of vectors become loops of elements", merge_lanes});
        list.push_back(
            {"simplify_lanes", "the merged loops' indices and bounds in canonical form", simplify});
        list.push_back(
            {"dead_lanes", "what served parts that turned out empty is gone", dead_stores});
        return list;
    }();
    return passes;
}

const std::vector<Pass>& device_passes() {
    static const std::vector<Pass> passes{
        {"bind_levels", "loops bound to levels become the dimensions of their launch", bind_levels},
        {"reduce_threads", "what threads reduce together: shuffles, or halves in shared memory",
         reduce_threads},
        {"virtual_threads", "virtual threads are one thread's statements in turn", virtual_threads},
        {"simplify_bound", "canonical expressions of the launch's dimensions", simplify},
        {"plan_pipelines", "ALCOP's analysis: what is loaded ahead, at which loop", plan_pipelines},
        {"expand_pipelines", "as many copies of memory as a pipeline has stages", expand_pipelines},
        {"shift_pipelines", "iterations load for later ones", shift_pipelines},
        {"wrap_pipelines", "copies of memory roll, loads ahead wrap around", wrap_pipelines},
        {"fill_pipelines", "prologues load what the first iterations use", fill_pipelines},
        {"synchronise_pipelines", "copies are asynchronous, between ALCOP's four primitives",
         synchronise_pipelines},
        {"skip_pipelines", "nothing is loaded for iterations beyond the last", skip_pipelines},
        {"bulk_copies", "the copy engine brings boxes, where the target has one", bulk_copies},
        {"divide_work", "what all threads of a block do is divided among them", divide_work},
        {"barriers", "threads wait where they need what others have written", barriers},
        {"half_arithmetic", "operations on f16 and bf16 become f32 operations and one rounding",
         half_arithmetic},
        {"simplify", "canonical expressions; what ranges decide is gone", simplify},
        {"hoist_lets", "lets move out of loops that they do not depend on", hoist_lets},
        {"hoist_guards", "conditions around whole loops move out of them or become their bounds",
         hoist_guards},
        {"simplify_guards", "canonical bounds", simplify},
        {"partition", "loops split where guards and clamps stop to matter", partition},
        {"simplify_partitions", "the guards that partition made superfluous are gone", simplify},
        {"join_lets", "of lets in one another that have one value one is left", join_lets},
        {"lane_accumulators", "reductions over vectorised axes keep an accumulator a lane",
         lane_accumulators},
        {"vectorise", "vectorised loops become vector code", vectorise},
        {"half_accumulations", "what half_arithmetic left for reductions to be seen",
         half_accumulations},
        {"unroll", "unrolled loops become copies of their bodies", unroll, false},
        {"simplify_vectors", "ramps and broadcasts gathered, constants of unrolled loops folded",
         simplify},
        {"promote_accumulators", "what a serial loop accumulates stays in registers meanwhile",
         promote_accumulators},
        {"dead_stores", "what nobody reads is not stored", dead_stores},
        {"persistent_blocks", "blocks of persistent dimensions take one iteration after another",
         persistent_blocks},
        {"share_rooms", "shared memory that is not in use at once lies at one place", share_rooms},
        {"renew_barriers", "barriers that the program needs as it is now, and no others", barriers},
        {"group_products", "instructions of a warpgroup are begun together, and awaited once",
         group_products},
        {"specialise_warps", "threads of their own ask for what a pipeline loads",
         specialise_warps},
        {"overlap_products", "products of one iteration run on into the next", overlap_products},
        {"multicast_copies",
         "what blocks of a cluster need alike is brought to all of them at once", multicast_copies,
         false},
        {"swizzle", "chunks of 16 bytes change places along rows of shared memory", swizzle},
        {"flatten", "one index for every load and store, of 32 bits where that is enough", flatten,
         false},
        {"simplify_indices", "flat indices in canonical form", simplify, false},
    };
    return passes;
}

const std::vector<Pass>& device_source_passes() {
    static const std::vector<Pass> passes = [] {
        auto list = for_source(device_passes());
        // Where device_passes() unrolls all loops.
        auto unrolled = std::find_if(list.begin(), list.end(), [](const Pass& pass) {
            return std::string(pass.name) == "simplify_vectors";
        });
        list.insert(unrolled,
                    {"unroll_products",
                     "unrolled loops of a warpgroup's products become copies of their bodies",
                     unroll_products});
        // Before memory and barriers are settled for good.
        auto settled = std::find_if(list.begin(), list.end(),
                                    [](const Pass& pass) { return pass.run == share_rooms; });
        list.insert(settled, kPromoteTiles);
        return list;
    }();
    return passes;
}

namespace {

Diagnostics broken(Diagnostics errors, const std::string& pass) {
    for (auto& e : errors) {
        e.message = "after " + pass + ": " + e.message;
        e.remedy =
            "this is a bug of the compiler; please report it with the pipeline and the schedule";
        e.code = "invalid-loop-program";
    }
    return errors;
}

std::string names_of(const std::vector<Pass>& passes) {
    std::string out = "build";
    for (const auto& pass : passes)
        out += std::string(", ") + pass.name;
    return out;
}

} // namespace

Result<Program> run_passes(const Program& built, const LowerOptions& options) {
    return run_passes(built, cpu_passes(), options);
}

Result<Program> run_passes(const Program& built, const std::vector<Pass>& passes,
                           const LowerOptions& options) {
    const auto& stop = options.stop_after;
    bool known =
        stop.empty() || stop == "build" ||
        std::any_of(passes.begin(), passes.end(), [&](const Pass& p) { return stop == p.name; });
    if (!known)
        return error("there is no pass '" + stop + "'", "the passes are " + names_of(passes));
#ifdef NDEBUG
    bool check = options.verify_each;
#else
    bool check = true;
#endif
    auto program = built;
    if (check)
        if (auto errors = verify(program); !errors.empty())
            return broken(std::move(errors), "build");
    if (stop == "build")
        return program;
    if (auto status = check_size(program); !status)
        return status.errors();
    for (const auto& pass : passes) {
        program = options.scalar_loops && pass.run == vectorise
                      ? vectorise_and_tell(program, *options.scalar_loops)
                      : pass.run(program, options.target);
        if (check)
            if (auto errors = verify(program); !errors.empty())
                return broken(std::move(errors), pass.name);
        if (pass.run == bulk_copies)
            if (auto status = check_producers(program); !status)
                return status.errors();
        if (stop == pass.name)
            break;
    }
    return program;
}

} // namespace loopscope::lower
