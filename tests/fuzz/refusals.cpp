#include "tests/fuzz/refusals.h"

#include "core/schedule/directives/bind.h"
#include "core/schedule/directives/compute_at.h"
#include "core/schedule/directives/compute_with.h"
#include "core/schedule/directives/fuse.h"
#include "core/schedule/directives/gpu_tile.h"
#include "core/schedule/directives/inline.h"
#include "core/schedule/directives/parallel.h"
#include "core/schedule/directives/pipeline.h"
#include "core/schedule/directives/reorder.h"
#include "core/schedule/directives/split.h"
#include "core/schedule/directives/store_at.h"
#include "core/schedule/directives/store_root.h"
#include "core/schedule/directives/tile.h"
#include "core/schedule/directives/unroll.h"
#include "core/schedule/directives/vectorize.h"
#include "core/schedule/legality.h"
#include "core/schedule/merging.h"
#include "core/schedule/nest.h"
#include "core/schedule/prefetching.h"
#include "core/schedule/region.h"
#include "core/schedule/region_needs.h"
#include "core/schedule/tree.h"
#include "tests/fuzz/judge.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace loopscope::fuzz {

namespace {

class Force {
public:
    Force(ScheduleState& state, const Directive& line) : state_(state), ref_(line.receiver) {}

    bool loop(const std::string& name, LoopKind kind, const std::string& level = {}) {
        auto nest = Nest::open(state_, ref_);
        if (!nest)
            return false;
        auto at = nest->position(name);
        if (!at)
            return false;
        nest->run_as(*at, kind, level);
        return marked(*nest);
    }

    bool vectorized(const Vectorize& line) {
        if (!line.factor)
            return loop(line.loop, LoopKind::Vectorized);
        if (line.factor->native ||
            !split(line.loop, line.loop, line.loop + "_v", line.factor->value, line.tail))
            return false;
        return loop(line.loop + "_v", LoopKind::Vectorized);
    }

    bool unrolled(const Unroll& line) {
        if (!line.factor)
            return loop(line.loop, LoopKind::Unrolled);
        if (line.factor->native ||
            !split(line.loop, line.loop, line.loop + "_u", line.factor->value, line.tail))
            return false;
        return loop(line.loop + "_u", LoopKind::Unrolled);
    }

    // `Tiled`: Tile or GpuTile. The outer parts of the loops around the inner ones, whatever stands
    // between them.
    template <typename Tiled> bool tiled(const Tiled& line) {
        return line.y != line.x && !line.y_factor.native && !line.x_factor.native &&
               split(line.y, line.y_outer, line.y_inner, line.y_factor.value, line.tail) &&
               split(line.x, line.x_outer, line.x_inner, line.x_factor.value, line.tail) &&
               reordered({line.y_outer, line.x_outer, line.y_inner, line.x_inner});
    }

    // Two loops that stand next to each other, of whatever kinds.
    bool fused(const Fuse& line) {
        auto nest = Nest::open(state_, ref_);
        if (!nest)
            return false;
        auto a = nest->position(line.outer), b = nest->position(line.inner);
        if (!a || !b || *b != *a + 1 || nest->loops().find(line.fused) ||
            !nest->not_in_use(*a, "fused") || !nest->not_in_use(*b, "fused"))
            return false;
        auto& loops = nest->loops().loops;
        LoopState loop;
        loop.id = nest->new_id();
        loop.name = line.fused;
        loop.reduction = loops[*a].reduction || loops[*b].reduction;
        nest->loops().relations.push_back(
            {Relation::Kind::Fuse, loop.id, loops[*a].id, loops[*b].id, 1, Tail::Guard});
        loops[*a] = loop;
        loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(*b));
        return marked(*nest);
    }

    bool split(const std::string& name, const std::string& outer, const std::string& inner,
               std::int64_t factor, Tail tail) {
        auto nest = Nest::open(state_, ref_);
        if (!nest)
            return false;
        auto at = nest->position(name);
        // What is computed at a loop is looked for by that loop: it must not go.
        if (!at || nest->loops().find(inner) || !nest->not_in_use(*at, "split"))
            return false;
        nest->split(*at, outer, inner, factor, tail);
        return marked(*nest);
    }

    bool reordered(const std::vector<std::string>& names) {
        auto nest = Nest::open(state_, ref_);
        if (!nest)
            return false;
        std::vector<std::size_t> positions;
        if (names.size() < 2)
            return false;
        for (const auto& name : names) {
            auto at = nest->position(name);
            if (!at)
                return false;
            positions.push_back(*at);
        }
        nest->reorder(positions);
        return marked(*nest);
    }

    bool placed(const DefinitionRef& host, const std::string& loop, bool stored) {
        if (!state_.find(ref_.stage) || !state_.find(host.stage) ||
            state_.index_of(host.stage) <= state_.index_of(ref_.stage) ||
            state_.find(host.stage)->compute.kind == Placement::Kind::Inline || shares_loops())
            return false;
        auto found = find_definition(state_, host);
        if (!found)
            return false;
        auto at = find_loop(state_, host, loop);
        if (!at)
            return false;
        const auto& nest =
            state_.find(host.stage)->definitions[static_cast<std::size_t>(host.definition)];
        const Placement place{Placement::Kind::At,
                              {host.stage, host.definition, nest.loops[*at].id}};
        auto& stage = state_.edit(ref_.stage);
        if (stored && stage.compute.kind != Placement::Kind::At)
            return false;
        stage.store = place;
        if (!stored)
            stage.compute = place;
        return true;
    }

    bool stored_at_root() {
        if (!state_.find(ref_.stage) ||
            state_.find(ref_.stage)->compute.kind != Placement::Kind::At)
            return false;
        state_.edit(ref_.stage).store = Placement{};
        return true;
    }

    bool merged(const DefinitionRef& host, const std::string& loop) {
        auto own = find_definition(state_, ref_), other = find_definition(state_, host);
        if (!own || !other)
            return false;
        const StageState &mine = *state_.find(ref_.stage), &its = *state_.find(host.stage);
        const DefinitionKey head = merge_head(state_, {host.stage, host.definition});
        auto at = find_loop(state_, host, loop);
        if (!at || head == DefinitionKey{ref_.stage, ref_.definition} ||
            mine.compute.kind == Placement::Kind::Inline || !(mine.compute == its.compute) ||
            !(mine.store == mine.compute) || !(its.store == its.compute))
            return false;
        const auto d = static_cast<std::size_t>(ref_.definition);
        const auto& loops = its.definitions[static_cast<std::size_t>(host.definition)].loops;
        if (mine.definitions[d].loops.size() <= *at)
            return false;
        for (std::size_t p = 0; p <= *at; ++p)
            if (!state_.placed_at({ref_.stage, ref_.definition, mine.definitions[d].loops[p].id})
                     .empty())
                return false;
        const LoopRef with{host.stage, host.definition, loops[*at].id};
        state_.edit(ref_.stage).definitions[d].with = with;
        return true;
    }

    bool pipelined(std::int64_t copies) {
        const StageState* stage = state_.find(ref_.stage);
        if (!stage || stage->compute.kind != Placement::Kind::At || copies < 1)
            return false;
        state_.edit(ref_.stage).pipeline = copies;
        return true;
    }

    bool inlined() {
        const StageState* stage = state_.find(ref_.stage);
        const auto* definition = stage ? state_.definition(ref_.stage, 0) : nullptr;
        if (!stage || stage->definitions.size() > 1 ||
            (definition && definition->kind != DefinitionKind::Pure) ||
            state_.pipeline->find_output(ref_.stage))
            return false;
        for (const auto& loop : stage->definitions[0].loops)
            if (!state_.placed_at({ref_.stage, 0, loop.id}).empty())
                return false;
        auto& edited = state_.edit(ref_.stage);
        edited.compute = edited.store = Placement{Placement::Kind::Inline, {}};
        return true;
    }

private:
    // Then the loops around its own might be found by way of itself.
    bool shares_loops() const {
        const auto count = static_cast<int>(state_.find(ref_.stage)->definitions.size());
        for (int d = 0; d < count; ++d)
            if (merge_group(state_, {ref_.stage, d}).size() > 1)
                return true;
        return false;
    }

    bool marked(Nest& nest) {
        nest.loops().reassociates = loopscope::reassociates(state_, ref_.stage, ref_.definition);
        return true;
    }

    ScheduleState& state_;
    DefinitionRef ref_;
};

// Does the loop run over reduction axes alone, each of one term at most? Split beyond its axis it
// has more iterations, of which one runs.
bool one_term(const DefinitionState& nest, const std::vector<ReductionAxis>& axes,
              const LoopState& loop) {
    std::set<int> from{loop.id};
    for (auto r = nest.relations.rbegin(); r != nest.relations.rend(); ++r) {
        if (r->kind == Relation::Kind::Split) {
            if (from.erase(r->outer) + from.erase(r->inner) > 0)
                from.insert(r->parent);
        } else if (from.erase(r->parent) > 0) {
            from.insert({r->outer, r->inner});
        }
    }
    return std::all_of(nest.roots.begin(), nest.roots.end(), [&](const LoopState& root) {
        return from.count(root.id) == 0 ||
               std::any_of(axes.begin(), axes.end(), [&](const ReductionAxis& axis) {
                   return axis.name == root.name && axis.extent().hint() <= 1;
               });
    });
}

bool one_iteration(const ScheduleTree& tree, const Directive& directive) {
    const auto& ref = directive.receiver;
    const auto layout = tree.layout->stages.find(ref.stage);
    if (layout == tree.layout->stages.end())
        return true;
    for (auto extent : layout->second.extents)
        if (extent < 1)
            return true;
    const auto named = loops_named_by(directive);
    const auto* vector = dynamic_cast<const Vectorize*>(&directive);
    const bool splits = vector && vector->factor;
    const auto d = static_cast<std::size_t>(ref.definition);
    const auto& nest = tree.state.find(ref.stage)->definitions[d];
    const auto& loops = nest.loops;
    const auto& axes = tree.find_stage(ref.stage)->stage.definitions[d].axes;
    for (std::size_t l = 0; l < loops.size(); ++l)
        for (const auto& name : named)
            if ((loops[l].name == name || (splits && loops[l].name == name + "_v")) &&
                layout->second.nests[d].extents[l] > 1 && !one_term(nest, axes, loops[l]))
                return false;
    return true;
}

// Does the stage have updates that compute more of it than is read?
bool computes_unneeded(const ScheduleTree& tree, const Directive& directive) {
    const auto& name = directive.receiver.stage;
    const auto own = tree.layout->stages.find(name);
    if (own == tree.layout->stages.end() || tree.state.find(name)->definitions.size() < 2)
        return false;
    Readers readers(*tree.layout->derived);
    for (const auto& [stage, layout] : tree.layout->stages)
        readers.add(stage);
    const auto needed = needed_by_readers(*tree.layout, readers, name, {});
    const auto* output = tree.state.pipeline->find_output(name);
    const auto& extents = own->second.extents;
    for (std::size_t d = 0; d < extents.size(); ++d) {
        auto read =
            needed.empty() ? 0 : difference_range(needed[d].greatest, needed[d].least).greatest + 1;
        if (output)
            read = std::max(read, output->extents[d].hint());
        if (read < extents[d])
            return true;
    }
    return false;
}

} // namespace

bool force(ScheduleState& state, const Directive& directive) {
    Force force(state, directive);
    if (const auto* d = dynamic_cast<const Parallel*>(&directive))
        return force.loop(d->loop, LoopKind::Parallel);
    if (const auto* d =
            dynamic_cast<const Bind*>(&directive)) // under `cpu` a level is a plain loop
        return force.loop(d->loop, LoopKind::Parallel);
    if (const auto* d = dynamic_cast<const Vectorize*>(&directive))
        return force.vectorized(*d);
    if (const auto* d = dynamic_cast<const Split*>(&directive))
        return !d->factor.native &&
               force.split(d->loop, d->outer, d->inner, d->factor.value, d->tail);
    if (const auto* d = dynamic_cast<const Unroll*>(&directive))
        return force.unrolled(*d);
    if (const auto* d = dynamic_cast<const Tile*>(&directive))
        return force.tiled(*d);
    if (const auto* d = dynamic_cast<const GpuTile*>(&directive))
        return force.tiled(*d);
    if (const auto* d = dynamic_cast<const Fuse*>(&directive))
        return force.fused(*d);
    if (const auto* d = dynamic_cast<const Reorder*>(&directive))
        return force.reordered(d->loops);
    if (const auto* d = dynamic_cast<const ComputeAt*>(&directive))
        return force.placed(d->host, d->loop, false);
    if (const auto* d = dynamic_cast<const StoreAt*>(&directive))
        return force.placed(d->host, d->loop, true);
    if (dynamic_cast<const StoreRoot*>(&directive))
        return force.stored_at_root();
    if (const auto* d = dynamic_cast<const ComputeWith*>(&directive))
        return force.merged(d->host, d->loop);
    if (const auto* d = dynamic_cast<const PipelineStage*>(&directive))
        return force.pipelined(d->copies);
    if (dynamic_cast<const Inline*>(&directive))
        return force.inlined();
    return false;
}

const std::vector<std::string>& forced_verbs() {
    static const std::vector<std::string> verbs = {
        "bind",     "compute_at", "compute_with", "fuse",    "gpu_tile",
        "inline",   "parallel",   "pipeline",     "reorder", "split",
        "store_at", "store_root", "tile",         "unroll",  "vectorize"};
    return verbs;
}

namespace {

JudgedRefusal judge_forced(const PipelinePtr& pipeline, const ScheduleState& state,
                           const ScheduleState& forced, const Directive& directive,
                           std::uint64_t seed) {
    const auto* definition =
        state.definition(directive.receiver.stage, directive.receiver.definition);
    const bool conditional = definition && definition->condition;
    // A prefetch of what is no longer read is a line that names nothing.
    if (!check_prefetches(forced))
        return {};
    try {
        auto tree = build_tree(forced);
        if (!tree)
            return {Refusal::Impossible};
        JudgeOptions options;
        options.interpret = true;
        options.compiled = options.passes = false;
        for (std::uint64_t i = 0; i < 4; ++i) { // hostile inputs, small whole numbers, reals
            const auto verdict = judge_tree(pipeline, **tree, 4 * seed + i, options);
            if (verdict.outcome == Outcome::TooLarge)
                return {};
            if (verdict.bad())
                return {verdict.outcome == Outcome::Failure ? Refusal::Impossible : Refusal::Wrong};
        }
        return {Refusal::Harmless, one_iteration(**tree, directive), conditional,
                computes_unneeded(**tree, directive)};
    } catch (const std::exception&) {
        return {Refusal::Impossible};
    }
}

constexpr unsigned kSecondsForced = 20;
// In the status of a process that judged; sanitizers end theirs with 1.
constexpr int kJudged = 64;

} // namespace

JudgedRefusal judge_refusal(const PipelinePtr& pipeline, const ScheduleState& state,
                            const Directive& directive, std::uint64_t seed) {
    auto forced = state;
    try {
        if (!force(forced, directive))
            return {};
    } catch (const std::logic_error&) {
        // From a proof about loops that the rules keep out: a free variable fused with an axis of
        // an update, say.
        return {Refusal::Impossible};
    }
    // What breaks the rules may break what relies on them: it has a process of its own, and a short
    // time.
    const auto child = fork();
    if (child < 0)
        throw std::runtime_error("cannot start a process");
    if (child == 0) {
        alarm(kSecondsForced);
        const auto judged = judge_forced(pipeline, state, forced, directive, seed);
        _exit(kJudged + static_cast<int>(judged.outcome) + 4 * judged.one_iteration +
              8 * judged.conditional + 16 * judged.unneeded);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) < kJudged || WEXITSTATUS(status) >= kJudged + 32)
        return {Refusal::Impossible};
    const auto code = WEXITSTATUS(status) - kJudged;
    return {static_cast<Refusal>(code % 4), code / 4 % 2 == 1, code / 8 % 2 == 1, code / 16 == 1};
}

const std::vector<ConservativeRule>& conservative_rules() {
    using Holds = ConservativeRule::Holds;
    static const std::vector<ConservativeRule> rules = {
        {"data", "dependence", "an index depends on data, is not affine or may wrap"},
        {"work", "dependence", "could not be proven within the limit on work"},
        {"one-iteration", "dependence", "runs over a reduction axis", Holds::OneIteration},
        {"one-iteration", "dependence", "at a distance of", Holds::OneIteration},
        {"one-iteration", "placement", "is outside that loop", Holds::OneIteration},
        {"condition", "dependence", "at a distance of", Holds::Conditional},
        {"condition", "dependence", "runs over a reduction axis", Holds::Conditional},
        {"combining", "dependence-vectorise", ".atomic() iterations may collide"},
        {"unneeded", "dependence", "that depend on each other", Holds::Unneeded},
        {"tail", "not-applicable", "the tail shift is for pure definitions"},
        {"tail", "not-applicable", "the tail pad would add terms"},
        {"tail", "not-applicable",
         "what the tail pad computes beyond it are points of the next one"},
        {"tail", "not-applicable", "the tail pad computes beyond what is needed"},
        {"one-vector", "not-applicable", "cannot have two vectorised loops"},
        {"in-a-vector", "not-applicable", "which is vectorised: its lanes run at once"},
        {"in-a-vector", "placement", "which is vectorised: its lanes run at once"},
        {"level", "not-applicable", "already"},
        {"one-kind", "not-applicable",
         "runs over a reduction axis and the other over a free variable"},
        {"output", "placement", "is an output: it is stored whole"},
        {"unread", "placement", "nothing reads"},
        {"inline-loops", "not-applicable", "cannot be inlined: loop directives were given to it"},
        {"inline-loops", "not-applicable", "cannot be inlined: a layout was given to its storage"},
        {"window-at-once", "placement", "which run at once, would share the memory"},
        {"merge-order", "merge", "it is not proven that this is computed before"},
        {"merge-order", "merge", "which would have to run in the middle"},
        {"merge-order", "merge", "is complete only after"},
        {"merge-order", "merge", "which comes before"},
        {"merge-order", "merge", "shares inner loops with a definition"},
        {"merge-order", "merge", "would each have to run before the other"},
        {"merge-order", "merge", "computes some points in two blocks"},
        {"merge-loops", "merge", "does not run in the iterations of its neighbours"},
        {"merge-loops", "merge", "lanes of two definitions are not shared"},
        {"merge-loops", "merge", "before which its sums are initialised"},
        {"merge-loops", "merge", "warms up a sliding window"},
        {"merge-loops", "merge", "run in different ways, and would be one loop"},
        {"merge-loops", "merge", "iterations, and"},
        {"merge-loops", "merge", "shares is no more"},
        {"merge-loops", "merge", "would be others than were merged"},
        {"merge-loops", "merge", "shares loops with two groups of stages"},
        {"pipeline-place", "pipeline", "slots that rotate keep nothing"},
        {"pipeline-place", "pipeline", "its iterations run at once, and none is ahead"},
        {"pipeline-place", "pipeline", "is inlined: nothing computes it ahead"},
        {"pipeline-place", "pipeline", "keeps what it computes from one iteration"},
    };
    return rules;
}

const ConservativeRule* rule_of(const Diagnostic& diagnostic, const JudgedRefusal& judged) {
    for (const auto& rule : conservative_rules()) {
        const bool holds = rule.holds == ConservativeRule::Holds::Always        ? true
                           : rule.holds == ConservativeRule::Holds::Conditional ? judged.conditional
                           : rule.holds == ConservativeRule::Holds::Unneeded    ? judged.unneeded
                                                                             : judged.one_iteration;
        if (holds && diagnostic.code.starts_with(rule.code) &&
            (diagnostic.message + "; " + diagnostic.remedy).find(rule.words) != std::string::npos)
            return &rule;
    }
    return nullptr;
}

} // namespace loopscope::fuzz
