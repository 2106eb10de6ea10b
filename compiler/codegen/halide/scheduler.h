#pragma once
// Shared state of the translations of a script's lines into Halide's calls. Each is a function that
// stands in a table beside it, by the verb (halide_loops.cpp, halide_places.cpp): a verb in no
// table is translated by what it does to loops, or is said to be left out.

#include "compiler/codegen/foreign/directive_fields.h"
#include "compiler/codegen/halide/nests.h"
#include "compiler/codegen/halide/schedule.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope::codegen {

class HalideScheduler {
public:
    HalideScheduler(const ForeignProgram& all, const ForeignInput& input, HalideDialect& dialect,
                    HalideAlgorithm& made)
        : program(all), algorithm(made), input_(input), nest_table_(all, dialect, made) {}

    Result<HalideSchedule> run();

    const ForeignProgram& program;
    HalideAlgorithm& algorithm;

    // The line that is translated.
    const ForeignStep& step() const { return *step_; }
    const DirectiveFields& fields() const { return fields_; }
    const std::string& func() const { return func_; } // of the receiver's stage
    std::int64_t factor(const std::string& field) const;
    LoopKind kind_of(const ScheduleState& state, const std::string& loop) const;
    const Definition& definition() const; // the receiver

    // Writes for the line: a call; a comment, for a reason; a warning besides.
    void say(const std::string& call);
    void comment(const std::string& reason);
    void warn(const std::string& reason);
    void left_out(const std::string& reason);

    // The nests on which the line acts: also the initialisation's, if it has the loops.
    std::vector<HalideNest*> nests();
    HalideNest& main_nest() { return nests_here_->main; }
    // The nest of another definition; null: Halide does not see it.
    HalideNest* nest_of(const DefinitionRef& other);
    HalideLoop new_loop(HalideNest& nest, const std::string& name, bool reduction) {
        return nest_table_.make(step().receiver.stage, nest, name, reduction);
    }

private:
    void bounds();
    void translate(const ForeignStep& step);

    const ForeignInput& input_;
    HalideNestTable nest_table_;
    HalideSchedule out_;
    const ForeignStep* step_ = nullptr;
    DirectiveFields fields_;
    NodeId origin_;
    std::string func_;
    HalideNests* nests_here_ = nullptr;
    bool said_ = false;
};

using HalideHandler = void (*)(HalideScheduler& scheduler);
using HalideHandlers = std::map<std::string, HalideHandler>; // by verb
const HalideHandlers& halide_loop_handlers();
const HalideHandlers& halide_place_handlers(); // stages, memory, arithmetic
// Handles verbs that no table has.
void halide_other_directive(HalideScheduler& scheduler);

} // namespace loopscope::codegen
