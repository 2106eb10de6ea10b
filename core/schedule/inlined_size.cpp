#include "core/schedule/inlined_size.h"
#include "core/ir/definition_expressions.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

constexpr std::int64_t kSaturated = std::int64_t{1} << 61;

std::int64_t plus(std::int64_t a, std::int64_t b) { return std::min(kSaturated, a + b); }

std::int64_t times(std::int64_t a, std::int64_t b) {
    return a > 0 && b > kSaturated / a ? kSaturated : a * b;
}

// Expressions as a list, in which a node comes behind its arguments, and once.
class NodeList {
public:
    struct Node {
        const Expr* e;
        std::vector<std::size_t> arguments;
    };

    // The node that is the whole expression; the caller holds it.
    std::size_t add(const ExprPtr& e) {
        const auto known = places_.find(e.get());
        if (known != places_.end())
            return known->second;
        Node node{e.get(), {}};
        for (const auto& argument : e->args)
            node.arguments.push_back(add(argument));
        nodes_.push_back(std::move(node));
        return places_[e.get()] = nodes_.size() - 1;
    }

    const std::vector<Node>& nodes() const { return nodes_; }

private:
    std::vector<Node> nodes_;
    std::unordered_map<const Expr*, std::size_t> places_;
};

// The text of a stage's definitions: its nodes, and how many of them are the stage's variables.
struct TextSize {
    std::int64_t nodes = 0;
    std::vector<std::int64_t> variables; // by dimension
};

using TextSizes = std::unordered_map<std::string, TextSize>; // of stages

std::int64_t without_variables(const TextSize& size) {
    auto rest = size.nodes;
    for (const auto places : size.variables)
        rest -= places;
    return std::max<std::int64_t>(rest, 0); // saturated ones are all of it
}

// The text of expressions of a list with these stages inlined. A body stands in the place of the
// load, an index wherever the body has its variable: indices of indices multiply as well.
TextSize text_size(const NodeList& list, const std::vector<std::size_t>& whole,
                   const std::vector<std::string>& variables, const TextSizes& inlined) {
    TextSize out{0, std::vector<std::int64_t>(variables.size(), 0)};
    std::vector<std::int64_t> places(list.nodes().size(), 0);
    for (const auto each : whole)
        ++places[each];
    for (auto n = places.size(); n-- > 0;) {
        const auto& [e, arguments] = list.nodes()[n];
        const auto body = e->kind == ExprKind::Load ? inlined.find(e->name) : inlined.end();
        const bool stays = body == inlined.end();
        out.nodes =
            plus(out.nodes, stays ? places[n] : times(places[n], without_variables(body->second)));
        for (std::size_t a = 0; a < arguments.size(); ++a) {
            auto& sum = places[arguments[a]];
            sum = plus(sum, stays ? places[n] : times(places[n], body->second.variables[a]));
        }
        if (e->kind == ExprKind::Variable)
            for (std::size_t d = 0; d < variables.size(); ++d)
                if (variables[d] == e->name)
                    out.variables[d] = plus(out.variables[d], places[n]);
    }
    return out;
}

// The definitions of a stage as they are written; the stage outlives it.
class WrittenStage {
public:
    explicit WrittenStage(const Stage& stage) : variables_(stage.variables) {
        for (const auto& definition : stage.definitions)
            each_expression(definition, [&](const ExprPtr& e) { whole_.push_back(list_.add(e)); });
        for (const auto& node : list_.nodes())
            if (node.e->kind == ExprKind::Load)
                loads_.insert(node.e->name);
        own_ = text_size(list_, whole_, variables_, {});
    }

    std::int64_t own() const { return own_.nodes; }
    TextSize size(const TextSizes& inlined) const {
        const bool grows = std::any_of(loads_.begin(), loads_.end(),
                                       [&](const auto& name) { return inlined.count(name) > 0; });
        return grows ? text_size(list_, whole_, variables_, inlined) : own_;
    }

private:
    const std::vector<std::string>& variables_;
    NodeList list_;
    std::vector<std::size_t> whole_;
    std::set<std::string> loads_; // names
    TextSize own_;
};

// The pipeline's own stages, in its order. Scripts inline stages by the dozen: those of the last
// pipeline are kept per thread.
const std::vector<WrittenStage>& written_stages(const PipelinePtr& pipeline) {
    struct Last {
        PipelinePtr pipeline; // held, so that no other one can have its address
        std::vector<WrittenStage> stages;
    };
    thread_local Last last;
    if (last.pipeline != pipeline) {
        last = {pipeline, {}};
        for (const auto& stage : pipeline->stages)
            last.stages.emplace_back(stage);
    }
    return last.stages;
}

// A copy has the text of one load.
TextSize copied(const StageState& copy, const ScheduleState& state, const TextSizes& inlined) {
    if (const auto body = inlined.find(copy.copy_of); body != inlined.end())
        return body->second;
    const auto& variables = state.declared(copy.copy_of).variables;
    return {1 + static_cast<std::int64_t>(variables.size()),
            std::vector<std::int64_t>(variables.size(), 1)};
}

} // namespace

std::int64_t written_nodes(const ExprPtr& e) {
    NodeList list;
    const auto whole = list.add(e);
    return text_size(list, {whole}, {}, {}).nodes;
}

std::set<std::string> stages_made_long(const ScheduleState& state) {
    std::set<std::string> out;
    if (!state.stages.any(StageTrait::Inlined))
        return out;
    const auto& written = written_stages(state.pipeline);
    TextSizes inlined;
    for (const auto& stage : state.stages) {
        TextSize size;
        std::int64_t own = 0;
        if (!stage->copy_of.empty()) {
            size = copied(*stage, state, inlined);
        } else if (stage->rewritten) {
            const WrittenStage rewritten(*stage->rewritten);
            size = rewritten.size(inlined);
            own = rewritten.own();
        } else {
            const auto* declared = state.pipeline->find(stage->name);
            const auto& own_stage =
                written[static_cast<std::size_t>(declared - state.pipeline->stages.data())];
            size = own_stage.size(inlined);
            own = own_stage.own();
        }
        if (size.nodes > std::max(kMaxNodes, own))
            out.insert(stage->name);
        if (stage->compute.kind == Placement::Kind::Inline)
            inlined.emplace(stage->name, std::move(size));
    }
    return out;
}

} // namespace loopscope
