#include "app/session/edits.h"

#include "core/language/schedule_parser.h"
#include "core/schedule/gpu/runnable.h"
#include "core/schedule/legality.h"
#include "core/schedule/reads.h"

#include <QObject>
#include <QStringList>

#include <algorithm>
#include <numeric>

namespace loopscope::session {

namespace {

QString text_of(const std::string& text) { return views::to_qstring(text); }

QString iteration(const Violation& v, bool second) {
    QStringList parts;
    for (std::size_t i = 0; i < v.axes.size() && i < v.from.size(); ++i)
        parts << QStringLiteral("%1 = %2")
                     .arg(text_of(v.axes[i]))
                     .arg(v.from[i] + (second && i < v.distance.size() ? v.distance[i] : 0));
    return parts.join(QStringLiteral(", "));
}

QString distance(const Violation& v) {
    QStringList steps;
    for (auto step : v.distance)
        steps << QString::number(step);
    return v.distance.empty() ? QObject::tr("another iteration")
                              : QObject::tr("distance (%1)").arg(steps.join(QStringLiteral(", ")));
}

// "down[x, r] written at r = 0, read as down[x, r - 1] at r = 1 · distance (1)"
QString sentence(const Violation& v) {
    auto done = [](bool writes) { return writes ? QObject::tr("written") : QObject::tr("read"); };
    const QString again =
        v.second == v.first ? QString() : QObject::tr(" as %1").arg(text_of(v.second));
    if (v.from.empty())
        return QObject::tr("%1 %2, then %3%4 in another iteration")
            .arg(text_of(v.first), done(v.first_writes), done(v.second_writes), again);
    return QObject::tr("%1 %2 at %3, %4%5 at %6 · %7")
        .arg(text_of(v.first), done(v.first_writes), iteration(v, false), done(v.second_writes),
             again, iteration(v, true), distance(v));
}

using ConflictPtr = std::shared_ptr<const views::Conflict>;

ConflictPtr nest_conflict(const Scheduled& now, const Directive& directive,
                          const ApplyContext& context) {
    // A refused directive leaves the nest that was refused: the dependence is asked of that.
    ScheduleState attempted = now.states.back();
    if (directive.apply(attempted, context).ok())
        return nullptr;
    const auto violation =
        find_violation(attempted, directive.receiver.stage, directive.receiver.definition);
    if (!violation)
        return nullptr;
    std::vector<NodeId> rows;
    for (const auto& loop : violation->loops) {
        NodeId id{violation->stage, violation->definition, loop};
        if (now.tree->find(id))
            rows.push_back(id);
    }
    if (rows.empty())
        rows.push_back(subject_of(directive, *now.tree));
    if (rows.size() == 1)
        rows.push_back({violation->stage, violation->definition, "@compute"});
    return std::make_shared<views::Conflict>(
        views::Conflict{rows.front(), rows.back(), distance(*violation), sentence(*violation)});
}

// The reader that would be outside of the loop at which a stage is to be computed.
ConflictPtr placement_conflict(const Scheduled& now, const Directive& directive) {
    // store_at and compute_with name a loop too, for other reasons
    if (std::string(directive.verb()) != "compute_at")
        return nullptr;
    DefinitionRef host;
    std::string name;
    visit_fields(
        directive.read_fields(),
        [&](const char*, const field::LoopOf& f) { host = f.of, name = f.value; },
        [](const char*, const auto&) {});
    const NodeId loop{host.stage, host.definition, name};
    const ReadGraph graph(now.states.back());
    for (const auto& [stage, definition] : graph.readers(directive.receiver.stage)) {
        const NodeId reader{stage, definition, "@compute"};
        const auto path = now.tree->path(reader);
        if (path.empty() || std::any_of(path.begin(), path.end(),
                                        [&](const TreeNode* node) { return node->id == loop; }))
            continue;
        return std::make_shared<views::Conflict>(views::Conflict{
            loop, reader, QObject::tr("reads %1").arg(text_of(directive.receiver.stage)),
            QObject::tr("%1 reads %2 outside of %3.%4")
                .arg(text_of(definition_name(stage, definition)), text_of(directive.receiver.stage),
                     text_of(host.text()), text_of(name))});
    }
    return nullptr;
}

ConflictPtr conflict_of(const Present& present, const views::DirectiveEdit& edit) {
    const auto directive = parse_directive(edit.line.toStdString());
    if (!directive || edit.replaces > 0)
        return nullptr;
    if (auto found = nest_conflict(*present.scheduled, **directive, present.context()))
        return found;
    return placement_conflict(*present.scheduled, **directive);
}

// Stages of a program whose tree takes too long to be built for every choice that somebody looks
// at.
constexpr std::size_t kManyStages = 150;

// Apart from that a line spoke of its loops.
bool same_stage(const StageState& a, StageState b) {
    for (std::size_t d = 0; d < std::min(a.definitions.size(), b.definitions.size()); ++d)
        b.definitions[d].touched = a.definitions[d].touched;
    return a == b;
}

// Does a line at the end of the script apply and change something? Said without a tree: one whose
// extents leave their range is refused only when it is made.
bool quickly_available(const Present& present, const std::string& line) {
    const auto directive = parse_directive(line);
    if (!directive)
        return false;
    const ScheduleState& now = present.scheduled->states.back();
    ScheduleState then = now;
    if (!apply_line(then, **directive, present.context()))
        return false;
    return !std::equal(now.stages.begin(), now.stages.end(), then.stages.begin(), then.stages.end(),
                       [](const auto& a, const auto& b) { return a == b || same_stage(*a, *b); });
}

double bytes_of(const TreeNode& storage) {
    double elements = 1, size = 0;
    for (const auto& dimension : storage.region.dimensions)
        elements *= static_cast<double>(dimension.extent.hint());
    for (auto type : storage.types)
        size += bytes(type);
    return elements * size;
}

double storage_below(const TreeNode& node) {
    double bytes = node.kind == TreeKind::Storage && !node.is_output ? bytes_of(node) : 0;
    for (const auto& child : node.children)
        bytes += storage_below(*child);
    return bytes;
}

} // namespace

Result<ScriptChange> edited(const Present& present, const views::DirectiveEdit& edit) {
    const auto line = edit.line.toStdString();
    if (edit.replaces == 0)
        return add_directive(present.pipeline, present.script, *present.scheduled, line,
                             present.context());
    if (line.empty())
        return remove_directive(present.pipeline, present.script, *present.scheduled, edit.replaces,
                                false, present.context())
            .change;
    return replace_directive(present.pipeline, present.script, *present.scheduled, edit.replaces,
                             line, present.context());
}

namespace {

// From the last line to the first: a line that goes moves those below it. What is added has its
// place found last.
std::vector<std::size_t> from_below(const std::vector<views::DirectiveEdit>& edits) {
    std::vector<std::size_t> order(edits.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return edits[a].replaces > edits[b].replaces;
    });
    return order;
}

// "split A.k by 8, split B.k by 8", or the first of many and how many more.
std::string described(const std::vector<std::string>& steps) {
    constexpr std::size_t kAllNamed = 4;
    const auto named = steps.size() > kAllNamed ? std::size_t{2} : steps.size();
    std::string text;
    for (std::size_t i = 0; i < named; ++i)
        text += (text.empty() ? "" : ", ") + steps[i];
    return named == steps.size() ? text
                                 : text + " and " + std::to_string(steps.size() - named) + " more";
}

} // namespace

EachEdited edited_each(const Present& present, const std::vector<views::DirectiveEdit>& edits) {
    EachEdited out{error("nothing is to be changed"), std::vector<Diagnostics>(edits.size())};
    Present so_far = present;
    std::vector<std::string> steps;
    for (const auto i : from_below(edits)) {
        auto change = edited(so_far, edits[i]);
        if (!change) {
            out.refusals[i] = change.errors();
            continue;
        }
        steps.push_back(change->description);
        so_far.script = change->script;
        so_far.scheduled = std::make_shared<const Scheduled>(change->scheduled);
        out.change = std::move(change);
    }
    if (!steps.empty())
        out.change->description = described(steps);
    else if (!edits.empty())
        out.change = out.refusals.front();
    return out;
}

Result<ScriptChange> edited(const Present& present,
                            const std::vector<views::DirectiveEdit>& edits) {
    auto each = edited_each(present, edits);
    for (const auto i : from_below(edits))
        if (!each.refusals[i].empty())
            return each.refusals[i];
    return std::move(each.change);
}

namespace {

// What is refused left out.
Result<ScriptChange> edited_but(const Present& present,
                                const std::vector<views::DirectiveEdit>& edits, Refused refused) {
    auto each = edited_each(present, edits);
    const bool stops = refused == Refused::StopsIfFirst && !each.refusals.empty() &&
                       !each.refusals.front().empty();
    return stops ? Result<ScriptChange>(each.refusals.front()) : std::move(each.change);
}

} // namespace

QString reason_of(const Diagnostics& diagnostics) {
    const auto& first = diagnostics.front();
    return text_of(first.remedy.empty() ? first.message : first.message + "; " + first.remedy);
}

namespace {

std::vector<NotRunnable> staying(const ScheduleTree& tree, const device::Gpu& gpu) {
    auto reasons = not_runnable(tree, gpu);
    std::erase_if(reasons, [](const NotRunnable& reason) { return !reason.stays; });
    return reasons;
}

// Why the device could not run it then, whatever lines followed; empty: it could. Where it cannot
// run the present schedule either, what leads out of that may be chosen.
QString never_runnable(const Present& present, const ScheduleTree& after) {
    if (!present.device->gpu)
        return {};
    const auto& gpu = *present.device->gpu;
    const auto reasons = staying(after, gpu);
    if (reasons.empty() || !staying(*present.scheduled->tree, gpu).empty())
        return {};
    const auto& first = reasons.front();
    return reason_of({error(first.message, first.remedy)});
}

} // namespace

views::Verdict judge(const Present& present, const views::DirectiveEdit& edit) {
    if (present.scheduled->states.back().stages.size() > kManyStages && edit.replaces == 0 &&
        quickly_available(present, edit.line.toStdString()))
        return {};
    const auto change = edited(present, edit);
    if (!change)
        return {false, reason_of(change.errors()), conflict_of(present, edit)};
    const auto reason = never_runnable(present, *change->scheduled.tree);
    return {reason.isEmpty(), reason, nullptr};
}

model::Estimate estimate_of(const ScheduleTree& tree, const device::Device& device) {
    return model::models_for(device).front()->estimate(tree, device, {});
}

Resources resources_of(const ScheduleTree& tree, const model::Estimate& estimate) {
    Resources out;
    out.seconds = estimate.seconds;
    out.reason = estimate.reason;
    out.recompute = estimate.recompute_factor;
    out.bound = estimate.bound;
    for (const auto& kernel : estimate.kernels) {
        out.parallelism = std::max(out.parallelism, kernel.parallelism);
        if (!kernel.traffic.empty())
            out.memory_bytes += kernel.traffic.back().bytes;
        if (kernel.gpu) {
            out.shared_bytes = std::max(out.shared_bytes.value_or(0),
                                        static_cast<double>(kernel.gpu->shared_bytes));
            if (const auto& occupancy = kernel.gpu->occupancy)
                out.blocks_at_once =
                    std::min(out.blocks_at_once.value_or(occupancy->blocks), occupancy->blocks);
        }
    }
    out.storage_bytes = storage_below(*tree.root);
    return out;
}

Forecast forecast(const Present& present, const std::vector<views::DirectiveEdit>& edits,
                  Refused refused) {
    Forecast out;
    const auto& tree = *present.scheduled->tree;
    out.before = resources_of(tree, estimate_of(tree, *present.device));
    const auto change =
        refused == Refused::Stops ? edited(present, edits) : edited_but(present, edits, refused);
    if (!change) {
        out.after.reason = reason_of(change.errors()).toStdString();
        return out;
    }
    const auto& after = *change->scheduled.tree;
    out.after = resources_of(after, estimate_of(after, *present.device));
    return out;
}

} // namespace loopscope::session
