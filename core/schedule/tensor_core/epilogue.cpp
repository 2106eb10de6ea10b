#include "core/schedule/tensor_core/epilogue.h"

#include "core/schedule/region.h"
#include "core/schedule/region_needs.h"

#include <algorithm>
#include <optional>
#include <set>

namespace loopscope {

namespace {

using Places = std::vector<std::size_t>; // by index of a stage: which index of the sums it is

// The loads of a stage's only definition, a pure one; nothing: it has others.
std::optional<std::vector<const Expr*>> loads_of(const Stage& stage) {
    if (stage.is_input || stage.definitions.size() != 1 ||
        stage.definitions.front().kind != DefinitionKind::Pure)
        return std::nullopt;
    std::vector<const Expr*> out;
    for (const auto& value : stage.definitions.front().values)
        visit(value, [&](const Expr& node) {
            if (node.kind == ExprKind::Load)
                out.push_back(&node);
            return true;
        });
    return out;
}

class Chain {
public:
    Chain(const ScheduleState& state, const std::string& sums)
        : state_(state), program_(derive(state).pipeline), sums_(sums) {}

    Epilogue run() {
        Epilogue out;
        const auto& stage = *program_->find(sums_);
        if (state_.pipeline->find_output(sums_))
            return out;
        places_[sums_].resize(stage.variables.size());
        for (std::size_t v = 0; v < stage.variables.size(); ++v)
            places_[sums_][v] = v;
        for (const auto& each : program_->stages)
            add(each);
        // Drop what others than the chain read, until one stage is left that all ends in.
        while (!members_.empty() && !closed())
            places_.erase(members_.back()), members_.pop_back();
        if (members_.empty())
            return out;
        out.host = members_.back();
        out.inlined.assign(members_.begin(), members_.end() - 1);
        const auto& host = *program_->find(out.host);
        for (std::size_t v = 0; v < host.variables.size(); ++v)
            out.names[stage.variables[places_.at(out.host)[v]]] = host.variables[v];
        return out;
    }

private:
    bool untouched(const std::string& name) const {
        const auto* stage = state_.find(name);
        return stage && stage->compute.kind == Placement::Kind::Root && stage->copy_of.empty() &&
               std::none_of(stage->definitions.begin(), stage->definitions.end(),
                            [](const auto& nest) { return nest.touched; });
    }

    void add(const Stage& stage) {
        const auto loads = loads_of(stage);
        if (!loads || !untouched(stage.name) || stage.variables.size() != places_.at(sums_).size())
            return;
        std::optional<Places> found;
        for (const auto* load : *loads) {
            const auto from = places_.find(load->name);
            if (from == places_.end())
                continue;
            const auto here = places_of(stage, *load, from->second);
            if (!here || (found && *found != *here))
                return;
            found = here;
        }
        if (!found)
            return;
        places_[stage.name] = *found;
        members_.push_back(stage.name);
    }

    // Each index of what is loaded is one of the stage's own, each of them once.
    static std::optional<Places> places_of(const Stage& stage, const Expr& load,
                                           const Places& loaded) {
        Places out(stage.variables.size(), stage.variables.size());
        for (std::size_t d = 0; d < load.args.size(); ++d) {
            const auto& index = *load.args[d];
            const auto own = index.kind == ExprKind::Variable ? stage.dimension_of(index.name)
                                                              : stage.variables.size();
            if (own == stage.variables.size() || out[own] != stage.variables.size())
                return std::nullopt;
            out[own] = loaded[d];
        }
        return out;
    }

    // Does nothing but the chain read the sums and the stages between, none of which is written for
    // itself?
    bool closed() const {
        std::set<std::string> between(members_.begin(), members_.end() - 1);
        for (const auto& name : between)
            if (state_.pipeline->find_output(name))
                return false;
        between.insert(sums_);
        std::set<std::string> read; // by the chain
        for (const auto& stage : program_->stages)
            for (const auto& definition : stage.definitions) {
                bool reads = false;
                each_load(definition, [&](const Expr& load) {
                    reads = reads || between.count(load.name) > 0;
                    if (between.count(load.name))
                        read.insert(load.name);
                });
                if (reads && stage.name != sums_ &&
                    std::find(members_.begin(), members_.end(), stage.name) == members_.end())
                    return false;
            }
        return std::all_of(members_.begin(), members_.end() - 1,
                           [&](const auto& name) { return read.count(name) > 0; });
    }

    const ScheduleState& state_;
    std::shared_ptr<const Pipeline> program_; // with what is inlined already in place
    std::string sums_;
    std::map<std::string, Places> places_; // of the sums, and of the chain's stages
    std::vector<std::string> members_;     // in topological order
};

} // namespace

Epilogue find_epilogue(const ScheduleState& state, const std::string& sums) {
    return Chain(state, sums).run();
}

} // namespace loopscope
