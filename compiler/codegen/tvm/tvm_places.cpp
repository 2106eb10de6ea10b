// Where stages are computed and stored, and how, in calls on a TensorIR schedule.
#include "compiler/codegen/tvm/scheduler.h"
#include "core/schedule/storage.h"

#include <algorithm>

namespace loopscope::codegen {

namespace {

void inline_stage(TvmScheduler& s) {
    s.replaces(s.block(), "place");
    s.call(s.placements(), "compute_inline", s.quoted(s.block()));
}

void compute_root(TvmScheduler& s) {
    s.replaces(s.block(), "place");
    s.remark(s.placements(), "blocks stand at root unless something else is said");
}

void compute_at(TvmScheduler& s) {
    s.replaces(s.block(), "place");
    const auto& host = s.fields().definitions.at("host");
    auto found = s.blocks.find({host.stage, host.definition});
    if (found == s.blocks.end())
        return s.left_out("TVM does not see " + host.text());
    auto own = s.own_blocks();
    // The last block first: the earlier ones are read by it.
    for (auto block = own.rbegin(); block != own.rend(); ++block)
        s.call(s.placements(), "compute_at",
               s.list({*block, found->second, s.fields().name("loop")}));
}

void stored(TvmScheduler& s) {
    s.left_out("TensorIR stores what an iteration computes for as long as the iteration lasts, and "
               "computes again what the next one shares with it");
}

// The loops of both as the script leaves them, down to the shared one.
void compute_with(TvmScheduler& s) {
    s.replaces(s.block(), "with");
    const auto& ref = s.step().receiver;
    const auto& with =
        s.step().after.find(ref.stage)->definitions[static_cast<std::size_t>(ref.definition)].with;
    auto host = with ? s.blocks.find({with->stage, with->definition}) : s.blocks.end();
    if (host == s.blocks.end())
        return s.left_out("TVM does not see " + s.fields().definitions.at("host").text());
    const auto& shared = s.nest(with->stage, with->definition);
    const auto& own = s.nest(ref.stage, ref.definition).loops;
    auto depth = static_cast<std::size_t>(shared.position_of(with->loop) + 1);
    std::vector<std::string> here, there;
    for (std::size_t i = 0; i < depth; ++i) {
        here.push_back(own[i].name);
        there.push_back(shared.loops[i].name);
    }
    s.call(s.merges, "merge",
           s.quoted(s.block()) + ", [" + s.list(here) + "], " + s.quoted(host->second) + ", [" +
               s.list(there) + "]");
    for (std::size_t i = 0; i < depth; ++i) // merged, they are serial
        if (shared.loops[i].kind != LoopKind::Serial)
            s.call(s.merges, shared.loops[i].kind == LoopKind::Parallel ? "parallel" : "unroll",
                   s.list({host->second, there[i]}));
}

void pipeline(TvmScheduler& s) {
    s.replaces(s.block(), "ahead");
    auto copies = s.fields().counts.at("copies");
    if (copies < 2)
        return s.remark(s.loops(), "1 is none");
    const auto& at = s.program.tree->state.find(s.step().receiver.stage)->compute.at;
    auto host = s.blocks.find({at.stage, at.definition});
    if (host == s.blocks.end())
        return s.left_out("TVM does not see the loop at which it is computed");
    const auto& nest = s.nest(at.stage, at.definition);
    const auto& loop = nest.loops[static_cast<std::size_t>(nest.position_of(at.loop))].name;
    s.call(s.ahead, "pipeline",
           "[" + s.list(s.own_blocks()) + "], " + s.list({host->second, loop}) + ", " +
               std::to_string(copies));
}

void in_the_program(TvmScheduler& s) { s.remark(s.placements(), "a block of its own"); }

// On a CPU TVM takes it for a hint, as the pipeline language does.
void keep_in(TvmScheduler& s, const std::string& stage, const std::string& block) {
    s.replaces(block, "scope");
    const auto& memory = s.fields().name("scope");
    if (s.program.tree->state.find(stage)->compute.kind == Placement::Kind::Inline)
        return;
    if (memory == "global" || memory == "shared" || memory == "local")
        s.call(s.memory, "set_scope", s.list({block, memory}) + ", " + s.components(stage));
    else
        s.left_out("TVM has no memory of that name");
}
void scope(TvmScheduler& s) { keep_in(s, s.step().receiver.stage, s.block()); }

void copy(TvmScheduler& s) {
    in_the_program(s);
    auto made = s.fields().names.count("copy") ? "copy" : "result";
    auto block = s.blocks.find({s.fields().name(made), 0});
    if (block != s.blocks.end())
        keep_in(s, block->first.first, block->second);
}

void reorder_storage(TvmScheduler& s) {
    s.replaces(s.block(), "order");
    const auto& stage = s.program.find(s.step().receiver.stage)->stage;
    std::string order;
    for (const auto& dimension : s.fields().lists.at("dimensions"))
        order += (order.empty() ? "" : ", ") + std::to_string(stage.dimension_of(dimension));
    s.call(s.loops(), "transform_layout",
           s.quoted(s.block()) + ", [" + order + "], " + s.components(stage.name));
}

// As a stride: that of the index outside of the padded one.
void pad_storage(TvmScheduler& s) {
    const auto& dimension = s.fields().name("dimension");
    s.replaces(s.block(), "pad " + dimension);
    const auto& stage = s.step().receiver.stage;
    const auto* storage = s.program.tree->find({stage, -1, "@storage"});
    if (!storage || s.fields().counts.at("elements") == 0)
        return s.remark(s.loops(), "nothing is added");
    auto order = storage_order(*storage);
    auto extents = storage_extents(*storage);
    auto padded = s.program.find(stage)->stage.dimension_of(dimension);
    auto at =
        static_cast<std::size_t>(std::find(order.begin(), order.end(), padded) - order.begin());
    if (at == 0)
        return s.left_out("TensorIR pads strides, and no index is outside of " + dimension);
    std::int64_t stride = 1;
    for (std::size_t d = at; d < order.size(); ++d)
        stride *= extents[order[d]];
    s.call(s.memory, "storage_align",
           s.quoted(s.block()) + ", " + std::to_string(at - 1) + ", " + std::to_string(stride) +
               ", " + s.components(stage));
}

void contract(TvmScheduler& s) {
    s.remark(s.loops(), "TensorIR has no such directive: the definition says what is fused or "
                        "approximated");
    bool approximates = std::string(s.step().directive->verb()) == "fast_math";
    s.warn(std::string("TensorIR has no such directive; the definition calls ") +
           (approximates ? "the approximations" : "a function for each fma"));
}

void no_such_directive(TvmScheduler& s) { s.left_out("TensorIR's schedule has no such directive"); }
void specialize(TvmScheduler& s) { s.left_out("the program is for a CPU, which has no warps"); }
void swizzle(TvmScheduler& s) { s.left_out("the program is for a CPU, whose memory has no banks"); }

} // namespace

const TvmHandlers& tvm_place_handlers() {
    static const TvmHandlers all{
        {"inline", inline_stage},
        {"compute_root", compute_root},
        {"compute_at", compute_at},
        {"compute_with", compute_with},
        {"store_root", stored},
        {"store_at", stored},
        {"pipeline", pipeline},
        {"cache_read", copy},
        {"cache_write", copy},
        {"rfactor", in_the_program},
        {"contract", contract},
        {"fast_math", contract},
        {"reorder_storage", reorder_storage},
        {"pad_storage", pad_storage},
        {"scope", scope},
        {"specialize", specialize},
        {"swizzle", swizzle},
        {"non_temporal", no_such_directive},
        {"prefetch", no_such_directive},
    };
    return all;
}

} // namespace loopscope::codegen
