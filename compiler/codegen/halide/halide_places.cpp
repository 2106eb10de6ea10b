// Where stages are computed and stored, and how, in Halide's calls.
#include "compiler/codegen/halide/scheduler.h"

namespace loopscope::codegen {

namespace {

// Where Halide stores a Func outlives a change of where it computes it.
void stored_where_computed(HalideScheduler& s) {
    const auto* state = s.step().before.find(s.step().receiver.stage);
    if (state && state->store != state->compute)
        s.say(s.func() + ".store_at(LoopLevel::inlined());");
}

void inline_stage(HalideScheduler& s) {
    stored_where_computed(s);
    s.say(s.func() + ".compute_inline();");
}

void compute_root(HalideScheduler& s) {
    stored_where_computed(s);
    s.say(s.func() + ".compute_root();");
}

// The loop of another definition that the line names; empty: Halide does not see it.
std::string host_loop(HalideScheduler& s, const DefinitionRef& host) {
    const auto* nest = s.nest_of(host);
    if (!nest)
        return {};
    auto loop = nest->loops.find(s.fields().name("loop"));
    return loop == nest->loops.end() ? "" : loop->second.name;
}

void placed(HalideScheduler& s, const std::string& verb) {
    const auto& host = s.fields().definitions.at("host");
    auto found = host_loop(s, host);
    if (found.empty())
        return s.left_out("Halide does not see the loop " + host.text() + "." +
                          s.fields().name("loop"));
    s.say(s.func() + "." + verb + "(" + s.algorithm.stages.at(host.stage).func + ", " + found +
          ");");
}

void compute_at(HalideScheduler& s) {
    stored_where_computed(s);
    placed(s, "compute_at");
}
void store_root(HalideScheduler& s) { s.say(s.func() + ".store_root();"); }
void store_at(HalideScheduler& s) { placed(s, "store_at"); }

void compute_with(HalideScheduler& s) {
    const auto& host = s.fields().definitions.at("host");
    auto found = host_loop(s, host);
    if (found.empty())
        return s.left_out("Halide does not see that loop");
    s.say(s.main_nest().target + ".compute_with(" + s.nest_of(host)->target + ", " + found + ");");
}

void in_the_algorithm(HalideScheduler& s) {
    const auto& names = s.fields().names;
    auto made = names.count("copy") ? names.at("copy") : names.at("result");
    s.comment(made + " is a Func of its own in define()" +
              (names.count("scope") ? ", in memory that Halide chooses" : ""));
}

void contract(HalideScheduler& s) {
    s.comment("Halide has no such directive: the definition calls ops::fused");
    s.warn("Halide has no such directive; the definition calls a function for each fma");
}

void fast_math(HalideScheduler& s) {
    s.comment("Halide has no such directive: the definition calls the approximations and "
              "ops::fused");
    s.warn("Halide has no such directive; the definition calls the approximations");
}

void reorder_storage(HalideScheduler& s) {
    const auto& stage = s.program.find(s.step().receiver.stage)->stage;
    std::vector<std::string> order;
    for (const auto& dimension : s.fields().lists.at("dimensions"))
        order.push_back(s.algorithm.stages.at(stage.name).variables[stage.dimension_of(dimension)]);
    if (order.size() > 1)
        s.say(s.func() + ".reorder_storage(" + reversed_list(order) + ");");
}

// An extent in memory that is a multiple of the padded one: that itself.
void pad_storage(HalideScheduler& s) {
    const auto& stage = s.step().receiver.stage;
    const auto& dimension = s.fields().name("dimension");
    const auto* storage = s.program.tree->find({stage, -1, "@storage"});
    auto d = s.program.find(stage)->stage.dimension_of(dimension);
    if (!storage)
        return s.comment("nothing is stored of it");
    if (storage->region.dimensions[d].unfolded > 0)
        return s.left_out("how far Halide folds " + dimension + " is not said there");
    auto extent = storage->region.dimensions[d].extent.constant();
    auto elements = s.fields().counts.at("elements");
    s.say(s.func() + ".align_storage(" + s.algorithm.stages.at(stage).variables[d] + ", " +
          std::to_string(elements == 0 ? 1 : extent + elements) + ");");
}

void prefetch(HalideScheduler& s) {
    const auto& source = s.fields().name("source");
    const auto& nest = s.main_nest();
    auto loop = nest.loops.find(s.fields().name("loop"));
    if (loop == nest.loops.end())
        return s.left_out("its arguments are not those that this exporter knows");
    auto input = s.algorithm.inputs.find(source);
    auto stage = s.algorithm.stages.find(source);
    if (input == s.algorithm.inputs.end() && stage == s.algorithm.stages.end())
        return s.left_out("Halide does not see " + source);
    auto name = input == s.algorithm.inputs.end() ? stage->second.result : input->second;
    s.say(nest.target + ".prefetch(" + name + ", " + loop->second.name + ", " + loop->second.name +
          ", " + std::to_string(s.fields().counts.at("ahead")) + ");");
}

// MemoryType::Stack and Register are no hints: they ask for constant sizes, and for places that are
// constant.
void scope(HalideScheduler& s) {
    if (s.fields().name("scope") == "global")
        s.say(s.func() + ".store_in(MemoryType::Heap);");
    else
        s.left_out("it is a hint on a CPU, and Halide's store_in is none: it fails where the "
                   "memory does not hold the stage");
}

void specialize(HalideScheduler& s) {
    s.left_out(
        "the program is for a CPU, which has no warps; Halide's specialize is of conditions");
}
void swizzle(HalideScheduler& s) {
    s.left_out("the program is for a CPU, whose memory has no banks");
}
void non_temporal(HalideScheduler& s) { s.left_out("Halide 14 has no such directive"); }

void pipeline(HalideScheduler& s) {
    if (s.fields().counts.at("copies") < 2)
        return s.comment("1 is none");
    s.left_out("Halide 14 has no such directive: its async() computes in another thread");
}

} // namespace

const HalideHandlers& halide_place_handlers() {
    static const HalideHandlers all{
        {"inline", inline_stage},
        {"compute_root", compute_root},
        {"compute_at", compute_at},
        {"store_root", store_root},
        {"store_at", store_at},
        {"compute_with", compute_with},
        {"cache_read", in_the_algorithm},
        {"cache_write", in_the_algorithm},
        {"rfactor", in_the_algorithm},
        {"contract", contract},
        {"fast_math", fast_math},
        {"reorder_storage", reorder_storage},
        {"pad_storage", pad_storage},
        {"prefetch", prefetch},
        {"scope", scope},
        {"specialize", specialize},
        {"swizzle", swizzle},
        {"pipeline", pipeline},
        {"non_temporal", non_temporal},
    };
    return all;
}

} // namespace loopscope::codegen
