#include "core/schedule/gpu/runnable_stages.h"

#include "core/base/listed.h"
#include "core/schedule/gpu/swizzling.h"
#include "core/schedule/region_needs.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace loopscope {

namespace {

class StageRules {
public:
    StageRules(const ScheduleTree& tree, const Mapping& mapping, const device::Gpu& gpu)
        : tree_(tree), mapping_(mapping), gpu_(gpu) {}

    std::vector<NotRunnable> run() {
        pipelines();
        layouts();
        producers();
        return std::move(out_);
    }

private:
    void refuse(std::string message, std::string remedy, std::vector<NodeId> nodes) {
        out_.push_back({std::move(message), std::move(remedy), std::move(nodes)});
    }

    // Layouts that memory cannot have: better refused than left out.
    void layouts() {
        for (const auto& stage : tree_.state.stages) {
            const auto* memory =
                stage->swizzled ? tree_.find({stage->name, -1, "@storage"}) : nullptr;
            if (memory)
                if (const auto problem = swizzle_problem(*memory))
                    refuse(problem->message, problem->remedy, {memory->id});
        }
    }

    // Producer warpgroups ask the TMA for a stage, and hand it over in shared memory.
    void producers() {
        for (const auto& stage : tree_.state.stages) {
            if (stage->producer_warpgroups == 0)
                continue;
            const NodeId id{stage->name, -1, "@stage"};
            const auto without = "leave out " + stage->name + ".specialize(…)";
            if (!gpu_.has("bulk_tensor_copy"))
                refuse(stage->name +
                           " has producer warpgroups, and the target has no tensor memory "
                           "accelerator (TMA) for these to ask",
                       without + ", or choose a target of compute capability 9.0", {id});
            if (!shared_by_block(*stage))
                refuse(stage->name +
                           " has producer warpgroups, and their consumers would not see it in " +
                           mapping_.of(stage->name).scope.name + " memory",
                       stage->name + ".scope(shared)", {id});
            for (const auto& inner : tree_.state.stages)
                if (inner->copy_of == stage->name && inner->pipeline > 1)
                    refuse(stage->name + " has producer warpgroups, and " + inner->name +
                               ", which is pipelined, would read it ahead of being handed over",
                           "leave out " + inner->name + ".pipeline(…) or " + stage->name +
                               ".specialize(…)",
                           {id, {inner->name, -1, "@stage"}});
        }
    }

    // ALCOP's rule 1: it follows from what is pipelined.
    void refuse_copies(std::string message, std::string remedy, std::vector<NodeId> nodes) {
        refuse(std::move(message), std::move(remedy), std::move(nodes));
        out_.back().stays = true;
    }

    // ALCOP, section II-A. That the loop is sequential and that what is read is there is the
    // directive's affair.
    void pipelines() {
        std::map<std::string, std::map<std::int64_t, const StageState*>> by_loop;
        for (const auto& stage : tree_.state.stages) {
            if (stage->pipeline < 2 || stage->compute.kind != Placement::Kind::At)
                continue;
            const NodeId id{stage->name, -1, "@stage"};
            if (stage->copy_of.empty())
                refuse_copies(
                    stage->name + " is pipelined and is computed, not copied: only copies are "
                                  "asynchronous (ALCOP's rule 1)",
                    "pipeline a copy of what it reads, by cache_read, and compute it from that",
                    {id});
            else
                copies_alone(*stage);
            for (const auto& inner : tree_.state.stages)
                if (inner->compute.kind == Placement::Kind::At &&
                    inner->compute.at.stage == stage->name)
                    refuse_copies(
                        stage->name + " is pipelined, and " + inner->name +
                            ", which it reads, is computed inside of it: only copies of what is "
                            "there are asynchronous (ALCOP's rule 1)",
                        "compute " + inner->name + " further out",
                        {id, {inner->name, -1, "@stage"}});
            if (!shared_by_block(*stage) ||
                stage->producer_warpgroups > 0) // those wait at mbarriers
                continue;
            const auto key = stage->compute.at.stage + "/" + std::to_string(stage->compute.at.loop);
            by_loop[key].emplace(stage->pipeline, stage.get());
        }
        const StageState* first = nullptr;
        for (const auto& [loop, stages] : by_loop)
            for (const auto& [copies, stage] : stages) {
                if (first && (first->pipeline != copies || !(first->compute == stage->compute)) &&
                    same_kernel(*first, *stage))
                    refuse(
                        first->name + " and " + stage->name +
                            " are pipelined in shared memory and would wait at different places: "
                            "the hardware waits for all copies of a scope in order (ALCOP's rule "
                            "3)",
                        "pipeline both at one loop with as many stages, or only one of them",
                        {{first->name, -1, "@stage"}, {stage->name, -1, "@stage"}});
                first = stage;
            }
    }

    // What is inlined into a copy leaves it one where it is a function of one element, which the
    // copy's readers apply (derive.cpp). Those may apply it on the way into registers, of each
    // element of what they copy.
    void copies_alone(const StageState& copy) {
        const auto& values = tree_.derived->find(copy.name)->definitions[0].values;
        std::set<std::string> sources;
        each_load(tree_.derived->find(copy.name)->definitions[0],
                  [&](const Expr& load) { sources.insert(load.name); });
        const bool asynchronous = shared_by_block(copy);
        if (asynchronous ? std::all_of(values.begin(), values.end(),
                                       [](const auto& v) { return v->kind == ExprKind::Load; })
                         : sources.size() == 1)
            return;
        refuse_copies(
            copy.name + " is pipelined, and " + copy.copy_of +
                ", which is inlined into it, is no function of one element of memory: only "
                "copies are asynchronous (ALCOP's rule 1)",
            "leave out " + copy.copy_of + ".inline(), or write it first and pipeline copies of " +
                (sources.empty() ? "what is in memory" : listed({sources.begin(), sources.end()})),
            {{copy.name, -1, "@stage"}});
    }

    bool shared_by_block(const StageState& stage) const {
        return mapping_.of(stage.name).scope.shared_by == device::Unit::Block;
    }

    bool same_kernel(const StageState& a, const StageState& b) const {
        auto root_of = [&](const StageState* s) {
            while (s->compute.kind == Placement::Kind::At)
                s = tree_.state.find(s->compute.at.stage);
            return s->name;
        };
        return root_of(&a) == root_of(&b);
    }

    const ScheduleTree& tree_;
    const Mapping& mapping_;
    const device::Gpu& gpu_;
    std::vector<NotRunnable> out_;
};

} // namespace

std::vector<NotRunnable> stages_not_runnable(const ScheduleTree& tree, const Mapping& mapping,
                                             const device::Gpu& gpu) {
    return StageRules(tree, mapping, gpu).run();
}

} // namespace loopscope
