#include "core/schedule/inlined_size.h"
#include "core/ir/definition_expressions.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

constexpr std::int64_t kSaturated = std::int64_t{1} << 62;

std::int64_t plus(std::int64_t a, std::int64_t b) { return std::min(kSaturated, a + b); }

std::int64_t times(std::int64_t a, std::int64_t b) {
    return a > 0 && b > kSaturated / a ? kSaturated : a * b;
}

// What a stage's definitions are as trees, in which a node that is shared counts wherever it
// stands.
struct WrittenSize {
    std::int64_t nodes = 1;
    std::vector<std::pair<std::string, std::int64_t>> loads; // of each stage: how many
};

class Counter {
public:
    void add(const ExprPtr& e) {
        order_.clear();
        places_.clear();
        list(e.get());
        // A node stands in each place of those that have it as an argument, which come after it in
        // the list.
        std::vector<std::int64_t> stands(order_.size(), 0);
        stands.back() = 1;
        for (auto n = order_.size(); n-- > 0;) {
            out.nodes = plus(out.nodes, stands[n]);
            if (order_[n]->kind == ExprKind::Load)
                add_load(order_[n]->name, stands[n]);
            for (const auto& argument : order_[n]->args) {
                auto& places = stands[places_.at(argument.get())];
                places = plus(places, stands[n]);
            }
        }
    }

    WrittenSize out;

private:
    // Arguments before what they are arguments of.
    void list(const Expr* e) {
        if (places_.count(e))
            return;
        for (const auto& argument : e->args)
            list(argument.get());
        places_.emplace(e, order_.size());
        order_.push_back(e);
    }

    void add_load(const std::string& name, std::int64_t count) {
        const auto known = std::find_if(out.loads.begin(), out.loads.end(),
                                        [&](const auto& load) { return load.first == name; });
        if (known == out.loads.end())
            out.loads.emplace_back(name, count);
        else
            known->second = plus(known->second, count);
    }

    std::vector<const Expr*> order_;
    std::unordered_map<const Expr*, std::size_t> places_;
};

WrittenSize written_size(const Stage& stage) {
    Counter counter;
    for (const auto& definition : stage.definitions)
        each_expression(definition, [&](const ExprPtr& e) { counter.add(e); });
    return std::move(counter.out);
}

// Sizes of the pipeline's own stages, in its order. Scripts inline stages by the dozen: the last
// pipeline's sizes are kept per thread.
const std::vector<WrittenSize>& written_sizes(const PipelinePtr& pipeline) {
    struct Last {
        PipelinePtr pipeline; // held, so that no other one can have its address
        std::vector<WrittenSize> sizes;
    };
    thread_local Last last;
    if (last.pipeline != pipeline) {
        last = {pipeline, {}};
        for (const auto& stage : pipeline->stages)
            last.sizes.push_back(written_size(stage));
    }
    return last.sizes;
}

struct GrownSize {
    std::int64_t own = 0;   // as written
    std::int64_t nodes = 0; // with all that is inlined
};

std::map<std::string, GrownSize> sizes_after_inlining(const ScheduleState& state) {
    const auto& sizes = written_sizes(state.pipeline);
    std::map<std::string, GrownSize> out;
    std::map<std::string, std::int64_t> inlined;
    for (const auto& stage : state.stages) {
        WrittenSize rewritten;
        const WrittenSize* written = &rewritten;
        if (!stage->copy_of.empty()) {
            rewritten.loads = {{stage->copy_of, 1}};
        } else if (stage->rewritten) {
            rewritten = written_size(*stage->rewritten);
        } else {
            const auto* declared = state.pipeline->find(stage->name);
            written = &sizes[static_cast<std::size_t>(declared - state.pipeline->stages.data())];
        }
        auto sum = written->nodes;
        for (const auto& [name, count] : written->loads)
            if (auto body = inlined.find(name); body != inlined.end())
                sum = plus(sum, times(count, body->second));
        out[stage->name] = {written->nodes, sum};
        if (stage->compute.kind == Placement::Kind::Inline)
            inlined[stage->name] = sum;
    }
    return out;
}

} // namespace

std::map<std::string, std::int64_t> nodes_after_inlining(const ScheduleState& state) {
    std::map<std::string, std::int64_t> out;
    for (const auto& [stage, size] : sizes_after_inlining(state))
        out.emplace(stage, size.nodes);
    return out;
}

std::set<std::string> stages_made_long(const ScheduleState& state) {
    std::set<std::string> out;
    if (state.stages.any(StageTrait::Inlined))
        for (const auto& [stage, size] : sizes_after_inlining(state))
            if (size.nodes > std::max(kMaxNodes, size.own))
                out.insert(stage);
    return out;
}

} // namespace loopscope
