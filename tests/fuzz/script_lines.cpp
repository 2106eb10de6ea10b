#include "tests/fuzz/script_lines.h"

#include "core/language/intrinsics.h"
#include "core/language/schedule_parser.h"
#include "core/schedule/tree.h"

namespace loopscope::fuzz {

ScriptLines::ScriptLines(const PipelinePtr& pipeline, const device::Device& target)
    : state_(ScheduleState::initial(pipeline)), text_("schedule for " + pipeline->name + "\n") {
    context_.device = &target;
    context_.intrinsics = &declared_intrinsics();
}

bool ScriptLines::add(const std::string& line) {
    auto parsed = parse_schedule(std::make_shared<SourceFile>(
        "line", "schedule for " + state_.pipeline->name + "\n" + line + "\n"));
    if (!parsed || parsed->directives.size() != 1)
        return false;
    auto copy = state_;
    if (!apply_line(copy, *parsed->directives[0], context_) || !build_tree(copy))
        return false;
    state_ = std::move(copy);
    text_ += line + "\n";
    return true;
}

std::vector<std::string> ScriptLines::loops(const std::string& stage, int definition,
                                            bool reduction) const {
    std::vector<std::string> out;
    for (const auto& loop :
         state_.find(stage)->definitions[static_cast<std::size_t>(definition)].loops)
        if (loop.reduction == reduction && loop.binding.empty())
            out.push_back(loop.name);
    return out;
}

} // namespace loopscope::fuzz
