#include "compiler/codegen/halide/schedule.h"

#include "compiler/codegen/c/comment.h"
#include "compiler/codegen/halide/scheduler.h"
#include "core/schedule/nest.h"

namespace loopscope::codegen {

namespace {

// Null: no table has the verb.
HalideHandler handler_of(const std::string& verb) {
    for (const auto* handlers : {&halide_loop_handlers(), &halide_place_handlers()})
        if (auto found = handlers->find(verb); found != handlers->end())
            return found->second;
    return nullptr;
}

} // namespace

bool halide_translates(const std::string& verb) { return handler_of(verb) != nullptr; }

Result<HalideSchedule> HalideScheduler::run() {
    auto steps = foreign_steps(program.tree->pipeline, *input_.schedule, input_.context);
    if (!steps)
        return steps.errors();
    out_.body.indent();
    out_.body.indent();
    bounds();
    for (const auto& step : *steps)
        translate(step);
    return std::move(out_);
}

// What is not said to be computed elsewhere is computed at root.
void HalideScheduler::bounds() {
    for (const auto& stage : program.stages) {
        const auto& made = algorithm.stages.at(stage.stage.name);
        NodeId origin{stage.stage.name, -1, "@stage"};
        if (stage.output)
            for (std::size_t d = 0; d < made.variables.size(); ++d)
                out_.body.line("if (CONSTANT_SIZES) " + made.result + ".bound(" +
                                   made.variables[d] + ", " + std::to_string(stage.box[d].least) +
                                   ", " + std::to_string(stage.box[d].extent()) + ");",
                               origin);
        if (!stage.inlined)
            out_.body.line(made.func + ".compute_root();", origin);
    }
}

void HalideScheduler::translate(const ForeignStep& step) {
    step_ = &step;
    fields_ = fields_of(*step.directive);
    origin_ = {step.receiver.stage, step.receiver.definition, "@compute"};
    const auto* stage = program.find(step.receiver.stage);
    if (!stage) {
        comment("its readers read a copy through it: it is written into them");
        return;
    }
    if (static_cast<std::size_t>(step.receiver.definition) >= stage->stage.definitions.size()) {
        comment("a later line has moved what it speaks of into a copy, as the definition says");
        return;
    }
    func_ = algorithm.stages.at(step.receiver.stage).func;
    nests_here_ = &nest_table_.of(step.receiver.stage, step.receiver.definition, out_.body);
    said_ = false;
    const auto handler = handler_of(step.directive->verb());
    (handler ? handler : halide_other_directive)(*this);
    if (!said_)
        comment("a later line has made it part of the definitions");
}

void HalideScheduler::say(const std::string& call) {
    out_.body.line(call, origin_);
    said_ = true;
}

void HalideScheduler::comment(const std::string& reason) {
    say("// " + comment_text(step_->directive->text()) + ": " + reason + ".");
}

void HalideScheduler::warn(const std::string& reason) {
    if (step_->first)
        out_.warnings.push_back({Severity::Warning,
                                 "Halide: " + step_->directive->text() + ": " + reason,
                                 step_->directive->where,
                                 {},
                                 "no-such-directive"});
}

void HalideScheduler::left_out(const std::string& reason) {
    comment("left out, for " + reason);
    warn("left out, for " + reason);
}

std::int64_t HalideScheduler::factor(const std::string& field) const {
    auto value = factor_value(step_->before, step_->receiver.stage, fields_.factors.at(field),
                              input_.context);
    return value ? *value : 1;
}

LoopKind HalideScheduler::kind_of(const ScheduleState& state, const std::string& loop) const {
    const auto& ref = step_->receiver;
    const auto* found =
        state.find(ref.stage)->definitions[static_cast<std::size_t>(ref.definition)].find(loop);
    return found ? found->kind : LoopKind::Serial;
}

const Definition& HalideScheduler::definition() const {
    const auto& ref = step_->receiver;
    return program.find(ref.stage)->stage.definitions[static_cast<std::size_t>(ref.definition)];
}

std::vector<HalideNest*> HalideScheduler::nests() {
    std::vector<HalideNest*> all{&nests_here_->main};
    if (nests_here_->init)
        all.push_back(&*nests_here_->init);
    return all;
}

HalideNest* HalideScheduler::nest_of(const DefinitionRef& other) {
    return program.find(other.stage)
               ? &nest_table_.of(other.stage, other.definition, out_.body).main
               : nullptr;
}

Result<HalideSchedule> halide_schedule(const ForeignProgram& program, const ForeignInput& input,
                                       HalideDialect& dialect, HalideAlgorithm& algorithm) {
    return HalideScheduler(program, input, dialect, algorithm).run();
}

} // namespace loopscope::codegen
