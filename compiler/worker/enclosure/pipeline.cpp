#include "compiler/worker/enclosure/pipeline.h"

#include "compiler/worker/enclosure/stage.h"
#include "core/ir/definition_expressions.h"

#include <algorithm>
#include <iterator>

namespace loopscope::worker {

namespace {

bool concerns(const Stage& stage, const Marks& marks, const StageEnclosures& enclosures) {
    for (std::size_t d = 0; d < stage.definitions.size(); ++d) {
        const std::pair<std::string, int> place{stage.name, static_cast<int>(d)};
        if (marks.reassociated.count(place) || marks.approximated.count(place))
            return true;
        bool found = false;
        each_load(stage.definitions[d],
                  [&](const Expr& load) { found = found || enclosures.count(load.name) > 0; });
        if (found)
            return true;
    }
    return false;
}

} // namespace

EnclosedPipeline with_enclosures(const Pipeline& pipeline, const Marks& marks) {
    auto extended = std::make_shared<Pipeline>(pipeline);
    extended->stages.clear();
    EnclosedPipeline enclosed;
    enclosed.contracted = marks.contracted;
    StageEnclosures enclosures;
    for (const auto& stage : pipeline.stages) {
        extended->stages.push_back(stage);
        if (stage.is_input || !concerns(stage, marks, enclosures))
            continue;
        auto made = enclose_stage(stage, marks, enclosures);
        enclosures[stage.name] = std::move(made.enclosure);
        enclosed.contracted.merge(made.contracted);
        std::move(made.stages.begin(), made.stages.end(), std::back_inserter(extended->stages));
    }
    for (const auto& output : pipeline.outputs)
        if (auto found = enclosures.find(output.stage); found != enclosures.end()) {
            enclosed.enclosures.insert(*found);
            auto bounds = output;
            bounds.stage = found->second.stage;
            extended->outputs.push_back(std::move(bounds));
        }
    extended->seal();
    enclosed.pipeline = std::move(extended);
    return enclosed;
}

} // namespace loopscope::worker
