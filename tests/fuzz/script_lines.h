#pragma once
// A script that grows by the lines that apply, for a target. What generators of schedules for GPUs
// share.

#include "core/device/device.h"
#include "core/schedule/directive.h"

#include <string>
#include <vector>

namespace loopscope::fuzz {

class ScriptLines {
public:
    ScriptLines(const PipelinePtr& pipeline, const device::Device& target);

    // The line, without its end; false: it is refused, and left out.
    bool add(const std::string& line);
    const ScheduleState& state() const { return state_; }
    const std::string& text() const { return text_; }

    // The loops of a definition that run over points, or that reduce, outermost first; not those
    // that are bound.
    std::vector<std::string> loops(const std::string& stage, int definition, bool reduction) const;

private:
    ScheduleState state_;
    ApplyContext context_;
    std::string text_;
};

} // namespace loopscope::fuzz
