#include "compiler/codegen/tvm/schedule.h"

#include "compiler/codegen/foreign/directive_fields.h"
#include "core/schedule/nest.h"
#include "core/schedule/storage.h"

#include <algorithm>

namespace loopscope::codegen {

namespace {

class Scheduler {
public:
    Scheduler(const ForeignProgram& program, const ForeignInput& input,
              const std::map<std::pair<std::string, int>, std::string>& blocks)
        : program_(program), input_(input), blocks_(blocks) {}

    Result<TvmSchedule> run() {
        auto steps = foreign_steps(program_.tree->pipeline, *input_.schedule, input_.context);
        if (!steps)
            return steps.errors();
        for (const auto& step : *steps)
            translate(step);
        for (auto stage = program_.stages.rbegin(); stage != program_.stages.rend(); ++stage)
            for (auto* group : {&placements_, &loops_})
                for (auto& line : (*group)[stage->stage.name])
                    out_.lines.push_back(std::move(line));
        for (auto* group : {&memory_, &merges_, &ahead_, &elsewhere_})
            for (auto& line : *group)
                out_.lines.push_back(std::move(line));
        return std::move(out_);
    }

private:
    using Handler = void (Scheduler::*)();
    using Lines = std::vector<TvmSchedule::Line>;

    // By verb, and not by the directives' classes: a verb that is not here is said to be left out.
    static const std::map<std::string, Handler>& handlers() {
        static const std::map<std::string, Handler> all{
            {"split", &Scheduler::split},
            {"tile", &Scheduler::tile},
            {"gpu_tile", &Scheduler::gpu_tile},
            {"fuse", &Scheduler::fuse},
            {"reorder", &Scheduler::reorder},
            {"serial", &Scheduler::serial},
            {"parallel", &Scheduler::kind},
            {"unroll", &Scheduler::kind},
            {"vectorize", &Scheduler::kind},
            {"inline", &Scheduler::inline_stage},
            {"compute_root", &Scheduler::compute_root},
            {"compute_at", &Scheduler::compute_at},
            {"compute_with", &Scheduler::compute_with},
            {"store_root", &Scheduler::stored},
            {"store_at", &Scheduler::stored},
            {"pipeline", &Scheduler::pipeline},
            {"cache_read", &Scheduler::copy},
            {"cache_write", &Scheduler::copy},
            {"rfactor", &Scheduler::in_the_program},
            {"contract", &Scheduler::contract},
            {"fast_math", &Scheduler::contract},
            {"reorder_storage", &Scheduler::reorder_storage},
            {"pad_storage", &Scheduler::pad_storage},
            {"scope", &Scheduler::scope},
            {"bind", &Scheduler::level},
            {"persistent", &Scheduler::level},
            {"specialize", &Scheduler::warps},
            {"swizzle", &Scheduler::banks},
            {"atomic", &Scheduler::atomic},
            {"non_temporal", &Scheduler::no_such_directive},
            {"prefetch", &Scheduler::no_such_directive},
        };
        return all;
    }

    void translate(const ForeignStep& step) {
        step_ = &step;
        replaceable_ = nullptr;
        fields_ = fields_of(*step.directive);
        auto key = std::pair(step.receiver.stage, step.receiver.definition);
        auto block = blocks_.find(key);
        if (block == blocks_.end()) {
            elsewhere_.push_back(
                {remark("its readers read a copy through it, and have its expression"), {}});
            return;
        }
        block_ = block->second;
        auto handler = handlers().find(step.directive->verb());
        if (handler == handlers().end())
            left_out("this exporter has nothing for it");
        else
            (this->*handler->second)();
    }

    static std::string quoted(const std::string& text) { return "\"" + text + "\""; }
    static std::string list(const std::vector<std::string>& names) {
        std::string out;
        for (const auto& name : names)
            out += (out.empty() ? "" : ", ") + quoted(name);
        return out;
    }

    Lines& loops() { return loops_[step_->receiver.stage]; }
    Lines& placements() { return placements_[step_->receiver.stage]; }

    void say(Lines& group, const std::string& text) {
        if (replaceable_)
            replaceable_->push_back({&group, group.size(), step_->directive->text()});
        group.push_back({text, {step_->receiver.stage, step_->receiver.definition, "@compute"}});
    }
    void call(Lines& group, const std::string& function, const std::string& arguments) {
        say(group, "step(" + quoted(step_->directive->text()) + ", lambda: " + function + "(" +
                       arguments + "))");
    }
    static std::string remark(const std::string& directive, const std::string& reason) {
        return "# " + directive + ": " + reason + ".";
    }
    std::string remark(const std::string& reason) const {
        return remark(step_->directive->text(), reason);
    }

    // The last line counts of those that say one thing. TVM cannot take back a call, so the earlier ones are not made: until
    // the next directive, or until another thing is named, lines are of this one.
    void replaces(const std::string& block, const std::string& thing) {
        replaceable_ = &said_[{block, thing}];
        for (const auto& said : *replaceable_)
            (*said.group)[said.at].text = remark(said.directive, "a later line says otherwise");
        replaceable_->clear();
    }

    void warn(const std::string& reason) {
        if (step_->first)
            out_.warnings.push_back({Severity::Warning,
                                     "TVM: " + step_->directive->text() + ": " + reason,
                                     step_->directive->where,
                                     {},
                                     "no-such-directive"});
    }
    void left_out(const std::string& reason) {
        say(loops(), remark("left out, for " + reason));
        warn("left out, for " + reason);
    }

    std::string factor(const std::string& field) const {
        auto value = factor_value(step_->before, step_->receiver.stage, fields_.factors.at(field),
                                  input_.context);
        return std::to_string(value ? *value : 1);
    }

    // TVM guards all tails.
    void check_tail() {
        if (fields_.tail == Tail::Guard)
            return;
        auto reason =
            std::string("TVM guards the tail, and does not ") + name(fields_.tail) + " it";
        say(loops(), remark(reason));
        warn(reason);
    }

    void run_as(const std::string& verb, const std::string& loop) {
        replaces(block_, "loop " + loop);
        call(loops(), verb, list({block_, loop}));
        replaceable_ = nullptr;
    }

    // What TVM splits or fuses is serial then. Vectorised loops are neither split nor fused.
    void runs_on(const std::string& loop) {
        const auto& ref = step_->receiver;
        const auto* found = step_->after.find(ref.stage)
                                ->definitions[static_cast<std::size_t>(ref.definition)]
                                .find(loop);
        if (found && (found->kind == LoopKind::Parallel || found->kind == LoopKind::Unrolled))
            run_as(found->kind == LoopKind::Parallel ? "parallel" : "unroll", loop);
    }

    void split() {
        check_tail();
        call(loops(), "split",
             list({block_, fields_.name("loop"), fields_.name("outer"), fields_.name("inner")}) +
                 ", " + factor("factor"));
        runs_on(fields_.name("outer"));
    }

    void tile() {
        check_tail();
        call(loops(), "tile",
             list({block_, fields_.name("y"), fields_.name("x"), fields_.name("y_outer"),
                   fields_.name("x_outer"), fields_.name("y_inner"), fields_.name("x_inner")}) +
                 ", " + factor("y_factor") + ", " + factor("x_factor"));
        runs_on(fields_.name("y_outer"));
        runs_on(fields_.name("x_outer"));
    }

    void gpu_tile() {
        tile();
        level();
    }

    void fuse() {
        call(loops(), "fuse",
             list({block_, fields_.name("outer"), fields_.name("inner"), fields_.name("fused")}));
        runs_on(fields_.name("fused"));
    }

    void reorder() {
        call(loops(), "reorder", quoted(block_) + ", " + list(fields_.lists.at("loops")));
    }

    void serial() {
        replaces(block_, "loop " + fields_.name("loop"));
        say(loops(), remark("loops are serial unless something else is said"));
    }

    void kind() {
        std::string verb = step_->directive->verb();
        auto loop = fields_.name("loop");
        if (fields_.factors.count("factor")) {
            check_tail();
            auto inner = loop + (verb == "unroll" ? "_u" : "_v");
            call(loops(), "split", list({block_, loop, loop, inner}) + ", " + factor("factor"));
            runs_on(loop);
            loop = inner;
        }
        run_as(verb, loop);
    }

    void inline_stage() {
        replaces(block_, "place");
        call(placements(), "compute_inline", quoted(block_));
    }

    void compute_root() {
        replaces(block_, "place");
        say(placements(), remark("blocks stand at root unless something else is said"));
    }

    // The blocks of the receiver's stage, the first definition's first.
    std::vector<std::string> own_blocks() const {
        std::vector<std::string> own;
        for (const auto& [key, block] : blocks_)
            if (key.first == step_->receiver.stage)
                own.push_back(block);
        return own;
    }

    void compute_at() {
        replaces(block_, "place");
        const auto& host = fields_.definitions.at("host");
        auto found = blocks_.find({host.stage, host.definition});
        if (found == blocks_.end())
            return left_out("TVM does not see " + host.text());
        auto own = own_blocks();
        // The last block first: the earlier ones are read by it.
        for (auto block = own.rbegin(); block != own.rend(); ++block)
            call(placements(), "compute_at", list({*block, found->second, fields_.name("loop")}));
    }

    void stored() {
        left_out(
            "TensorIR stores what an iteration computes for as long as the iteration lasts, and "
            "computes again what the next one shares with it");
    }

    const DefinitionState& nest(const std::string& stage, int definition) const {
        return program_.tree->state.find(stage)->definitions[static_cast<std::size_t>(definition)];
    }

    // The loops of both as the script leaves them, down to the shared one.
    void compute_with() {
        replaces(block_, "with");
        const auto& ref = step_->receiver;
        const auto& with = step_->after.find(ref.stage)
                               ->definitions[static_cast<std::size_t>(ref.definition)]
                               .with;
        auto host = with ? blocks_.find({with->stage, with->definition}) : blocks_.end();
        if (host == blocks_.end())
            return left_out("TVM does not see " + fields_.definitions.at("host").text());
        const auto& shared = nest(with->stage, with->definition);
        const auto& own = nest(ref.stage, ref.definition).loops;
        auto depth = static_cast<std::size_t>(shared.position_of(with->loop) + 1);
        std::vector<std::string> here, there;
        for (std::size_t i = 0; i < depth; ++i) {
            here.push_back(own[i].name);
            there.push_back(shared.loops[i].name);
        }
        call(merges_, "merge",
             quoted(block_) + ", [" + list(here) + "], " + quoted(host->second) + ", [" +
                 list(there) + "]");
        for (std::size_t i = 0; i < depth; ++i) // merged, they are serial
            if (shared.loops[i].kind != LoopKind::Serial)
                call(merges_, shared.loops[i].kind == LoopKind::Parallel ? "parallel" : "unroll",
                     list({host->second, there[i]}));
    }

    void pipeline() {
        replaces(block_, "ahead");
        auto copies = fields_.counts.at("copies");
        if (copies < 2)
            return say(loops(), remark("1 is none"));
        const auto& at = program_.tree->state.find(step_->receiver.stage)->compute.at;
        auto host = blocks_.find({at.stage, at.definition});
        if (host == blocks_.end())
            return left_out("TVM does not see the loop at which it is computed");
        const auto& loops = nest(at.stage, at.definition);
        auto name = loops.loops[static_cast<std::size_t>(loops.position_of(at.loop))].name;
        call(ahead_, "pipeline",
             "[" + list(own_blocks()) + "], " + list({host->second, name}) + ", " +
                 std::to_string(copies));
    }

    void in_the_program() { say(placements(), remark("a block of its own")); }

    void copy() {
        in_the_program();
        auto made = fields_.names.count("copy") ? "copy" : "result";
        auto block = blocks_.find({fields_.name(made), 0});
        if (block != blocks_.end())
            keep_in(block->first.first, block->second);
    }

    // On a CPU TVM takes it for a hint, as the pipeline language does.
    void keep_in(const std::string& stage, const std::string& block) {
        replaces(block, "scope");
        const auto& memory = fields_.name("scope");
        if (program_.tree->state.find(stage)->compute.kind == Placement::Kind::Inline)
            return;
        if (memory == "global" || memory == "shared" || memory == "local")
            call(memory_, "set_scope", list({block, memory}) + ", " + components(stage));
        else
            left_out("TVM has no memory of that name");
    }
    void scope() { keep_in(step_->receiver.stage, block_); }

    std::string components(const std::string& stage) const {
        return std::to_string(program_.find(stage)->stage.types.size());
    }

    void reorder_storage() {
        replaces(block_, "order");
        const auto& stage = program_.find(step_->receiver.stage)->stage;
        std::string order;
        for (const auto& dimension : fields_.lists.at("dimensions"))
            order += (order.empty() ? "" : ", ") + std::to_string(stage.dimension_of(dimension));
        call(loops(), "transform_layout",
             quoted(block_) + ", [" + order + "], " + components(stage.name));
    }

    // As a stride: that of the index outside of the padded one.
    void pad_storage() {
        const auto& dimension = fields_.name("dimension");
        replaces(block_, "pad " + dimension);
        const auto& stage = step_->receiver.stage;
        const auto* storage = program_.tree->find({stage, -1, "@storage"});
        if (!storage || fields_.counts.at("elements") == 0)
            return say(loops(), remark("nothing is added"));
        auto order = storage_order(*storage);
        auto extents = storage_extents(*storage);
        auto padded = program_.find(stage)->stage.dimension_of(dimension);
        auto at =
            static_cast<std::size_t>(std::find(order.begin(), order.end(), padded) - order.begin());
        if (at == 0)
            return left_out("TensorIR pads strides, and no index is outside of " + dimension);
        std::int64_t stride = 1;
        for (std::size_t d = at; d < order.size(); ++d)
            stride *= extents[order[d]];
        call(memory_, "storage_align",
             quoted(block_) + ", " + std::to_string(at - 1) + ", " + std::to_string(stride) + ", " +
                 components(stage));
    }

    void contract() {
        say(loops(), remark("TensorIR has no such directive: the definition says what is fused or "
                            "approximated"));
        bool approximates = std::string(step_->directive->verb()) == "fast_math";
        warn(std::string("TensorIR has no such directive; the definition calls ") +
             (approximates ? "the approximations" : "a function for each fma"));
    }

    void no_such_directive() { left_out("TensorIR's schedule has no such directive"); }
    void atomic() {
        left_out("TensorIR's schedule has no such directive, and refuses parallel loops whose "
                 "iterations combine into one element");
    }
    void level() { left_out("the program is for a CPU, where such a loop is a plain one"); }
    void warps() { left_out("the program is for a CPU, which has no warps"); }
    void banks() { left_out("the program is for a CPU, whose memory has no banks"); }

    // Where a line stands that another of the same thing takes the place of.
    struct Said {
        Lines* group;
        std::size_t at;
        std::string directive;
    };

    const ForeignProgram& program_;
    const ForeignInput& input_;
    const std::map<std::pair<std::string, int>, std::string>& blocks_;
    TvmSchedule out_;
    std::map<std::string, Lines> placements_, loops_;
    Lines memory_, merges_, ahead_; // of all stages: they ask for loops that are there and stay
    Lines elsewhere_;
    std::map<std::pair<std::string, std::string>, std::vector<Said>> said_; // of (block, thing)
    std::vector<Said>* replaceable_ = nullptr;
    const ForeignStep* step_ = nullptr;
    DirectiveFields fields_;
    std::string block_;
};

} // namespace

Result<TvmSchedule> tvm_schedule(const ForeignProgram& program, const ForeignInput& input,
                                 const std::map<std::pair<std::string, int>, std::string>& blocks) {
    return Scheduler(program, input, blocks).run();
}

} // namespace loopscope::codegen
