#pragma once
// Shared state of the translations of a script's lines into calls on a TensorIR schedule. Each is a
// function that stands in a table beside it, by the verb (tvm_loops.cpp, tvm_places.cpp): a verb in
// no table is translated by what it does to loops, or is said to be left out.

#include "compiler/codegen/foreign/directive_fields.h"
#include "compiler/codegen/tvm/schedule.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace loopscope::codegen {

class TvmScheduler {
public:
    using Lines = std::vector<TvmSchedule::Line>;
    using Blocks = std::map<std::pair<std::string, int>, std::string>; // by definition

    TvmScheduler(const ForeignProgram& all, const ForeignInput& input, const Blocks& of)
        : program(all), blocks(of), input_(input) {}

    Result<TvmSchedule> run();

    const ForeignProgram& program;
    const Blocks& blocks;

    // The line that is translated.
    const ForeignStep& step() const { return *step_; }
    const DirectiveFields& fields() const { return fields_; }
    const std::string& block() const { return block_; } // of the receiver
    std::vector<std::string> own_blocks() const; // of its stage, the first definition's first
    std::string factor(const std::string& field) const;
    const DefinitionState& nest(const std::string& stage, int definition) const;
    std::string components(const std::string& stage) const;

    // Where the line's calls stand.
    Lines& loops() { return loops_[step_->receiver.stage]; }
    Lines& placements() { return placements_[step_->receiver.stage]; }
    Lines memory, merges, ahead; // of all stages: they ask for loops that are there and stay

    // Writes for the line: a call; a remark, for a reason; a warning besides.
    void call(Lines& group, const std::string& function, const std::string& arguments);
    void remark(Lines& group, const std::string& reason);
    void warn(const std::string& reason);
    void left_out(const std::string& reason);

    // Says what the next calls are about. Of lines that say the same thing the last counts; TVM
    // cannot take back a call, so the calls of earlier ones are not made. Holds until the next
    // line, or until another thing is named.
    void replaces(const std::string& block, const std::string& thing);
    void replaces_nothing() { replaceable_ = nullptr; }

    static std::string quoted(const std::string& text) { return "\"" + text + "\""; }
    static std::string list(const std::vector<std::string>& names);

private:
    void translate(const ForeignStep& step);
    void say(Lines& group, const std::string& text);

    // Where a line stands that a later line of the same thing replaces.
    struct Said {
        Lines* group;
        std::size_t at;
        std::string directive;
    };

    const ForeignInput& input_;
    TvmSchedule out_;
    std::map<std::string, Lines> placements_, loops_; // by stage
    Lines elsewhere_;
    std::map<std::pair<std::string, std::string>, std::vector<Said>> said_; // of (block, thing)
    std::vector<Said>* replaceable_ = nullptr;
    const ForeignStep* step_ = nullptr;
    DirectiveFields fields_;
    std::string block_;
};

using TvmHandler = void (*)(TvmScheduler& scheduler);
using TvmHandlers = std::map<std::string, TvmHandler>; // by verb
const TvmHandlers& tvm_loop_handlers();
const TvmHandlers& tvm_place_handlers(); // stages, memory, arithmetic
// Handles verbs that no table has.
void tvm_other_directive(TvmScheduler& scheduler);

} // namespace loopscope::codegen
