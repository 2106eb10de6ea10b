#include "compiler/codegen/tvm/schedule.h"

#include "compiler/codegen/foreign/directive_fields.h"
#include "core/schedule/nest.h"

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
        for (auto& line : elsewhere_)
            out_.lines.push_back(std::move(line));
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
            {"parallel", &Scheduler::kind},
            {"unroll", &Scheduler::kind},
            {"vectorize", &Scheduler::kind},
            {"inline", &Scheduler::inline_stage},
            {"compute_root", &Scheduler::compute_root},
            {"compute_at", &Scheduler::compute_at},
            {"cache_read", &Scheduler::in_the_program},
            {"cache_write", &Scheduler::in_the_program},
            {"rfactor", &Scheduler::in_the_program},
            {"contract", &Scheduler::contract},
            {"fast_math", &Scheduler::contract},
            {"reorder_storage", &Scheduler::reorder_storage},
            {"bind", &Scheduler::level},
            {"scope", &Scheduler::hint},
        };
        return all;
    }

    void translate(const ForeignStep& step) {
        step_ = &step;
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
            left_out("TensorIR's schedule has no such directive");
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

    std::vector<TvmSchedule::Line>& here(bool placement) {
        return (placement ? placements_ : loops_)[step_->receiver.stage];
    }
    void say(const std::string& text, bool placement = false) {
        here(placement).push_back(
            {text, {step_->receiver.stage, step_->receiver.definition, "@compute"}});
    }
    void call(const std::string& function, const std::string& arguments, bool placement = false) {
        say("step(" + quoted(step_->directive->text()) + ", lambda: " + function + "(" + arguments +
                "))",
            placement);
    }
    std::string remark(const std::string& reason) const {
        return "# " + step_->directive->text() + ": " + reason + ".";
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
        say(remark("left out, for " + reason));
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
        say(remark(reason));
        warn(reason);
    }

    void split() {
        check_tail();
        call("split",
             list({block_, fields_.name("loop"), fields_.name("outer"), fields_.name("inner")}) +
                 ", " + factor("factor"));
    }

    void tile() {
        check_tail();
        call("tile",
             list({block_, fields_.name("y"), fields_.name("x"), fields_.name("y_outer"),
                   fields_.name("x_outer"), fields_.name("y_inner"), fields_.name("x_inner")}) +
                 ", " + factor("y_factor") + ", " + factor("x_factor"));
    }

    void gpu_tile() {
        tile();
        level();
    }

    void fuse() {
        call("fuse",
             list({block_, fields_.name("outer"), fields_.name("inner"), fields_.name("fused")}));
    }

    void reorder() { call("reorder", quoted(block_) + ", " + list(fields_.lists.at("loops"))); }
    void serial() { say(remark("loops are serial unless something else is said")); }

    void kind() {
        std::string verb = step_->directive->verb();
        auto loop = fields_.name("loop");
        if (fields_.factors.count("factor")) {
            check_tail();
            auto inner = loop + (verb == "unroll" ? "_u" : "_v");
            call("split", list({block_, loop, loop, inner}) + ", " + factor("factor"));
            loop = inner;
        }
        call(verb, list({block_, loop}));
    }

    void inline_stage() { call("inline", quoted(block_), true); }
    void compute_root() { say(remark("blocks stand at root unless something else is said"), true); }

    void compute_at() {
        const auto& host = fields_.definitions.at("host");
        auto found = blocks_.find({host.stage, host.definition});
        if (found == blocks_.end())
            return left_out("TVM does not see " + host.text());
        std::vector<std::string> own;
        for (const auto& [key, block] : blocks_)
            if (key.first == step_->receiver.stage)
                own.push_back(block);
        // The last block first: the earlier ones are read by it.
        for (auto block = own.rbegin(); block != own.rend(); ++block)
            call("compute_at", list({*block, found->second, fields_.name("loop")}), true);
    }

    void in_the_program() { say(remark("a block of its own"), true); }

    void contract() {
        say(remark("TensorIR has no such directive: the definition says what is fused or "
                   "approximated"));
        warn("TensorIR has no such directive; the definition calls a function for each fma");
    }

    void reorder_storage() {
        const auto& stage = program_.find(step_->receiver.stage)->stage;
        std::string order;
        for (const auto& dimension : fields_.lists.at("dimensions"))
            order += (order.empty() ? "" : ", ") + std::to_string(stage.dimension_of(dimension));
        call("storage_order", quoted(block_) + ", [" + order + "]");
    }

    void level() { left_out("the program is for a CPU, where such a loop is a plain one"); }
    void hint() { left_out("which memory holds it is a hint on a CPU"); }

    const ForeignProgram& program_;
    const ForeignInput& input_;
    const std::map<std::pair<std::string, int>, std::string>& blocks_;
    TvmSchedule out_;
    std::map<std::string, std::vector<TvmSchedule::Line>> placements_, loops_;
    std::vector<TvmSchedule::Line> elsewhere_;
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
