#include "compiler/codegen/halide/schedule.h"

#include "compiler/codegen/c/comment.h"
#include "compiler/codegen/foreign/directive_fields.h"
#include "compiler/codegen/halide/nests.h"
#include "compiler/codegen/halide/tails.h"
#include "core/schedule/nest.h"
#include "core/schedule/storage.h"

#include <algorithm>

namespace loopscope::codegen {

namespace {

class Scheduler {
public:
    Scheduler(const ForeignProgram& program, const ForeignInput& input, HalideDialect& dialect,
              HalideAlgorithm& algorithm)
        : program_(program),
          input_(input),
          algorithm_(algorithm),
          nests_(program, dialect, algorithm) {}

    Result<HalideSchedule> run() {
        auto steps = foreign_steps(program_.tree->pipeline, *input_.schedule, input_.context);
        if (!steps)
            return steps.errors();
        out_.body.indent();
        out_.body.indent();
        bounds();
        for (const auto& step : *steps)
            translate(step);
        return std::move(out_);
    }

private:
    using Handler = void (Scheduler::*)();

    // By verb, and not by the directives' classes: a verb that is not here is said to be left out.
    static const std::map<std::string, Handler>& handlers() {
        static const std::map<std::string, Handler> all{
            {"split", &Scheduler::split},
            {"tile", &Scheduler::tile},
            {"gpu_tile", &Scheduler::gpu_tile},
            {"fuse", &Scheduler::fuse},
            {"reorder", &Scheduler::reorder},
            {"serial", &Scheduler::serial},
            {"parallel", &Scheduler::parallel},
            {"unroll", &Scheduler::unroll},
            {"vectorize", &Scheduler::vectorize},
            {"inline", &Scheduler::inline_stage},
            {"compute_root", &Scheduler::compute_root},
            {"compute_at", &Scheduler::compute_at},
            {"store_root", &Scheduler::store_root},
            {"store_at", &Scheduler::store_at},
            {"compute_with", &Scheduler::compute_with},
            {"cache_read", &Scheduler::in_the_algorithm},
            {"cache_write", &Scheduler::in_the_algorithm},
            {"rfactor", &Scheduler::in_the_algorithm},
            {"atomic", &Scheduler::atomic},
            {"contract", &Scheduler::contract},
            {"fast_math", &Scheduler::fast_math},
            {"reorder_storage", &Scheduler::reorder_storage},
            {"pad_storage", &Scheduler::pad_storage},
            {"prefetch", &Scheduler::prefetch},
            {"scope", &Scheduler::scope},
            {"bind", &Scheduler::level},
            {"persistent", &Scheduler::level},
            {"specialize", &Scheduler::warps},
            {"swizzle", &Scheduler::banks},
            {"pipeline", &Scheduler::pipeline},
            {"non_temporal", &Scheduler::no_such_directive},
        };
        return all;
    }

    // What is not said to be computed elsewhere is computed at root.
    void bounds() {
        for (const auto& stage : program_.stages) {
            const auto& made = algorithm_.stages.at(stage.stage.name);
            NodeId origin{stage.stage.name, -1, "@stage"};
            if (stage.output)
                for (std::size_t d = 0; d < made.variables.size(); ++d)
                    out_.body.line("if (CONSTANT_SIZES) " + made.result + ".bound(" +
                                       made.variables[d] + ", " +
                                       std::to_string(stage.box[d].least) + ", " +
                                       std::to_string(stage.box[d].extent()) + ");",
                                   origin);
            if (!stage.inlined)
                out_.body.line(made.func + ".compute_root();", origin);
        }
    }

    void translate(const ForeignStep& step) {
        step_ = &step;
        fields_ = fields_of(*step.directive);
        origin_ = {step.receiver.stage, step.receiver.definition, "@compute"};
        const auto* stage = program_.find(step.receiver.stage);
        if (!stage) {
            comment("its readers read a copy through it: it is written into them");
            return;
        }
        if (static_cast<std::size_t>(step.receiver.definition) >= stage->stage.definitions.size()) {
            comment("a later line has moved what it speaks of into a copy, as the definition says");
            return;
        }
        func_ = algorithm_.stages.at(step.receiver.stage).func;
        nests_here_ = &nests_.of(step.receiver.stage, step.receiver.definition, out_.body);
        auto handler = handlers().find(step.directive->verb());
        said_ = false;
        if (handler == handlers().end())
            left_out("this exporter has nothing for it");
        else
            (this->*handler->second)();
        if (!said_)
            comment("a later line has made it part of the definitions");
    }

    void say(const std::string& line) {
        out_.body.line(line, origin_);
        said_ = true;
    }
    void comment(const std::string& reason) {
        say("// " + comment_text(step_->directive->text()) + ": " + reason + ".");
    }
    void warn(const std::string& reason) {
        if (step_->first)
            out_.warnings.push_back({Severity::Warning,
                                     "Halide: " + step_->directive->text() + ": " + reason,
                                     step_->directive->where,
                                     {},
                                     "no-such-directive"});
    }
    void left_out(const std::string& reason) {
        comment("left out, for " + reason);
        warn("left out, for " + reason);
    }

    std::int64_t factor(const std::string& field) const {
        auto value = factor_value(step_->before, step_->receiver.stage, fields_.factors.at(field),
                                  input_.context);
        return value ? *value : 1;
    }

    static bool has(const HalideNest& nest, const std::string& loop) {
        return nest.loops.count(loop) > 0;
    }

    // The nests that the directive acts on: also the initialisation's, as far as it has the loops.
    std::vector<HalideNest*> nests() {
        std::vector<HalideNest*> all{&nests_here_->main};
        if (nests_here_->init)
            all.push_back(&*nests_here_->init);
        return all;
    }

    void split_one(HalideNest& nest, const std::string& loop, const std::string& outer,
                   const std::string& inner, std::int64_t count, Tail asked) {
        if (!has(nest, loop))
            return;
        auto whole = nest.loops.at(loop);
        nest.loops.erase(loop);
        auto text = nest.target + ".split(" + whole.name + ", ";
        auto strategy = halide_tail(program_, *step_, nest.target == func_, loop, count, asked);
        // Halide 14 computes too little of a guarded split whose outer part has the name of the whole.
        const bool guarded = std::string(strategy).find("GuardWithIf") != std::string::npos;
        auto out =
            nests_.make(step_->receiver.stage, nest,
                        guarded && outer == loop ? outer + "_outer" : outer, whole.reduction);
        auto in = nests_.make(step_->receiver.stage, nest, inner, whole.reduction);
        nest.loops[outer] = out;
        nest.loops[inner] = in;
        say(text + out.name + ", " + in.name + ", " + std::to_string(count) + ", " + strategy +
            ");");
    }

    LoopKind kind_of(const ScheduleState& state, const std::string& loop) const {
        const auto& ref = step_->receiver;
        const auto* found =
            state.find(ref.stage)->definitions[static_cast<std::size_t>(ref.definition)].find(loop);
        return found ? found->kind : LoopKind::Serial;
    }

    // In Halide both parts of a split run as the whole did.
    void inner_is_serial(const std::string& whole, const std::string& inner) {
        if (kind_of(step_->before, whole) != LoopKind::Serial)
            kind("serial", inner);
    }

    void split() {
        for (auto* nest : nests())
            split_one(*nest, fields_.name("loop"), fields_.name("outer"), fields_.name("inner"),
                      factor("factor"), fields_.tail);
        inner_is_serial(fields_.name("loop"), fields_.name("inner"));
    }

    void tile() {
        for (auto* nest : nests()) {
            split_one(*nest, fields_.name("y"), fields_.name("y_outer"), fields_.name("y_inner"),
                      factor("y_factor"), fields_.tail);
            split_one(*nest, fields_.name("x"), fields_.name("x_outer"), fields_.name("x_inner"),
                      factor("x_factor"), fields_.tail);
            reorder_one(*nest, {fields_.name("y_outer"), fields_.name("x_outer"),
                                fields_.name("y_inner"), fields_.name("x_inner")});
        }
        inner_is_serial(fields_.name("y"), fields_.name("y_inner"));
        inner_is_serial(fields_.name("x"), fields_.name("x_inner"));
    }

    void gpu_tile() {
        tile();
        level();
    }

    void fuse() {
        for (auto* nest : nests()) {
            auto outer = fields_.name("outer"), inner = fields_.name("inner");
            if (!has(*nest, outer) || !has(*nest, inner))
                continue;
            auto a = nest->loops.at(outer), b = nest->loops.at(inner);
            nest->loops.erase(outer);
            nest->loops.erase(inner);
            auto made =
                nests_.make(step_->receiver.stage, *nest, fields_.name("fused"), a.reduction);
            nest->loops[fields_.name("fused")] = made;
            say(nest->target + ".fuse(" + b.name + ", " + a.name + ", " + made.name + ");");
        }
        // In Halide it runs as the inner one did, here as both did, else one after another.
        if (kind_of(step_->before, fields_.name("inner")) !=
            kind_of(step_->after, fields_.name("fused")))
            kind("serial", fields_.name("fused"));
    }

    void reorder_one(HalideNest& nest, const std::vector<std::string>& outermost_first) {
        std::vector<std::string> names;
        int reductions = 0;
        for (const auto& loop : outermost_first)
            if (has(nest, loop)) {
                names.push_back(nest.loops.at(loop).name);
                reductions += nest.loops.at(loop).reduction ? 1 : 0;
            }
        if (reductions > 1)
            allow_races(nest);
        if (names.size() > 1)
            say(nest.target + ".reorder(" + reversed_list(names) + ");");
    }

    void reorder() {
        for (auto* nest : nests())
            reorder_one(*nest, fields_.lists.at("loops"));
    }

    // Loopscope has proven that iterations do not meet; Halide asks to be told.
    void allow_races(HalideNest& nest) {
        if (!nest.races_allowed && !nest.atomic) {
            say(nest.target + ".allow_race_conditions();");
            nest.races_allowed = true;
        }
    }
    void make_atomic(HalideNest& nest) {
        if (!nest.atomic)
            say(nest.target + ".atomic(true);");
        nest.atomic = true;
    }

    void kind(const std::string& verb, const std::string& loop) {
        for (auto* nest : nests())
            if (has(*nest, loop))
                say(nest->target + "." + verb + "(" + nest->loops.at(loop).name + ");");
    }

    void serial() { kind("serial", fields_.name("loop")); }

    void parallel() {
        auto& nest = nests_here_->main;
        if (has(nest, fields_.name("loop")) && nest.loops.at(fields_.name("loop")).reduction)
            allow_races(nest);
        kind("parallel", fields_.name("loop"));
    }

    // Splits by the factor, or, where Halide need not see that the extent is constant, by the extent.
    std::string inner_loop(const std::string& suffix) {
        auto loop = fields_.name("loop");
        if (!has(nests_here_->main, loop))
            return loop;
        if (fields_.factors.count("factor")) {
            auto inner = loop + suffix;
            for (auto* nest : nests())
                split_one(*nest, loop, loop, inner, factor("factor"), fields_.tail);
            return inner; // what it runs as is said next
        }
        auto whole = loop_extent(program_, *step_, loop);
        if (whole && !is_inner_of_split(*step_, loop) &&
            !nests_here_->main.loops.at(loop).reduction)
            for (auto* nest : nests()) {
                auto inner = loop + suffix;
                auto outer = loop + "_whole";
                split_one(*nest, loop, outer, inner, *whole, Tail::Guard);
                nest->loops[loop] = nest->loops.at(inner);
                nest->loops.erase(inner);
                nest->loops.erase(outer);
            }
        return loop;
    }

    void unroll() { kind("unroll", inner_loop("_u")); }

    void vectorize() {
        auto loop = inner_loop("_v");
        auto& nest = nests_here_->main;
        if (has(nest, loop) && nest.loops.at(loop).reduction) {
            const auto& ref = step_->receiver;
            const auto& definition =
                program_.find(ref.stage)
                    ->stage.definitions[static_cast<std::size_t>(ref.definition)];
            // What is assigned does not combine: then the iterations are independent.
            if (definition.kind == DefinitionKind::Update && definition.update == UpdateOp::Assign)
                allow_races(nest);
            else
                make_atomic(nest);
        }
        kind("vectorize", loop);
    }

    // Where Halide stores a Func outlives a change of where it computes it.
    void stored_where_computed() {
        const auto* state = step_->before.find(step_->receiver.stage);
        if (state && state->store != state->compute)
            say(func_ + ".store_at(LoopLevel::inlined());");
    }

    void inline_stage() {
        stored_where_computed();
        say(func_ + ".compute_inline();");
    }
    void compute_root() {
        stored_where_computed();
        say(func_ + ".compute_root();");
    }
    void compute_at() {
        stored_where_computed();
        placed("compute_at");
    }
    void store_root() { say(func_ + ".store_root();"); }
    void store_at() { placed("store_at"); }

    void placed(const std::string& verb) {
        auto host = fields_.definitions.at("host");
        auto found = host_loop(host);
        if (found.empty())
            return left_out("Halide does not see the loop " + host.text() + "." +
                            fields_.name("loop"));
        say(func_ + "." + verb + "(" + algorithm_.stages.at(host.stage).func + ", " + found + ");");
    }

    std::string host_loop(const DefinitionRef& host) {
        if (!program_.find(host.stage))
            return {};
        auto& nest = nests_.of(host.stage, host.definition, out_.body).main;
        auto loop = nest.loops.find(fields_.name("loop"));
        return loop == nest.loops.end() ? "" : loop->second.name;
    }

    void compute_with() {
        auto host = fields_.definitions.begin();
        auto found = host == fields_.definitions.end() ? "" : host_loop(host->second);
        if (found.empty())
            return left_out("Halide does not see that loop");
        auto& nest = nests_.of(host->second.stage, host->second.definition, out_.body).main;
        say(nests_here_->main.target + ".compute_with(" + nest.target + ", " + found + ");");
    }

    void in_the_algorithm() {
        auto made = fields_.names.count("copy") ? fields_.name("copy") : fields_.name("result");
        comment(made + " is a Func of its own in define()" +
                (fields_.names.count("scope") ? ", in memory that Halide chooses" : ""));
    }

    void atomic() {
        if (nests_here_->main.loops.empty())
            return;
        make_atomic(nests_here_->main);
    }

    void contract() {
        comment("Halide has no such directive: the definition calls ops::fused");
        warn("Halide has no such directive; the definition calls a function for each fma");
    }

    void fast_math() {
        comment("Halide has no such directive: the definition calls the approximations and "
                "ops::fused");
        warn("Halide has no such directive; the definition calls the approximations");
    }

    void reorder_storage() {
        const auto& stage = program_.find(step_->receiver.stage)->stage;
        std::vector<std::string> order;
        for (const auto& dimension : fields_.lists.at("dimensions"))
            order.push_back(
                algorithm_.stages.at(stage.name).variables[stage.dimension_of(dimension)]);
        if (order.size() > 1)
            say(func_ + ".reorder_storage(" + reversed_list(order) + ");");
    }

    // An extent in memory that is a multiple of the padded one: that itself.
    void pad_storage() {
        const auto& stage = step_->receiver.stage;
        const auto* storage = program_.tree->find({stage, -1, "@storage"});
        auto d = program_.find(stage)->stage.dimension_of(fields_.name("dimension"));
        if (!storage)
            return comment("nothing is stored of it");
        if (storage->region.dimensions[d].unfolded > 0)
            return left_out("how far Halide folds " + fields_.name("dimension") +
                            " is not said there");
        auto extent = storage->region.dimensions[d].extent.constant();
        auto elements = fields_.counts.at("elements");
        say(func_ + ".align_storage(" + algorithm_.stages.at(stage).variables[d] + ", " +
            std::to_string(elements == 0 ? 1 : extent + elements) + ");");
    }

    void prefetch() {
        auto loop = fields_.names.count("loop") ? nests_here_->main.loops.find(fields_.name("loop"))
                                                : nests_here_->main.loops.end();
        auto source = fields_.names.find("source");
        if (loop == nests_here_->main.loops.end() || source == fields_.names.end() ||
            fields_.counts.empty())
            return left_out("its arguments are not those that this exporter knows");
        auto input = algorithm_.inputs.find(source->second);
        auto stage = algorithm_.stages.find(source->second);
        if (input == algorithm_.inputs.end() && stage == algorithm_.stages.end())
            return left_out("Halide does not see " + source->second);
        auto name = input == algorithm_.inputs.end() ? stage->second.result : input->second;
        say(nests_here_->main.target + ".prefetch(" + name + ", " + loop->second.name + ", " +
            loop->second.name + ", " + std::to_string(fields_.counts.begin()->second) + ");");
    }

    // MemoryType::Stack and Register are no hints: they ask for constant sizes, and for places that are constant.
    void scope() {
        if (fields_.name("scope") == "global")
            say(func_ + ".store_in(MemoryType::Heap);");
        else
            left_out(
                "it is a hint on a CPU, and Halide's store_in is none: it fails where the memory "
                "does not hold the stage");
    }

    void level() { left_out("the program is for a CPU, where such a loop is a plain one"); }
    void warps() {
        left_out(
            "the program is for a CPU, which has no warps; Halide's specialize is of conditions");
    }
    void banks() { left_out("the program is for a CPU, whose memory has no banks"); }
    void no_such_directive() { left_out("Halide 14 has no such directive"); }
    void pipeline() {
        if (fields_.counts.at("copies") < 2)
            return comment("1 is none");
        left_out("Halide 14 has no such directive: its async() computes in another thread");
    }

    const ForeignProgram& program_;
    const ForeignInput& input_;
    HalideAlgorithm& algorithm_;
    HalideNestTable nests_;
    HalideSchedule out_;
    const ForeignStep* step_ = nullptr;
    DirectiveFields fields_;
    NodeId origin_;
    std::string func_;
    HalideNests* nests_here_ = nullptr;
    bool said_ = false;
};

} // namespace

Result<HalideSchedule> halide_schedule(const ForeignProgram& program, const ForeignInput& input,
                                       HalideDialect& dialect, HalideAlgorithm& algorithm) {
    return Scheduler(program, input, dialect, algorithm).run();
}

} // namespace loopscope::codegen
