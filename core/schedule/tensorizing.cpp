#include "core/schedule/tensorizing.h"

#include "core/schedule/identity.h"
#include "core/schedule/inferred.h"
#include "core/schedule/legality.h"
#include "core/schedule/loop_kinds.h"
#include "core/schedule/merging.h"
#include "core/schedule/placement.h"
#include "core/schedule/tensor_match.h"

#include <algorithm>
#include <stdexcept>

namespace loopscope {

namespace {

// The definitions of a state of which a part is an instruction.
std::vector<DefinitionKey> tensorized(const ScheduleState& state) {
    std::vector<DefinitionKey> out;
    for (const auto* stage : state.stages.having(StageTrait::Instructions))
        for (std::size_t d = 0; d < stage->definitions.size(); ++d)
            if (stage->definitions[d].tensorized)
                out.emplace_back(stage->name, static_cast<int>(d));
    return out;
}

Status check_kinds(const DefinitionState& nest, const std::string& name) {
    const auto from = nest.tensorized_from();
    const auto& instruction = nest.tensorized->intrinsic->name;
    for (std::size_t p = 0; p < nest.loops.size(); ++p) {
        const auto& loop = nest.loops[p];
        if (p >= from && (loop.kind != LoopKind::Serial || !loop.binding.empty()))
            return error(name + "." + loop.name + " is " + kind_text(loop) + ", and " +
                             instruction + " replaces it",
                         name + ".serial(" + loop.name + ") first");
        if (p < from && loop.kind == LoopKind::Vectorized)
            return error(name + "." + loop.name + " is vectorised, and its lanes would execute " +
                             instruction + " at once",
                         name + ".serial(" + loop.name + ") first, or unroll it");
    }
    return success();
}

Status check_nothing_inside(const ScheduleState& state, const DefinitionKey& key) {
    const auto& nest = nest_of(state, key);
    const auto name = definition_name(key.first, key.second);
    const auto from = nest.tensorized_from();
    const auto& instruction = nest.tensorized->intrinsic->name;
    for (auto p = from; p < nest.loops.size(); ++p) {
        const auto& loop = nest.loops[p];
        const LoopRef itself{key.first, key.second, loop.id};
        if (const auto placed = state.placed_at(itself); !placed.empty())
            return error(placed.front() + " is " +
                             placed_words(state, placed.front(), itself).placed + " at " + name +
                             "." + loop.name + ", which " + instruction + " replaces",
                         from == 0 ? placed.front() + ".compute_root()"
                                   : placed.front() + ".compute_at(" + name + ", " +
                                         nest.loops[from - 1].name + ") is outside of it");
        for (const auto& prefetch : nest.prefetches)
            if (prefetch.loop == loop.id)
                return error(prefetch.source + " is prefetched at " + name + "." + loop.name +
                                 ", which " + instruction + " replaces",
                             "prefetch at a loop around " + name + "." + nest.loops[from].name);
    }
    return success();
}

// The loop that the instruction replaces first may be another definition's, or be shared with one.
Status check_own(const ScheduleState& state, const DefinitionKey& key) {
    if (!any_merges(state))
        return success();
    const auto& nest = nest_of(state, key);
    const auto own = loops_around_point(state, key);
    const auto& first = own[own.size() - nest.loops.size() + nest.tensorized_from()];
    for (const auto& other : merge_group(state, key)) {
        const auto around = loops_around_point(state, other);
        if (other != key && std::find(around.begin(), around.end(), first) != around.end())
            return error(loop_text(state, first) + ", which " + nest.tensorized->intrinsic->name +
                             " replaces, is shared with " +
                             definition_name(other.first, other.second),
                         "share fewer loops");
    }
    return success();
}

Status proven(const ScheduleState& state, const Layout& layout, const DefinitionKey& key) {
    const auto& nest = nest_of(state, key);
    auto match = match_tensor(*nest.tensorized->intrinsic, state, layout, key.first, key.second,
                              nest.tensorized_from());
    return match ? success() : Status(match.errors());
}

Diagnostic product_no_longer(const ScheduleState& state, const DefinitionKey& key,
                             const Diagnostics& reasons) {
    return error(tensorize_text(state, key) +
                     " would not hold any longer: " + reasons.front().message,
                 "remove that line, or write it after this one as it then applies");
}

} // namespace

bool any_tensorized(const ScheduleState& state) {
    return state.stages.any(StageTrait::Instructions);
}

std::string tensorize_text(const ScheduleState& state, const DefinitionKey& key) {
    const auto& nest = nest_of(state, key);
    const auto from = nest.tensorized_from();
    return definition_name(key.first, key.second) + ".tensorize(" +
           (from < nest.loops.size() ? nest.loops[from].name : "…") + ", " +
           nest.tensorized->intrinsic->name + ")";
}

Status check_tensorized_loops(const ScheduleState& state, const DefinitionKey& key) {
    const auto& nest = nest_of(state, key);
    const auto name = definition_name(key.first, key.second);
    if (nest.tensorized_from() == nest.loops.size())
        return error("the loop of " + name + " that " + nest.tensorized->intrinsic->name +
                         " replaces is no more",
                     "tensorize a loop of " + name);
    if (auto kinds = check_kinds(nest, name); !kinds)
        return kinds;
    if (auto empty = check_nothing_inside(state, key); !empty)
        return empty;
    if (collides(state, key.first, key.second))
        return error(name + " combines by atomic operations, and " +
                         nest.tensorized->intrinsic->name + " adds to registers",
                     "R = " + name +
                         ".rfactor(…) in place of atomic() gives colliding iterations "
                         "results of their own");
    return check_own(state, key);
}

Status prove_tensorized(ScheduleState& state, const DefinitionKey& key) {
    if (auto loops = check_tensorized_loops(state, key); !loops)
        return loops;
    return check_layouts(state, {key.first},
                         [&](const Layout& layout) { return proven(state, layout, key); });
}

Status check_tensorized(ScheduleState& state) {
    const auto all = tensorized(state);
    std::set<std::string> stages;
    for (const auto& key : all) {
        if (auto loops = check_tensorized_loops(state, key); !loops)
            return product_no_longer(state, key, loops.errors());
        stages.insert(key.first);
    }
    if (all.empty())
        return success();
    return check_matched_layouts(
        state, stages, [&](const Layout& layout, const std::string& stage) {
            for (const auto& key : all)
                if (key.first == stage)
                    if (auto holds = proven(state, layout, key); !holds)
                        return Status(product_no_longer(state, key, holds.errors()));
            return success();
        });
}

Status check_not_tensorized(const DefinitionState& nest, const std::string& name,
                            std::size_t position, const std::string& to_do) {
    const auto from = nest.tensorized_from();
    if (position < from)
        return success();
    const auto& outermost = nest.loops[from].name;
    return error(name + "." + nest.loops[position].name + " cannot be " + to_do + ": " +
                     nest.tensorized->intrinsic->name + " replaces it",
                 "write this line before " + name + ".tensorize(" + outermost + ", " +
                     nest.tensorized->intrinsic->name + "), or " + name + ".serial(" + outermost +
                     ") first");
}

std::shared_ptr<const TensorCall>
tensor_call(const ScheduleState& state, const Layout& layout, const DefinitionKey& key,
            bool initializes, const std::function<ExprPtr(const LinearForm&)>& expr) {
    const auto& nest = nest_of(state, key);
    const auto from = nest.tensorized_from();
    const auto& intrinsic = nest.tensorized->intrinsic;
    auto match = match_tensor(*intrinsic, state, layout, key.first, key.second, from);
    if (!match)
        throw std::logic_error("tensorised, but no match: " + format(match.errors()));
    auto out = std::make_shared<TensorCall>();
    out->intrinsic = intrinsic;
    out->initializes = initializes;
    for (const auto& [of, axis, base] : match->axes)
        if (!initializes || !intrinsic->axes[of].reduction)
            out->axes.push_back({intrinsic->axes[of].name, axis, expr(base)});
    auto operand = [&](const IntrinsicOperand& of, const TensorMatch::Operand& found) {
        TensorCall::Operand made{of.name,
                                 found.load ? found.load->name : key.first,
                                 found.load ? found.load->component : 0,
                                 {},
                                 found.parts};
        for (const auto& base : found.base)
            made.base.push_back(expr(base));
        return made;
    };
    out->result = operand(intrinsic->result, match->result);
    if (initializes)
        return out;
    for (std::size_t o = 0; o < intrinsic->operands.size(); ++o)
        out->operands.push_back(operand(intrinsic->operands[o], match->operands[o]));
    const auto& definition =
        layout.derived->find(key.first)->definitions[static_cast<std::size_t>(key.second)];
    out->starts =
        definition.kind == DefinitionKind::Reduction &&
        std::none_of(nest.loops.begin(), nest.loops.begin() + static_cast<std::ptrdiff_t>(from),
                     [](const LoopState& loop) { return loop.reduction; });
    out->rounds = match->rounds;
    out->term = match->term;
    return out;
}

} // namespace loopscope
