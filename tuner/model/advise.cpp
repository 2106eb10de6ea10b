// Advice: candidates for one more directive, each tried: applied to the schedule's state, built,
// and estimated. What is not applicable, or not faster, is not said.

#include "core/base/number_text.h"
#include "core/ir/definition_expressions.h"
#include "core/ir/product.h"
#include "core/schedule/directives/compute_at.h"
#include "core/schedule/directives/compute_root.h"
#include "core/schedule/directives/contract.h"
#include "core/schedule/directives/inline.h"
#include "core/schedule/directives/parallel.h"
#include "core/schedule/directives/reorder.h"
#include "core/schedule/directives/vectorize.h"
#include "tuner/model/estimate.h"
#include "tuner/model/models.h"

#include <algorithm>
#include <cmath>

namespace loopscope::model {

namespace {

constexpr double kMinSaving = 0.03;
constexpr std::size_t kMaxCandidates = 400, kMinCandidates = 8;
constexpr std::size_t kMaxNodes = 120'000; // of all trees that are tried: some seconds

std::size_t nodes_of(const TreeNode& node) {
    std::size_t count = 1;
    for (const auto& child : node.children)
        count += nodes_of(*child);
    return count;
}

struct Candidate {
    std::string why; // "`gx` is computed 2.6 times"
    DirectivePtr directive;
};

template <typename D, typename Fill = void (*)(D&)>
DirectivePtr make(const DefinitionRef& receiver, Fill fill = [](D&) {}) {
    auto directive = std::make_shared<D>();
    directive->receiver = receiver;
    fill(*directive);
    return directive;
}

class Candidates {
public:
    Candidates(const ScheduleTree& tree, const Estimate& estimate)
        : tree_(tree),
          estimate_(estimate),
          most_(std::clamp(kMaxNodes / nodes_of(*tree.root), kMinCandidates, kMaxCandidates)) {}

    std::vector<Candidate> run() {
        for (const auto* stage : stages()) {
            if (list_.size() >= most_)
                break;
            const auto* derived = tree_.find_stage(stage->name);
            if (!derived)
                continue;
            if (stage->compute.kind != Placement::Kind::Inline)
                for (std::size_t d = 0; d < stage->definitions.size(); ++d)
                    loops(*derived, stage->definitions[d], {stage->name, static_cast<int>(d)});
            if (!tree_.derived->find_output(stage->name))
                placement(*stage, *derived);
        }
        return std::move(list_);
    }

private:
    // Where not all can be tried, those that take most of the time come first.
    std::vector<const StageState*> stages() const {
        std::vector<const StageState*> out;
        for (const auto& stage : tree_.state.stages)
            out.push_back(stage.get());
        if (out.size() <= most_)
            return out;
        auto seconds = [&](const StageState* stage) {
            auto found = estimate_.nodes.find({stage->name, -1, "@stage"});
            return found == estimate_.nodes.end() ? 0 : found->second.seconds_subtree;
        };
        std::stable_sort(out.begin(), out.end(), [&](const StageState* a, const StageState* b) {
            return seconds(a) > seconds(b);
        });
        return out;
    }

    void add(std::string why, DirectivePtr directive) {
        if (list_.size() < most_)
            list_.push_back({std::move(why), std::move(directive)});
    }

    static std::string quoted(const std::string& name) { return "`" + name + "`"; }

    void loops(const DerivedStage& derived, const DefinitionState& nest, const DefinitionRef& ref) {
        const auto& definition =
            derived.stage.definitions[static_cast<std::size_t>(ref.definition)];
        auto has = [&](LoopKind kind) {
            return std::any_of(nest.loops.begin(), nest.loops.end(),
                               [&](const LoopState& l) { return l.kind == kind; });
        };
        auto subject = quoted(ref.text());
        bool at_root = tree_.state.find(ref.stage)->compute.kind == Placement::Kind::Root;
        if (at_root && estimate_.threads > 1 && !has(LoopKind::Parallel) && !nest.loops.empty() &&
            !nest.loops[0].reduction)
            add(subject + " runs on one thread",
                make<Parallel>(ref, [&](auto& d) { d.loop = nest.loops[0].name; }));
        // the innermost free loop: rows are contiguous along it, as a rule
        if (!has(LoopKind::Vectorized))
            for (auto loop = nest.loops.rbegin(); loop != nest.loops.rend(); ++loop)
                if (!loop->reduction) {
                    add(subject + " is not vectorised", make<Vectorize>(ref, [&](auto& d) {
                            d.loop = loop->name;
                            d.factor = Factor{1, true};
                        }));
                    break;
                }
        interchange(nest, ref);
        bool product = !definition.values.empty() && is_product(definition.values[0]);
        if (definition.kind == DefinitionKind::Reduction && product && !nest.contract)
            add(subject + " multiplies and adds in two instructions", make<Contract>(ref));
    }

    // A reduction innermost waits for its own sum at every step: a free loop inside it gives it
    // other sums to add to.
    void interchange(const DefinitionState& nest, const DefinitionRef& ref) {
        if (nest.loops.empty() || !nest.loops.back().reduction)
            return;
        std::vector<std::string> order;
        auto first = std::find_if(nest.loops.begin(), nest.loops.end(),
                                  [](const LoopState& l) { return l.reduction; });
        if (first == nest.loops.begin() ||
            std::any_of(first, nest.loops.end(), [](const LoopState& l) { return !l.reduction; }))
            return;
        for (auto loop = first; loop != nest.loops.end(); ++loop)
            order.push_back(loop->name);
        order.push_back((first - 1)->name);
        add("every step of `" + ref.text() + "` waits for the one before",
            make<Reorder>(ref, [&](auto& d) { d.loops = order; }));
    }

    void placement(const StageState& stage, const DerivedStage& derived) {
        auto subject = quoted(stage.name);
        auto found = estimate_.stage_recompute.find(stage.name);
        double times = found == estimate_.stage_recompute.end() ? 1 : found->second;
        const auto text = fixed_text(times, times < 10 ? 1 : 0);
        bool repeated = times >= 1.05;
        std::string why = repeated ? subject + " is computed " + text + " times"
                                   : subject + " is stored whole and read back";
        DefinitionRef receiver{stage.name, 0};
        if (stage.compute.kind != Placement::Kind::Root)
            add(why, make<ComputeRoot>(receiver));
        if (stage.compute.kind == Placement::Kind::At && !repeated)
            why = subject + " is computed at another loop than would be best";
        for (const auto& reader : tree_.state.stages) {
            if (reader->compute.kind == Placement::Kind::Inline || reader->name == stage.name)
                continue;
            if (stage.compute.kind == Placement::Kind::Inline ? !reads_inlined(*reader, stage.name)
                                                              : !reads(*reader, stage.name))
                continue;
            // A loop of the reader, or of what the reader is computed in: where all readers are,
            // directly or not.
            for (const StageState* host = reader.get(); host;) {
                for (const auto& loop : host->definitions[0].loops)
                    if (loop.kind != LoopKind::Vectorized && loop.kind != LoopKind::Unrolled)
                        add(why, make<ComputeAt>(receiver, [&](auto& d) {
                                d.host.stage = host->name;
                                d.loop = loop.name;
                            }));
                host = host->compute.kind == Placement::Kind::At
                           ? tree_.state.find(host->compute.at.stage)
                           : nullptr;
            }
        }
        if (stage.compute.kind != Placement::Kind::Inline && derived.stage.definitions.size() == 1)
            add(why, make<Inline>(receiver));
    }

    bool reads(const StageState& reader, const std::string& target) const {
        const auto* derived = tree_.find_stage(reader.name);
        return derived && loads(derived->stage, target);
    }

    bool reads_inlined(const StageState& reader, const std::string& target) const {
        const Stage* original = tree_.pipeline->find(reader.name);
        return original && loads(*original, target);
    }

    static bool loads(const Stage& stage, const std::string& target) {
        return std::any_of(stage.definitions.begin(), stage.definitions.end(),
                           [&](const auto& each) { return loopscope::reads(each, target); });
    }

    const ScheduleTree& tree_;
    const Estimate& estimate_;
    std::size_t most_; // candidates that are worth their time
    std::vector<Candidate> list_;
};

} // namespace

std::vector<Advice> advise(const ScheduleTree& tree, const device::Device& device,
                           const EstimateOptions& options, std::size_t limit,
                           const std::atomic<bool>* cancelled) {
    const auto& model = *models_for(device).front();
    auto now = model.estimate(tree, device, options);
    std::vector<Advice> out;
    if (!now.seconds || *now.seconds <= 0)
        return out;
    ApplyContext context{&device};
    for (const auto& candidate : Candidates(tree, now).run()) {
        if (cancelled && cancelled->load(std::memory_order_relaxed))
            break;
        ScheduleState state = tree.state;
        if (!candidate.directive->apply(state, context))
            continue;
        auto changed = build_tree(state);
        if (!changed)
            continue;
        auto then = model.estimate(**changed, device, options);
        if (!then.seconds)
            continue;
        double saving = 1 - *then.seconds / *now.seconds;
        if (saving < kMinSaving)
            continue;
        Advice advice;
        advice.saving = saving;
        advice.directive = candidate.directive->text();
        advice.sentence = candidate.why + "; `" + advice.directive + "` would save " +
                          std::to_string(static_cast<int>(std::lround(saving * 100))) + " %";
        // Among several places for one stage only the best is said.
        auto same = std::find_if(out.begin(), out.end(), [&](const Advice& a) {
            return a.sentence.substr(0, a.sentence.find(';')) == candidate.why;
        });
        if (same == out.end())
            out.push_back(std::move(advice));
        else if (same->saving < saving)
            *same = std::move(advice);
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const Advice& a, const Advice& b) { return a.saving > b.saving; });
    if (out.size() > limit)
        out.resize(limit);
    return out;
}

} // namespace loopscope::model
