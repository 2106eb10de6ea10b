#include "views/models/node_facts.h"

#include "core/schedule/nest_layout.h"
#include "core/schedule/register_room.h"
#include "core/schedule/shared_loops.h"
#include "core/schedule/storage.h"
#include "views/models/memory_text.h"
#include "views/models/node_text.h"
#include "views/style/number_format.h"

#include <QObject>
#include <QStringList>

namespace loopscope::views {

namespace {

QString level_text(const NodeId& level) {
    return level.stage.empty() ? QObject::tr("root, whole")
                               : QObject::tr("every iteration of %1").arg(node_title(level));
}

QString joined(const std::vector<ExprPtr>& expressions) {
    QStringList parts;
    for (const ExprPtr& e : expressions)
        parts << to_qstring(to_text(e));
    return parts.join(QStringLiteral(", "));
}

// Numbers of the node as it was pinned; absent ones are not compared with.
struct Pinned {
    Pinned(const Baseline& baseline, const NodeId& id)
        : estimate(baseline.estimate.get()),
          node(baseline.tree ? baseline.tree->find(id) : nullptr) {
        if (estimate)
            if (const auto found = estimate->nodes.find(id); found != estimate->nodes.end())
                cost = &found->second;
    }
    const model::Estimate* estimate;
    const TreeNode* node;
    const model::NodeCost* cost = nullptr;
};

double total(const std::map<std::string, double>& parts) {
    double sum = 0;
    for (const auto& [stage, part] : parts)
        sum += part;
    return sum;
}

// Marks the last fact with its change. `neutral`: less is not better.
void compare(std::vector<Fact>& facts, double before, double now, bool neutral = false) {
    if (before <= 0)
        return;
    facts.back().change = format_change(before, now);
    facts.back().sign = neutral ? 0 : change_sign(before, now);
}

void add_cost(std::vector<Fact>& facts, const model::Estimate* estimate, const NodeId& id,
              const Pinned& pinned) {
    if (!estimate)
        return;
    const auto found = estimate->nodes.find(id);
    if (found == estimate->nodes.end())
        return;
    const model::NodeCost& cost = found->second;
    // not "0 ns"
    QString time = estimate->seconds ? format_seconds(cost.seconds_subtree) : QStringLiteral("–");
    if (estimate->seconds && *estimate->seconds > 0)
        time += QStringLiteral(" · ") + format_share(cost.seconds_subtree / *estimate->seconds);
    facts.push_back(
        {QObject::tr("time"), time,
         QObject::tr("Of the whole program's estimated time, with all that is inside.")});
    if (pinned.cost)
        compare(facts, pinned.cost->seconds_subtree, cost.seconds_subtree);
    facts.push_back({QObject::tr("runs"),
                     cost.trips == 1 ? QObject::tr("once")
                                     : QObject::tr("%1 times").arg(format_count(cost.trips)),
                     QObject::tr("How often it is executed in all.")});
    if (pinned.cost)
        compare(facts, pinned.cost->trips, cost.trips, true);
    if (cost.flops > 0) {
        facts.push_back({QObject::tr("arithmetic"), format_flops(cost.flops),
                         QObject::tr("Floating-point operations of all its executions.")});
        if (pinned.cost)
            compare(facts, pinned.cost->flops, cost.flops);
    }
    const double bytes = total(cost.footprint_bytes);
    QStringList parts;
    for (const auto& [stage, part] : cost.footprint_bytes)
        parts << to_qstring(stage) + ' ' + format_capacity(part);
    if (bytes > 0) {
        facts.push_back(
            {QObject::tr("footprint"), format_capacity(bytes),
             QObject::tr("Distinct bytes that one execution touches: %1.").arg(parts.join(", "))});
        if (pinned.cost)
            compare(facts, total(pinned.cost->footprint_bytes), bytes);
    }
}

void add_definition(std::vector<Fact>& facts, const ScheduleTree& tree, const std::string& stage,
                    int definition) {
    const DerivedStage* derived = tree.find_stage(stage);
    if (!derived || definition >= static_cast<int>(derived->stage.definitions.size()))
        return;
    const Definition& d = derived->stage.definitions[static_cast<std::size_t>(definition)];
    QString text = joined(d.values);
    if (d.kind == DefinitionKind::Reduction)
        text = QString(name(d.reduction)) + '(' + text + ')';
    else if (d.kind == DefinitionKind::Update)
        text = '[' + joined(d.left) + "] " + name(d.update) + ' ' + text;
    constexpr int shown = 240; // the whole is in the pipeline's text
    if (text.size() > shown) { // whole words: half a name would be another one
        const auto end = text.lastIndexOf(' ', shown);
        text = text.left(end > 0 ? end : shown) + QStringLiteral(" …");
    }
    Fact fact{definition == 0 ? QObject::tr("definition")
                              : QObject::tr("update %1").arg(definition - 1),
              text,
              {},
              true};
    facts.push_back(std::move(fact));
}

// Facts on what the stage reads and what became of it: copies and caches.
void add_origin(std::vector<Fact>& facts, const ScheduleTree& tree, const std::string& stage) {
    const DerivedStage* derived = tree.find_stage(stage);
    if (!derived)
        return;
    if (!derived->copy_of.empty())
        facts.push_back({QObject::tr("copies"), to_qstring(derived->copy_of),
                         QObject::tr("Made by cache_read: its readers read this copy instead.")});
    if (!derived->cache_of.empty())
        facts.push_back(
            {QObject::tr("caches"), to_qstring(derived->cache_of),
             QObject::tr("Made by cache_write: computed here, then written out to it.")});
}

// Facts on a stage that runs only in a part of the iterations around it, or ahead of its use.
void add_runs(std::vector<Fact>& facts, const ScheduleTree& tree, const TreeNode& node) {
    if (const QString ahead = rotation_text(node); !ahead.isEmpty())
        facts.push_back({QObject::tr("pipelined"), ahead,
                         QObject::tr("It is computed that many iterations before its use, into "
                                     "copies of its memory that rotate.")});
    for (const EarlyRun& early : early_runs(tree, node))
        facts.push_back(
            {QObject::tr("warms up"),
             QObject::tr("%1 iterations before the first of %2")
                 .arg(early.iterations)
                 .arg(to_qstring(definition_name(early.loop.stage, early.loop.definition) + "." +
                                 early.loop.name)),
             QObject::tr("In these it alone is computed: what the first iteration "
                         "needs.")});
    if (const QString hints = hints_text(tree, node); !hints.isEmpty())
        facts.push_back({QObject::tr("hints"), hints,
                         QObject::tr("Said by the schedule; this target has no use for it.")});
}

// The loops that its definitions share but another one gives.
void add_shared(std::vector<Fact>& facts, const ScheduleTree& tree, const std::string& stage) {
    const StageState* state = tree.state.find(stage);
    for (std::size_t d = 0; state && d < state->definitions.size(); ++d) {
        QStringList names;
        for (const NodeId& loop : borrowed_loops(tree, stage, static_cast<int>(d)))
            names << to_qstring(definition_name(loop.stage, loop.definition) + "." + loop.name);
        if (!names.isEmpty())
            facts.push_back(
                {d == 0 ? QObject::tr("shares loops") : QObject::tr("update %1 shares").arg(d - 1),
                 names.join(QStringLiteral(", ")),
                 QObject::tr("Loops that run for another definition too, by compute_with; these "
                             "have no rows of their own.")});
    }
}

void add_loop(std::vector<Fact>& facts, const ScheduleTree& tree, const TreeNode& node,
              const Pinned& pinned) {
    facts.push_back({QObject::tr("runs as"),
                     node_tag(node) + (node.reduction ? QObject::tr(", a reduction") : QString()),
                     QObject::tr("How its iterations run.")});
    const QString early = warm_up_text(node);
    facts.push_back({QObject::tr("iterations"),
                     format_count(static_cast<double>(node.extent.hint())) +
                         (early.isEmpty() ? QString() : QStringLiteral(" · ") + early),
                     QObject::tr("Of one execution of the loop.")});
    if (pinned.node)
        compare(facts, static_cast<double>(pinned.node->extent.hint()),
                static_cast<double>(node.extent.hint()), true);
    QStringList names;
    for (const auto& [stage, definition] : sharers(tree, node.id))
        names << to_qstring(definition_name(stage, definition));
    if (!names.isEmpty())
        facts.push_back({QObject::tr("shared by"), names.join(QStringLiteral(", ")),
                         QObject::tr("Each iteration runs what is left of all of them.")});
    for (const Prefetch& prefetch : node.prefetches)
        facts.push_back(
            {QObject::tr("prefetches"),
             QObject::tr("%1, %2 ahead: %3")
                 .arg(to_qstring(prefetch.source))
                 .arg(prefetch.ahead)
                 .arg(prefetch.lines == 0
                          ? QObject::tr("nothing is new from one iteration to the next")
                          : QObject::tr("%1 lines an iteration").arg(prefetch.count())),
             QObject::tr("Asked for at the start of each iteration, for a later one.")});
    if (const StageState* stage = tree.state.find(node.id.stage);
        stage && node.id.definition >= 0 &&
        node.id.definition < static_cast<int>(stage->definitions.size()))
        if (const LoopState* loop =
                stage->definitions[static_cast<std::size_t>(node.id.definition)].find(
                    loop_name(node));
            loop && loop->persistent)
            facts.push_back(
                {QObject::tr("persistent"),
                 QObject::tr("as many blocks as run at once, each with a loop"),
                 QObject::tr("Each block takes one iteration after another. On a CPU it "
                             "is a plain loop.")});
    for (const LoopTail& tail : node.tails)
        facts.push_back({QObject::tr("tail"), to_qstring(tail_text(tail)),
                         QObject::tr("A factor does not divide: what becomes of the last tile, "
                                     "and why it is not what was asked for.")});
}

// Registers of which the script has more than there are.
void add_registers(std::vector<Fact>& facts, const TreeNode& node, const device::Device* device) {
    const auto excess = device ? beyond_registers(node, *device) : std::nullopt;
    if (!excess)
        return;
    facts.push_back(
        {QObject::tr("⚠ registers"),
         QObject::tr("hold %1 of %2 a thread, the rest lies in memory; compute it further inside, "
                     "or split its loops")
             .arg(format_capacity(static_cast<double>(excess->room)),
                  format_capacity(static_cast<double>(excess->bytes))),
         device->gpu ? QObject::tr("A thread has so many registers, and local memory for what is "
                                   "over.")
                     : QObject::tr("A CPU has so many registers for vectors. The scope is a hint "
                                   "there: the compiler puts into registers what fits.")});
}

void add_storage(std::vector<Fact>& facts, const ScheduleTree& tree, const TreeNode& node,
                 const Pinned& pinned, const device::Device* device) {
    facts.push_back({QObject::tr("holds"), types_text(node.types) + ' ' + region_text(node.region),
                     QObject::tr("Element type and extents.")});
    facts.push_back({QObject::tr("size"), format_capacity(storage_bytes(node)),
                     node.rotation > 1 ? QObject::tr("Of all %1 copies.").arg(node.rotation)
                                       : QObject::tr("Of one copy of it.")});
    if (pinned.node)
        compare(facts, storage_bytes(*pinned.node), storage_bytes(node));
    if (const double whole = unfolded_bytes(node); whole > 0) {
        facts.push_back({QObject::tr("keeps"), folded_text(node),
                         QObject::tr("Only what is needed at a time is kept: what comes next takes "
                                     "the place of what has passed.")});
        facts.push_back(
            {QObject::tr("saves"),
             QObject::tr("%1 of %2")
                 .arg(format_capacity(whole - storage_bytes(node)), format_capacity(whole)),
             QObject::tr("Against the same memory without folding.")});
    }
    if (const QString copies = rotation_text(node); !copies.isEmpty())
        facts.push_back({QObject::tr("copies"), copies,
                         QObject::tr("One is used while the others are filled for the iterations "
                                     "that come next; they rotate with %1.")
                             .arg(to_qstring(node.rotates_with))});
    if (const std::string layout = layout_text(node); !layout.empty())
        facts.push_back({QObject::tr("layout"), to_qstring(layout),
                         QObject::tr("Its indices in memory, outermost first, and the elements "
                                     "added along each.")});
    facts.push_back({QObject::tr("computed at"), level_text(node.compute_level),
                     QObject::tr("Where the stage is computed.")});
    facts.push_back({QObject::tr("stored at"), level_text(node.store_level),
                     QObject::tr("Where the memory lives.")});
    facts.push_back(
        {QObject::tr("memory"),
         node.is_output ? QObject::tr("an output of the program") : to_qstring(node.scope.name),
         QObject::tr("Which memory holds it.")});
    add_registers(facts, node, device);
    if (const QString hints = hints_text(tree, node); !hints.isEmpty())
        facts.push_back(
            {QObject::tr("banks"), hints,
             QObject::tr("Chunks of 16 bytes change places along rows of shared memory, "
                         "so that those one below the other lie in different banks. A "
                         "CPU has no banks: there it is a hint.")});
}

void add_stage(std::vector<Fact>& facts, const ScheduleTree& tree, const model::Estimate* estimate,
               const TreeNode& node, const Pinned& pinned) {
    add_origin(facts, tree, node.id.stage);
    facts.push_back({QObject::tr("computes"),
                     types_text(node.types) + ' ' + region_text(node.region),
                     node.region.exact ? QObject::tr("The region that one execution computes.")
                                       : QObject::tr("The greatest region that one execution may "
                                                     "compute: an index depends on data.")});
    facts.push_back({QObject::tr("computed at"), level_text(node.compute_level),
                     QObject::tr("Where the stage is computed.")});
    if (!levels_text(node).isEmpty())
        facts.push_back({QObject::tr("stored at"), level_text(node.store_level),
                         QObject::tr("Where its memory lives: what one iteration computed serves "
                                     "those after it.")});
    add_runs(facts, tree, node);
    add_shared(facts, tree, node.id.stage);
    if (estimate)
        if (const auto factor = estimate->stage_recompute.find(node.id.stage);
            factor != estimate->stage_recompute.end()) {
            facts.push_back({QObject::tr("recompute factor"), format_factor(factor->second),
                             QObject::tr("Points computed for each point that is needed.")});
            if (pinned.estimate)
                if (const auto before = pinned.estimate->stage_recompute.find(node.id.stage);
                    before != pinned.estimate->stage_recompute.end())
                    compare(facts, before->second, factor->second);
        }
    for (int d = 0; d < 4; ++d)
        add_definition(facts, tree, node.id.stage, d);
}

void add_input(std::vector<Fact>& facts, const ScheduleTree& tree, const Stage& input) {
    QStringList extents;
    for (const Extent& extent : input.extents)
        extents << to_qstring(extent.text());
    facts.push_back({QObject::tr("holds"),
                     types_text(input.types) + " [" + extents.join(", ") + ']',
                     QObject::tr("An array that the caller gives.")});
    facts.push_back({QObject::tr("outside it"),
                     input.boundary.kind == BoundaryKind::None ? QObject::tr("may not be read")
                                                               : QString(name(input.boundary.kind)),
                     QObject::tr("What a read outside the array gives.")});
    if (const auto box = tree.input_boxes.find(input.name); box != tree.input_boxes.end())
        facts.push_back({QObject::tr("is read"),
                         format_capacity(box_bytes(box->second, input.types)),
                         QObject::tr("The box of all that is read of it.")});
}

} // namespace

std::vector<Fact> node_facts(const ScheduleTree& tree, const model::Estimate* estimate,
                             const NodeId& id, const Baseline& baseline,
                             const device::Device* device) {
    std::vector<Fact> facts;
    const Pinned pinned(baseline, id);
    const TreeNode* node = tree.find(id);
    if (!node || node->kind == TreeKind::Root) {
        if (const DerivedStage* derived = tree.find_stage(id.stage); derived && derived->inlined) {
            facts.push_back({QObject::tr("computed at"),
                             QObject::tr("inlined: wherever it is read"),
                             QObject::tr("It has no storage and no loops.")});
            add_definition(facts, tree, id.stage, 0);
        } else if (const Stage* input = tree.derived ? tree.derived->find(id.stage) : nullptr;
                   input && input->is_input) {
            add_input(facts, tree, *input);
        }
        return facts;
    }
    switch (node->kind) {
    case TreeKind::Root: break;
    case TreeKind::Stage: add_stage(facts, tree, estimate, *node, pinned); break;
    case TreeKind::Loop: add_loop(facts, tree, *node, pinned); break;
    case TreeKind::Storage: add_storage(facts, tree, *node, pinned, device); break;
    case TreeKind::Compute:
        facts.push_back({QObject::tr("computes"), node_detail(tree, *node),
                         QObject::tr("What one execution does.")});
        for (const auto& [axis, value] : node->compute.axes)
            if (to_text(value) != axis)
                facts.push_back({.name = to_qstring(axis),
                                 .value = to_qstring(to_text(value)),
                                 .tooltip = QObject::tr("The axis in terms of the loops around."),
                                 .code = true,
                                 .quoted = true});
        if (!node->compute.guards.empty())
            facts.push_back(
                {QObject::tr("only where"), joined(node->compute.guards),
                 QObject::tr("A factor does not divide its loop: the last tile is cut."), true});
        if (node->compute.role != ComputeRole::Init)
            add_definition(facts, tree, id.stage, std::max(0, id.definition));
        break;
    }
    if (node->kind != TreeKind::Storage)
        add_cost(facts, estimate, id, pinned);
    return facts;
}

} // namespace loopscope::views
