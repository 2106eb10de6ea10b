#include "compiler/codegen/tvm/schedule.h"

#include "compiler/codegen/tvm/scheduler.h"
#include "core/schedule/nest.h"

namespace loopscope::codegen {

namespace {

std::string remark_on(const std::string& directive, const std::string& reason) {
    return "# " + directive + ": " + reason + ".";
}

// Null: no table has the verb.
TvmHandler handler_of(const std::string& verb) {
    for (const auto* handlers : {&tvm_loop_handlers(), &tvm_place_handlers()})
        if (auto found = handlers->find(verb); found != handlers->end())
            return found->second;
    return nullptr;
}

} // namespace

bool tvm_translates(const std::string& verb) { return handler_of(verb) != nullptr; }

Result<TvmSchedule> TvmScheduler::run() {
    auto steps = foreign_steps(program.tree->pipeline, *input_.schedule, input_.context);
    if (!steps)
        return steps.errors();
    for (const auto& step : *steps)
        translate(step);
    for (auto stage = program.stages.rbegin(); stage != program.stages.rend(); ++stage)
        for (auto* group : {&placements_, &loops_})
            for (auto& line : (*group)[stage->stage.name])
                out_.lines.push_back(std::move(line));
    for (auto* group : {&memory, &merges, &ahead, &elsewhere_})
        for (auto& line : *group)
            out_.lines.push_back(std::move(line));
    return std::move(out_);
}

void TvmScheduler::translate(const ForeignStep& step) {
    step_ = &step;
    replaceable_ = nullptr;
    fields_ = fields_of(*step.directive);
    auto block = blocks.find({step.receiver.stage, step.receiver.definition});
    if (block == blocks.end()) {
        elsewhere_.push_back(
            {remark_on(step.directive->text(), "its readers read a copy through it, and have its "
                                               "expression"),
             {}});
        return;
    }
    block_ = block->second;
    const auto handler = handler_of(step.directive->verb());
    (handler ? handler : tvm_other_directive)(*this);
}

std::string TvmScheduler::list(const std::vector<std::string>& names) {
    std::string out;
    for (const auto& name : names)
        out += (out.empty() ? "" : ", ") + quoted(name);
    return out;
}

void TvmScheduler::say(Lines& group, const std::string& text) {
    if (replaceable_)
        replaceable_->push_back({&group, group.size(), step_->directive->text()});
    group.push_back({text, {step_->receiver.stage, step_->receiver.definition, "@compute"}});
}

void TvmScheduler::call(Lines& group, const std::string& function, const std::string& arguments) {
    say(group, "step(" + quoted(step_->directive->text()) + ", lambda: " + function + "(" +
                   arguments + "))");
}

void TvmScheduler::remark(Lines& group, const std::string& reason) {
    say(group, remark_on(step_->directive->text(), reason));
}

void TvmScheduler::replaces(const std::string& block, const std::string& thing) {
    replaceable_ = &said_[{block, thing}];
    for (const auto& said : *replaceable_)
        (*said.group)[said.at].text = remark_on(said.directive, "a later line says otherwise");
    replaceable_->clear();
}

void TvmScheduler::warn(const std::string& reason) {
    if (step_->first)
        out_.warnings.push_back({Severity::Warning,
                                 "TVM: " + step_->directive->text() + ": " + reason,
                                 step_->directive->where,
                                 {},
                                 "no-such-directive"});
}

void TvmScheduler::left_out(const std::string& reason) {
    remark(loops(), "left out, for " + reason);
    warn("left out, for " + reason);
}

std::string TvmScheduler::factor(const std::string& field) const {
    auto value = factor_value(step_->before, step_->receiver.stage, fields_.factors.at(field),
                              input_.context);
    return std::to_string(value ? *value : 1);
}

std::vector<std::string> TvmScheduler::own_blocks() const {
    std::vector<std::string> own;
    for (const auto& [key, block] : blocks)
        if (key.first == step_->receiver.stage)
            own.push_back(block);
    return own;
}

const DefinitionState& TvmScheduler::nest(const std::string& stage, int definition) const {
    return program.tree->state.find(stage)->definitions[static_cast<std::size_t>(definition)];
}

std::string TvmScheduler::components(const std::string& stage) const {
    return std::to_string(program.find(stage)->stage.types.size());
}

Result<TvmSchedule> tvm_schedule(const ForeignProgram& program, const ForeignInput& input,
                                 const std::map<std::pair<std::string, int>, std::string>& blocks) {
    return TvmScheduler(program, input, blocks).run();
}

} // namespace loopscope::codegen
