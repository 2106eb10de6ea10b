#pragma once
// The program for a language that keeps algorithms and schedules apart: the definitions as such a
// language writes them, and the script. Unlike the derived program of a tree, inlined stages are
// stages of their own here, for the other language inlines them itself. Changes of definitions by
// contract(), fast_math(), rfactor(), cache_read() and cache_write() are in it.

#include "core/base/result.h"
#include "core/ir/box.h"
#include "core/schedule/directive.h"
#include "core/schedule/tree.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace loopscope::codegen {

struct ForeignInput {
    std::string script; // the schedule's text, for the comment on top; empty: the default schedule
    const Schedule* schedule = nullptr;
    ApplyContext context;
    ScheduleTreePtr tree;
};

struct ForeignSource {
    std::string text;
    // per line, the definition that it comes from; the root's id where there is none
    std::vector<NodeId> lines;
    // directives that the language does not have, with their places in the script
    Diagnostics warnings;
};

struct ForeignStage {
    Stage stage; // definitions load stages of `program`
    Box box;     // all that is computed of it
    bool inlined = false;
    std::string copy_of;
    std::string factor_of;
    std::vector<bool> fused_step, atomic, reassociates; // per definition, as DerivedStage has them
    const Output* output = nullptr;
};

struct ForeignProgram {
    ScheduleTreePtr tree;
    std::vector<ForeignStage> stages;         // computed ones, in topological order
    std::shared_ptr<const Pipeline> pipeline; // inputs and all of these stages
    // of stages and inputs; an input's before its boundary is applied
    std::map<std::string, Box> boxes;

    const ForeignStage* find(const std::string& stage) const;
    bool has_first_reduction(const std::string& stage) const; // its first definition is a reduction
};

// Errors: symbols, which these exporters do not have; boxes that cannot be bounded.
Result<ForeignProgram> foreign_program(const ScheduleTreePtr& tree);

// A step of a script: each directive, for one of the definitions that its receiver names.
struct ForeignStep {
    const Directive* directive = nullptr;
    DefinitionRef receiver;
    ScheduleState before, after;
    bool first = true; // of the definitions that the line's pattern names
};
Result<std::vector<ForeignStep>>
foreign_steps(const PipelinePtr& pipeline, const Schedule& schedule, const ApplyContext& context);

// How often each loop that a definition has or had runs, by its id, where that is constant and
// known.
std::map<int, std::int64_t> loop_extents(const ScheduleTree& tree, const std::string& stage,
                                         int definition);
// Do the factors of all splits of the definition divide what they split?
bool divides_everywhere(const ScheduleTree& tree, const std::string& stage, int definition);

} // namespace loopscope::codegen
