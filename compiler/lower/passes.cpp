// The lists of passes, of parts that they have in common, and what runs them.
#include "compiler/lower/passes.h"

#include "compiler/lower/gpu/producers.h"

#include "compiler/lower/size_limit.h"

#include <algorithm>

namespace loopscope::lower {

namespace {

using PassList = std::vector<Pass>;

// For machines, or as source for people to read: there unrolled loops and indices stay as they are,
// and casts to f16 and bf16 whole, for source has functions for them, and one call says more than
// their insides.
enum class PassForm : std::uint8_t { Machine, Source };

PassList operator+(PassList before, const PassList& after) {
    before.insert(before.end(), after.begin(), after.end());
    return before;
}

PassList for_machines(PassForm form, PassList passes) {
    return form == PassForm::Machine ? passes : PassList();
}

// What becomes of launches, before all threads of a block are known to do what is right.
PassList mapping_passes() {
    return {
        {"bind_levels", "loops bound to levels become the dimensions of their launch", bind_levels},
        {"reduce_threads", "what threads reduce together: shuffles, or halves in shared memory",
         reduce_threads},
        {"virtual_threads", "virtual threads are one thread's statements in turn", virtual_threads},
        {"simplify_bound", "canonical expressions of the launch's dimensions", simplify},
        {"plan_pipelines", "ALCOP's analysis: what is loaded ahead, at which loop", plan_pipelines},
        {"expand_pipelines", "as many copies of memory as a pipeline has stages", expand_pipelines},
        {"shift_pipelines", "iterations load for later ones", shift_pipelines},
        {"wrap_pipelines", "slots roll, loads ahead wrap around", wrap_pipelines},
        {"fill_pipelines", "prologues load what the first iterations use", fill_pipelines},
        {"synchronize_pipelines", "copies are asynchronous, between ALCOP's four primitives",
         synchronize_pipelines},
        {"skip_pipelines", "nothing is loaded for iterations beyond the last", skip_pipelines},
        {"bulk_copies",
         "the tensor memory accelerator (TMA) brings boxes, where the target has one", bulk_copies},
        {"divide_work", "cooperative work is divided among all threads of a block", divide_work},
        {"barriers", "threads wait where they need what others have written", barriers},
    };
}

PassList guard_passes(PassForm form) {
    return {
        {"half_arithmetic", "operations on f16 and bf16 become f32 operations and one rounding",
         form == PassForm::Machine ? half_arithmetic : half_arithmetic_but_casts},
        {"simplify", "canonical expressions; what ranges decide is gone", simplify},
        {"hoist_lets", "lets move out of loops that they do not depend on", hoist_lets},
        {"hoist_guards", "conditions around whole loops move out of them or become their bounds",
         hoist_guards},
        {"simplify_guards", "canonical bounds", simplify},
        {"partition", "loops split where guards and clamps stop to matter", partition},
        {"simplify_partitions", "the guards that partition made superfluous are gone", simplify},
    };
}

PassList trimming_passes() {
    return {
        {"trim_guards", "guards of triangles become bounds, and are asked at their edges alone",
         trim_guards},
        {"simplify_trimmed", "canonical bounds, and the guards that they have made superfluous",
         simplify},
    };
}

PassList vector_passes(PassForm form) {
    return {
        {"lane_accumulators", "reductions over vectorised axes keep an accumulator a lane",
         lane_accumulators},
        {"vectorize", "vectorised loops become vector code", vectorize},
        {"half_accumulations", "what half_arithmetic left for reductions to be seen",
         form == PassForm::Machine ? half_accumulations : half_accumulations_but_casts},
    };
}

PassList unrolling() {
    return {{"unroll", "unrolled loops become copies of their bodies", unroll}};
}

PassList register_passes() {
    return {
        {"simplify_vectors", "ramps and broadcasts gathered, constants of unrolled loops folded",
         simplify},
        {"promote_accumulators", "what a serial loop accumulates stays in registers meanwhile",
         promote_accumulators},
        {"dead_stores", "what nobody reads is not stored", dead_stores},
    };
}

PassList tile_promotion() {
    return {{"promote_tiles", "what unrolled loops accumulate together is kept in a small array",
             promote_tiles}};
}

// Memory, barriers and instructions of a launch for good.
PassList settling_passes(PassForm form) {
    return PassList{
               {"reuse_storage", "shared allocations that are not in use at once lie at one place",
                reuse_storage},
               {"renew_barriers", "barriers that the program needs as it is now, and no others",
                barriers},
               {"group_products",
                "instructions of a warpgroup are begun together, and awaited once", group_products},
               {"specialize_warps", "producer warpgroups ask for what a pipeline loads",
                specialize_warps},
               {"overlap_products", "products of one iteration run on into the next",
                overlap_products}} +
           for_machines(form,
                        {{"multicast_copies",
                          "what blocks of a cluster need alike is brought to all of them at once",
                          multicast_copies}}) +
           PassList{{"swizzle", "chunks of 16 bytes change places along rows of shared memory",
                     swizzle}};
}

PassList flattening() {
    return {{"flatten", "one index for every load and store, of 32 bits where that is enough",
             flatten}};
}
PassList index_simplification() {
    return {{"simplify_indices", "flat indices in canonical form", simplify}};
}

PassList processor_passes(PassForm form) {
    return guard_passes(form) + trimming_passes() + vector_passes(form) +
           PassList{{"spread_prefetches",
                     "many prefetches in a row are spread over the loops behind them",
                     spread_prefetches}} +
           for_machines(form, unrolling()) + register_passes();
}

PassList launch_passes(PassForm form, const PassList& unrolled, const PassList& tiles) {
    return mapping_passes() + guard_passes(form) +
           PassList{
               {"join_lets", "of lets in one another that have one value one is left", join_lets}} +
           vector_passes(form) + unrolled + register_passes() +
           PassList{{"persistent_blocks",
                     "blocks of persistent dimensions take one iteration after another",
                     persistent_blocks}} +
           tiles + settling_passes(form);
}

} // namespace

const std::vector<Pass>& cpu_passes() {
    static const auto passes =
        processor_passes(PassForm::Machine) + flattening() +
        PassList{{"join_masks",
                  "masks move before the stores in front of them, which then stand side by side",
                  join_masks},
                 {"split_vectors", "vectors that no register holds are cut into pieces",
                  split_vectors}} +
        index_simplification();
    return passes;
}

const std::vector<Pass>& c_passes() {
    static const auto passes =
        processor_passes(PassForm::Source) + tile_promotion() +
        PassList{
            {"merge_lanes", "loops of vectors become loops of elements", merge_lanes},
            {"simplify_lanes", "the merged loops' indices and bounds in canonical form", simplify},
            {"dead_lanes", "what served parts that turned out empty is gone", dead_stores}};
    return passes;
}

const std::vector<Pass>& device_passes() {
    static const auto passes =
        launch_passes(PassForm::Machine, unrolling(), {}) + flattening() + index_simplification();
    return passes;
}

const std::vector<Pass>& device_source_passes() {
    static const auto passes =
        launch_passes(PassForm::Source,
                      {{"unroll_products",
                        "unrolled loops of a warpgroup's products become copies of their bodies",
                        unroll_products}},
                      tile_promotion());
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
        program = options.scalar_loops && pass.run == vectorize
                      ? vectorize_and_tell(program, *options.scalar_loops)
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
