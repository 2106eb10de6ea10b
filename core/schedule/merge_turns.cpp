// Groups of merged definitions of the same stages, which run one after the other (merging.h).

#include "core/schedule/merge_terms.h"
#include "core/schedule/merging.h"

namespace loopscope {

namespace {

using merging::refuse;
using merging::text;

using MergedGroup = std::vector<DefinitionKey>;

std::vector<std::string> stages_of_group(const MergedGroup& group) {
    std::vector<std::string> out;
    for (const auto& member : group)
        if (out.empty() || out.back() != member.first)
            out.push_back(member.first);
    return out;
}

// Whether two groups of the same stages can run one after the other: each stage's part of the
// earlier group comes directly before its part of the later one. The first stage's nest holds both
// groups and what the stage computes between them; what another stage computes there would have to
// run inside that nest.
Status check_in_turn(const MergedGroup& earlier, const MergedGroup& later) {
    const auto ends = [](const MergedGroup& group, const std::string& stage) {
        std::pair<int, int> out{-1, -1};
        for (const auto& [name, d] : group)
            if (name == stage)
                out = {out.first < 0 ? d : out.first, d};
        return out;
    };
    const auto& first_stage = earlier.front().first;
    for (const auto& stage : stages_of_group(earlier)) {
        const auto last = ends(earlier, stage).second, first = ends(later, stage).first;
        if (first < last)
            return refuse(text({stage, last}) + " would run before " + text({stage, first}) +
                              ", which comes before it",
                          "merge the definitions of " + first_stage + " and of " + stage +
                              " in one order");
        if (stage != first_stage && first > last + 1)
            return refuse(text({stage, last + 1}) + " would have to run between the loops that " +
                              text({stage, last}) + " and " + text({stage, first}) +
                              " share with definitions of " + first_stage,
                          "merge " + text({stage, last + 1}) + " with one of those too, or leave " +
                              text({stage, first}) + " apart");
    }
    return success();
}

} // namespace

Result<std::map<std::string, DefinitionKey>> merging::heads_by_stage(const MergeGroups& groups) {
    std::map<std::string, DefinitionKey> head_of;
    // by stage: the last group that it was found in
    std::map<std::string, const MergedGroup*> last_of;
    for (std::size_t g = 0; g < groups.all().size(); ++g) {
        const auto& group = groups.all()[g];
        const auto stages = stages_of_group(group);
        if (stages.size() < 2)
            continue;
        const MergedGroup* before = nullptr;
        for (const auto& stage : stages)
            if (const auto known = last_of.find(stage); known != last_of.end()) {
                if (stages_of_group(*known->second) != stages)
                    return refuse(stage + " shares loops with two groups of stages",
                                  "merge all of them into one nest, or leave one out");
                before = known->second;
            }
        if (before)
            if (auto legal = check_in_turn(*before, group); !legal)
                return legal.errors();
        for (const auto& stage : stages) {
            head_of.try_emplace(stage, groups.head(g));
            last_of[stage] = &group;
        }
    }
    return head_of;
}

} // namespace loopscope
