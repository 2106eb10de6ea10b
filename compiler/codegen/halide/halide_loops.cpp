// The loops of a nest in Halide's calls.
#include "compiler/codegen/foreign/loop_effect.h"
#include "compiler/codegen/halide/scheduler.h"
#include "compiler/codegen/halide/tails.h"

namespace loopscope::codegen {

namespace {

bool has(const HalideNest& nest, const std::string& loop) { return nest.loops.count(loop) > 0; }

void split_one(HalideScheduler& s, HalideNest& nest, const LoopRewrite& split) {
    if (!has(nest, split.whole))
        return;
    auto whole = nest.loops.at(split.whole);
    nest.loops.erase(split.whole);
    auto text = nest.target + ".split(" + whole.name + ", ";
    std::string strategy = halide_tail(s.program, s.step(), nest.target == s.func(), split.whole,
                                       split.factor, split.tail);
    // Halide 14 computes too little of a guarded split whose outer part has the name of the whole.
    const bool guarded = strategy.find("GuardWithIf") != std::string::npos;
    auto out = s.new_loop(
        nest, guarded && split.outer == split.whole ? split.outer + "_outer" : split.outer,
        whole.reduction);
    auto in = s.new_loop(nest, split.inner, whole.reduction);
    nest.loops[split.outer] = out;
    nest.loops[split.inner] = in;
    s.say(text + out.name + ", " + in.name + ", " + std::to_string(split.factor) + ", " + strategy +
          ");");
}

void fuse_one(HalideScheduler& s, HalideNest& nest, const std::string& outer,
              const std::string& inner, const std::string& fused) {
    if (!has(nest, outer) || !has(nest, inner))
        return;
    auto a = nest.loops.at(outer), b = nest.loops.at(inner);
    nest.loops.erase(outer);
    nest.loops.erase(inner);
    auto made = s.new_loop(nest, fused, a.reduction);
    nest.loops[fused] = made;
    s.say(nest.target + ".fuse(" + b.name + ", " + a.name + ", " + made.name + ");");
}

// Loopscope has proven that iterations do not meet; Halide asks to be told.
void allow_races(HalideScheduler& s, HalideNest& nest) {
    if (nest.races_allowed || nest.atomic)
        return;
    s.say(nest.target + ".allow_race_conditions();");
    nest.races_allowed = true;
}

void make_atomic(HalideScheduler& s, HalideNest& nest) {
    if (!nest.atomic)
        s.say(nest.target + ".atomic(true);");
    nest.atomic = true;
}

void reorder_one(HalideScheduler& s, HalideNest& nest,
                 const std::vector<std::string>& outermost_first) {
    std::vector<std::string> names;
    int reductions = 0;
    for (const auto& loop : outermost_first)
        if (has(nest, loop)) {
            names.push_back(nest.loops.at(loop).name);
            reductions += nest.loops.at(loop).reduction ? 1 : 0;
        }
    if (reductions > 1)
        allow_races(s, nest);
    if (names.size() > 1)
        s.say(nest.target + ".reorder(" + reversed_list(names) + ");");
}

void run_as(HalideScheduler& s, const std::string& verb, const std::string& loop) {
    for (auto* nest : s.nests())
        if (has(*nest, loop))
            s.say(nest->target + "." + verb + "(" + nest->loops.at(loop).name + ");");
}

// In Halide both parts of a split run as the whole did.
void inner_is_serial(HalideScheduler& s, const std::string& whole, const std::string& inner) {
    if (s.kind_of(s.step().before, whole) != LoopKind::Serial)
        run_as(s, "serial", inner);
}

void split_all(HalideScheduler& s, const LoopRewrite& split) {
    for (auto* nest : s.nests())
        split_one(s, *nest, split);
}

void split(HalideScheduler& s) {
    const auto& f = s.fields();
    split_all(s, {Relation::Kind::Split, f.name("loop"), f.name("outer"), f.name("inner"),
                  s.factor("factor"), f.tail});
    inner_is_serial(s, f.name("loop"), f.name("inner"));
}

void tile(HalideScheduler& s) {
    const auto& f = s.fields();
    for (auto* nest : s.nests()) {
        split_one(s, *nest,
                  {Relation::Kind::Split, f.name("y"), f.name("y_outer"), f.name("y_inner"),
                   s.factor("y_factor"), f.tail});
        split_one(s, *nest,
                  {Relation::Kind::Split, f.name("x"), f.name("x_outer"), f.name("x_inner"),
                   s.factor("x_factor"), f.tail});
        reorder_one(s, *nest,
                    {f.name("y_outer"), f.name("x_outer"), f.name("y_inner"), f.name("x_inner")});
    }
    inner_is_serial(s, f.name("y"), f.name("y_inner"));
    inner_is_serial(s, f.name("x"), f.name("x_inner"));
}

void level(HalideScheduler& s) {
    s.left_out("the program is for a CPU, where such a loop is a plain one");
}

void gpu_tile(HalideScheduler& s) {
    tile(s);
    level(s);
}

void fuse(HalideScheduler& s) {
    const auto &outer = s.fields().name("outer"), &inner = s.fields().name("inner"),
               &fused = s.fields().name("fused");
    for (auto* nest : s.nests())
        fuse_one(s, *nest, outer, inner, fused);
    // In Halide it runs as the inner one did, here as both did, else one after another.
    if (s.kind_of(s.step().before, inner) != s.kind_of(s.step().after, fused))
        run_as(s, "serial", fused);
}

void reorder(HalideScheduler& s) {
    for (auto* nest : s.nests())
        reorder_one(s, *nest, s.fields().lists.at("loops"));
}

void serial(HalideScheduler& s) { run_as(s, "serial", s.fields().name("loop")); }

void run_parallel(HalideScheduler& s, const std::string& loop) {
    auto& nest = s.main_nest();
    if (has(nest, loop) && nest.loops.at(loop).reduction)
        allow_races(s, nest);
    run_as(s, "parallel", loop);
}
void parallel(HalideScheduler& s) { run_parallel(s, s.fields().name("loop")); }

// Splits by the factor, or, where Halide need not see that the extent is constant, by the extent.
std::string inner_loop(HalideScheduler& s, const std::string& suffix) {
    auto loop = s.fields().name("loop");
    auto inner = loop + suffix, outer = loop + "_whole";
    if (!has(s.main_nest(), loop))
        return loop;
    if (s.fields().factors.count("factor")) {
        split_all(s,
                  {Relation::Kind::Split, loop, loop, inner, s.factor("factor"), s.fields().tail});
        return inner; // what it runs as is said next
    }
    auto whole = loop_extent(s.program, s.step(), loop);
    if (whole && !is_inner_of_split(s.step(), loop) && !s.main_nest().loops.at(loop).reduction)
        for (auto* nest : s.nests()) {
            split_one(s, *nest, {Relation::Kind::Split, loop, outer, inner, *whole, Tail::Guard});
            nest->loops[loop] = nest->loops.at(inner);
            nest->loops.erase(inner);
            nest->loops.erase(outer);
        }
    return loop;
}

void unroll(HalideScheduler& s) { run_as(s, "unroll", inner_loop(s, "_u")); }

void run_vectorized(HalideScheduler& s, const std::string& loop) {
    auto& nest = s.main_nest();
    if (has(nest, loop) && nest.loops.at(loop).reduction) {
        const auto& definition = s.definition();
        // What is assigned does not combine: then the iterations are independent.
        if (definition.kind == DefinitionKind::Update && definition.update == UpdateOp::Assign)
            allow_races(s, nest);
        else
            make_atomic(s, nest);
    }
    run_as(s, "vectorize", loop);
}
void vectorize(HalideScheduler& s) { run_vectorized(s, inner_loop(s, "_v")); }

void atomic(HalideScheduler& s) {
    if (!s.main_nest().loops.empty())
        make_atomic(s, s.main_nest());
}

void run_as_kind(HalideScheduler& s, const std::string& loop, LoopKind kind) {
    switch (kind) {
    case LoopKind::Serial: return run_as(s, "serial", loop);
    case LoopKind::Parallel: return run_parallel(s, loop);
    case LoopKind::Unrolled: return run_as(s, "unroll", loop);
    case LoopKind::Vectorized: return run_vectorized(s, loop);
    }
}

} // namespace

void halide_other_directive(HalideScheduler& s) {
    const auto effect = loop_effect(s.step());
    if (!effect)
        return s.left_out("this exporter has nothing for it");
    if (effect->empty())
        return s.comment("the loops are so already");
    for (const auto& rewrite : effect->rewrites) {
        if (rewrite.kind == Relation::Kind::Split)
            split_all(s, rewrite);
        else
            for (auto* nest : s.nests())
                fuse_one(s, *nest, rewrite.outer, rewrite.inner, rewrite.whole);
    }
    for (auto* nest : s.nests())
        reorder_one(s, *nest, effect->order);
    for (const auto& [loop, kind] : effect->kinds)
        run_as_kind(s, loop, kind);
}

const HalideHandlers& halide_loop_handlers() {
    static const HalideHandlers all{
        {"split", split},         {"tile", tile},     {"gpu_tile", gpu_tile}, {"fuse", fuse},
        {"reorder", reorder},     {"serial", serial}, {"parallel", parallel}, {"unroll", unroll},
        {"vectorize", vectorize}, {"atomic", atomic}, {"bind", level},        {"persistent", level},
    };
    return all;
}

} // namespace loopscope::codegen
