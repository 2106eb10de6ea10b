#include "tuner/model/recompute.h"

#include "core/ir/box.h"
#include "core/ir/cost.h"
#include "core/ir/definition_expressions.h"
#include "core/ir/functions.h"
#include "tuner/model/where.h"

#include <algorithm>
#include <set>

namespace loopscope::model {

namespace {

double flops_of(const ExprPtr& e, bool approximate = false) {
    if (!approximate)
        return static_cast<double>(cost_of(e).flops);
    return flops_of(rewrite(e, [](const ExprPtr& node) {
        return node->kind == ExprKind::Call ? call(approximation_of(node->name), node->args) : node;
    }));
}

struct Totals {
    double points = 0, needed = 0;
    std::vector<double> share;    // per definition: of its points, where the condition holds
    std::vector<double> executed; // per definition: points
};

// Every load that stands in the definition's text, a shared one once, by what is read.
std::map<std::string, double> loads_of(const Definition& definition) {
    std::map<std::string, double> out;
    each_load(definition, [&](const Expr& load) { out[load.name] += 1; });
    return out;
}

// As the pipeline is written. Schedules of one are estimated by the thousand: those of the last
// pipeline are kept per thread.
const std::map<std::string, Box>& boxes_as_written(const PipelinePtr& pipeline) {
    struct Last {
        PipelinePtr pipeline; // held, so that no other one can have its address
        std::map<std::string, Box> boxes;
    };
    thread_local Last last;
    if (last.pipeline != pipeline) {
        auto boxes = required_boxes(*pipeline);
        last = {pipeline, boxes ? std::move(*boxes) : std::map<std::string, Box>{}};
    }
    return last.boxes;
}

class Recomputer {
public:
    explicit Recomputer(const Work& work) : work_(work), tree_(*work.tree) {
        for (const auto& stage : tree_.stages) {
            stages_[stage.stage.name] = &stage;
            any_inlined_ = any_inlined_ || stage.inlined;
        }
        for (const auto& point : work.points) {
            auto& t = totals_[point.stage->stage.name];
            t.points += point.points;
            t.needed += point.needed;
            t.share.resize(point.stage->stage.definitions.size(), 1);
            t.executed.resize(t.share.size(), 0);
            if (point.role != ComputeRole::Init) {
                auto d = static_cast<std::size_t>(point.definition -
                                                  point.stage->stage.definitions.data());
                t.share[d] = point.points > 0 ? point.taken / point.points : 1;
                t.executed[d] += point.points;
            }
        }
        find_approximated();
        if (any_inlined_)
            boxes_ = &boxes_as_written(tree_.pipeline);
    }

    Recomputation run() {
        Recomputation out;
        double points = 0, needed = 0, flops = 0;
        for (const auto& [name, t] : totals_) {
            points += t.points;
            needed += t.needed;
            if (t.needed > 0)
                out.stages[name] = t.points / t.needed;
        }
        for (const auto& point : work_.points)
            flops += point.flops;
        for (const auto& stage : tree_.pipeline->stages) {
            if (stage.is_input)
                continue;
            out.useful_flops += useful(stage);
            if (auto derived = stages_.find(stage.name);
                derived != stages_.end() && derived->second->inlined) {
                double box = volume(stage.name);
                if (box > 0)
                    out.stages[stage.name] = evaluations(stage.name) / box;
            }
        }
        if (out.useful_flops > 0)
            out.factor = flops / out.useful_flops;
        else if (needed > 0)
            out.factor = points / needed;
        return out;
    }

private:
    // Which definitions of the pipeline the schedule evaluates by approximations: those of
    // fast_math, and of stages inlined into one of these, in at least one reader. What they need
    // not compute is not useful.
    void find_approximated() {
        std::set<std::string> into; // stages inlined into such a definition
        const auto& stages = tree_.pipeline->stages;
        for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
            auto derived = stages_.find(stage->name);
            for (std::size_t d = 0; derived != stages_.end() && d < stage->definitions.size();
                 ++d) {
                if (!derived->second->approximated[d] && !into.count(stage->name))
                    continue;
                approximated_.emplace(stage->name, d);
                add_inlined(stage->definitions[d], into);
            }
        }
    }

    void add_inlined(const Definition& definition, std::set<std::string>& names) const {
        each_load(definition, [&](const Expr& load) {
            auto read = stages_.find(load.name);
            if (read != stages_.end() && read->second->inlined)
                names.insert(load.name);
        });
    }

    const Box* box_of(const std::string& name) const {
        if (boxes_)
            if (auto it = boxes_->find(name); it != boxes_->end())
                return &it->second;
        auto it = stages_.find(name);
        return it == stages_.end() || it->second->inlined ? nullptr : &it->second->box;
    }

    double volume(const std::string& name) const {
        const auto* box = box_of(name);
        double v = box ? 1 : 0;
        if (box)
            for (const auto& i : *box)
                v *= static_cast<double>(i.extent());
        return v;
    }

    // FLOPs of one computation of the stage over its box, as the pipeline states it, with the
    // functions that the schedule chooses.
    double useful(const Stage& stage) const {
        const auto* box = box_of(stage.name);
        if (!box || volume(stage.name) == 0)
            return 0;
        double sum = 0;
        for (std::size_t n = 0; n < stage.definitions.size(); ++n) {
            const auto& definition = stage.definitions[n];
            double points = 1;
            for (const auto& v : definition.free) {
                points *= static_cast<double>((*box)[stage.dimension_of(v)].extent());
            }
            for (const auto& axis : definition.axes)
                points *= static_cast<double>(axis.extent().hint());
            bool reads_old = definition.kind == DefinitionKind::Reduction ||
                             (definition.kind == DefinitionKind::Update &&
                              definition.update != UpdateOp::Assign);
            bool approximate = approximated_.count({stage.name, n}) > 0;
            double each = reads_old ? step_flops(stage, definition) : 0;
            for (const auto& value : definition.values)
                each += flops_of(value, approximate);
            for (const auto& left : definition.left)
                each += flops_of(left, approximate) * (reads_old ? 2 : 1);
            auto t = totals_.find(stage.name);
            double share =
                t != totals_.end() && n < t->second.share.size() ? t->second.share[n] : 1;
            sum +=
                points * (each * share +
                          (definition.condition ? flops_of(definition.condition, approximate) : 0));
        }
        return sum;
    }

    // How often an inlined stage's expression is evaluated, in all readers, through other inlined
    // stages.
    double evaluations(const std::string& name) {
        if (auto it = evaluations_.find(name); it != evaluations_.end())
            return it->second;
        double sum = 0;
        for (const auto& use : uses_of(name))
            sum += use.loads * (stages_.at(use.reader)->inlined
                                    ? evaluations(use.reader)
                                    : executed(use.reader, use.definition));
        for (const auto& copy : tree_.stages) // a copy of it evaluates it once a point
            if (copy.copy_of == name)
                sum += executed(copy.stage.name, 0);
        return evaluations_[name] = sum;
    }

    struct Use {
        std::string reader;
        std::size_t definition;
        double loads;
    };

    // Which definitions of the pipeline read it, as their text stands.
    const std::vector<Use>& uses_of(const std::string& name) {
        if (uses_.empty())
            for (const auto& reader : tree_.pipeline->stages) {
                if (reader.is_input || !stages_.count(reader.name))
                    continue;
                for (std::size_t d = 0; d < reader.definitions.size(); ++d)
                    for (const auto& [target, loads] : loads_of(reader.definitions[d]))
                        uses_[target].push_back({reader.name, d, loads});
            }
        return uses_[name];
    }

    // How often points of a definition are computed.
    double executed(const std::string& stage, std::size_t definition) const {
        auto t = totals_.find(stage);
        return t != totals_.end() && definition < t->second.executed.size()
                   ? t->second.executed[definition]
                   : 0;
    }

    const Work& work_;
    const ScheduleTree& tree_;
    std::map<std::string, const DerivedStage*> stages_;
    std::map<std::string, Totals> totals_;
    const std::map<std::string, Box>* boxes_ = nullptr; // of inlined stages, which have no other
    std::map<std::string, double> evaluations_;
    std::map<std::string, std::vector<Use>> uses_;
    std::set<std::pair<std::string, std::size_t>> approximated_; // stage, index of its definition
    bool any_inlined_ = false;
};

} // namespace

Recomputation recomputation(const Work& work) { return Recomputer(work).run(); }

} // namespace loopscope::model
