#include "core/schedule/directives/pipeline.h"

#include "core/schedule/nest.h"
#include "core/schedule/placement.h"

namespace loopscope {

const char* PipelineStage::summary() const {
    return "Computes the stage some iterations ahead of its use, into slots of its memory, which "
           "rotate.";
}

Status PipelineStage::apply(ScheduleState& state, const ApplyContext&) const {
    auto found = find_definition(state, receiver);
    if (!found)
        return at("receiver", found.errors());
    if (copies < 1 || copies > kMaxPipeline)
        return refuse("copies", "a pipeline of " + std::to_string(copies) + " is out of range",
                      "from 1, which is none, to " + std::to_string(kMaxPipeline));
    auto& stage = state.edit(receiver.stage);
    stage.pipeline = copies;
    // warps of its own produce copies alone
    if (copies < 2)
        stage.producer_warpgroups = 0;
    return check_placements(state);
}

std::string PipelineStage::describe() const {
    return copies == 1 ? "compute " + receiver.stage + " when it is needed"
                       : "compute " + receiver.stage + " " + std::to_string(copies - 1) +
                             (copies == 2 ? " iteration" : " iterations") + " ahead";
}

std::unique_ptr<Directive> make_pipeline() { return std::make_unique<PipelineStage>(); }

} // namespace loopscope
