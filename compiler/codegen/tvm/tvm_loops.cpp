// The loops of a block in calls on a TensorIR schedule.
#include "compiler/codegen/foreign/loop_effect.h"
#include "compiler/codegen/tvm/scheduler.h"

namespace loopscope::codegen {

namespace {

// TVM guards all tails.
void check_tail(TvmScheduler& s, Tail tail) {
    if (tail == Tail::Guard)
        return;
    auto reason = std::string("TVM guards the tail, and does not ") + name(tail) + " it";
    s.remark(s.loops(), reason);
    s.warn(reason);
}

void run_as(TvmScheduler& s, const std::string& verb, const std::string& loop) {
    s.replaces(s.block(), "loop " + loop);
    s.call(s.loops(), verb, s.list({s.block(), loop}));
    s.replaces_nothing();
}

void run_as_kind(TvmScheduler& s, const std::string& loop, LoopKind kind) {
    switch (kind) {
    case LoopKind::Serial: return;
    case LoopKind::Parallel: return run_as(s, "parallel", loop);
    case LoopKind::Unrolled: return run_as(s, "unroll", loop);
    case LoopKind::Vectorized: return run_as(s, "vectorize", loop);
    }
}

// What TVM splits or fuses is serial then. Vectorised loops are neither split nor fused.
void runs_on(TvmScheduler& s, const std::string& loop) {
    const auto& ref = s.step().receiver;
    const auto* found =
        s.step().after.find(ref.stage)->definitions[static_cast<std::size_t>(ref.definition)].find(
            loop);
    if (found && found->kind != LoopKind::Vectorized)
        run_as_kind(s, loop, found->kind);
}

void split(TvmScheduler& s) {
    const auto& f = s.fields();
    check_tail(s, f.tail);
    s.call(s.loops(), "split",
           s.list({s.block(), f.name("loop"), f.name("outer"), f.name("inner")}) + ", " +
               s.factor("factor"));
    runs_on(s, f.name("outer"));
}

void tile(TvmScheduler& s) {
    const auto& f = s.fields();
    check_tail(s, f.tail);
    s.call(s.loops(), "tile",
           s.list({s.block(), f.name("y"), f.name("x"), f.name("y_outer"), f.name("x_outer"),
                   f.name("y_inner"), f.name("x_inner")}) +
               ", " + s.factor("y_factor") + ", " + s.factor("x_factor"));
    runs_on(s, f.name("y_outer"));
    runs_on(s, f.name("x_outer"));
}

void level(TvmScheduler& s) {
    s.left_out("the program is for a CPU, where such a loop is a plain one");
}

void gpu_tile(TvmScheduler& s) {
    tile(s);
    level(s);
}

void fuse(TvmScheduler& s) {
    const auto& f = s.fields();
    s.call(s.loops(), "fuse",
           s.list({s.block(), f.name("outer"), f.name("inner"), f.name("fused")}));
    runs_on(s, f.name("fused"));
}

void reorder(TvmScheduler& s) {
    s.call(s.loops(), "reorder", s.quoted(s.block()) + ", " + s.list(s.fields().lists.at("loops")));
}

void run_serially(TvmScheduler& s, const std::string& loop) {
    s.replaces(s.block(), "loop " + loop);
    s.remark(s.loops(), "loops are serial unless something else is said");
}
void serial(TvmScheduler& s) { run_serially(s, s.fields().name("loop")); }

void kind(TvmScheduler& s) {
    const std::string verb = s.step().directive->verb();
    auto loop = s.fields().name("loop");
    if (s.fields().factors.count("factor")) {
        check_tail(s, s.fields().tail);
        auto inner = loop + (verb == "unroll" ? "_u" : "_v");
        s.call(s.loops(), "split",
               s.list({s.block(), loop, loop, inner}) + ", " + s.factor("factor"));
        runs_on(s, loop);
        loop = inner;
    }
    run_as(s, verb, loop);
}

void atomic(TvmScheduler& s) {
    s.left_out("TensorIR's schedule has no such directive, and refuses parallel loops whose "
               "iterations combine into one element");
}

} // namespace

void tvm_other_directive(TvmScheduler& s) {
    const auto effect = loop_effect(s.step());
    if (!effect)
        return s.left_out("this exporter has nothing for it");
    if (effect->empty())
        return s.remark(s.loops(), "the loops are so already");
    for (const auto& each : effect->rewrites) {
        if (each.kind == Relation::Kind::Fuse) {
            s.call(s.loops(), "fuse", s.list({s.block(), each.outer, each.inner, each.whole}));
            continue;
        }
        check_tail(s, each.tail);
        s.call(s.loops(), "split",
               s.list({s.block(), each.whole, each.outer, each.inner}) + ", " +
                   std::to_string(each.factor));
    }
    if (!effect->order.empty())
        s.call(s.loops(), "reorder", s.quoted(s.block()) + ", " + s.list(effect->order));
    for (const auto& [loop, kind] : effect->kinds) {
        const bool is_new =
            !s.step()
                 .before.find(s.step().receiver.stage)
                 ->definitions[static_cast<std::size_t>(s.step().receiver.definition)]
                 .find(loop);
        if (kind == LoopKind::Serial && !is_new)
            run_serially(s, loop);
        else
            run_as_kind(s, loop, kind);
    }
}

const TvmHandlers& tvm_loop_handlers() {
    static const TvmHandlers all{
        {"split", split},     {"tile", tile},     {"gpu_tile", gpu_tile}, {"fuse", fuse},
        {"reorder", reorder}, {"serial", serial}, {"parallel", kind},     {"unroll", kind},
        {"vectorize", kind},  {"atomic", atomic}, {"bind", level},        {"persistent", level},
    };
    return all;
}

} // namespace loopscope::codegen
