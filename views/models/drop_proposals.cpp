#include "views/models/drop_proposals.h"

#include "core/schedule/directive.h"
#include "core/schedule/placement.h"
#include "core/schedule/reads.h"
#include "views/models/node_text.h"

#include <QObject>
#include <QStringList>

#include <algorithm>

namespace loopscope::views {

namespace {

// A loop's name and place in its nest; the copy of a loop for an initialisation stands for its
// original.
struct LoopPlace {
    const DefinitionState* nest = nullptr;
    int position = -1;
    QString name(int at) const {
        return to_qstring(nest->loops[static_cast<std::size_t>(at)].name);
    }
};

LoopPlace place_of(const ScheduleTree& tree, const NodeId& id) {
    LoopPlace out;
    const StageState* stage = tree.state.find(id.stage);
    if (!stage || id.definition < 0 || id.definition >= static_cast<int>(stage->definitions.size()))
        return out;
    std::string loop = id.name;
    if (loop.ends_with("@init"))
        loop.resize(loop.size() - 5);
    out.nest = &stage->definitions[static_cast<std::size_t>(id.definition)];
    out.position = out.nest->position(loop);
    return out;
}

DropProposal no(const QString& why) { return {{}, why}; }

// One loop for two definitions: those around them become one, too, hence both stand equally deep.
DropProposal share(const ScheduleTree& tree, const NodeId& dragged, const NodeId& target) {
    const LoopPlace from = place_of(tree, dragged), to = place_of(tree, target);
    const QString owner = to_qstring(definition_name(dragged.stage, dragged.definition)),
                  host = to_qstring(definition_name(target.stage, target.definition)),
                  loop = from.name(from.position), other = to.name(to.position);
    if (!(tree.state.find(dragged.stage)->compute == tree.state.find(target.stage)->compute))
        return no(QObject::tr("A loop moves within its own nest, or onto one of a stage that is "
                              "computed at the same place: %1 and %2 are not.")
                      .arg(owner, host));
    if (from.position != to.position)
        return no(QObject::tr("Loops are shared from the outermost in: %1 is loop %2 of %3, and %4 "
                              "loop %5 of %6.")
                      .arg(loop)
                      .arg(from.position + 1)
                      .arg(owner, other)
                      .arg(to.position + 1)
                      .arg(host));
    return {owner + ".compute_with(" + host + ", " + other + ')',
            QObject::tr("Run %1 and %2 in one loop, down to %3").arg(owner, host, other)};
}

DropProposal store(const ScheduleTree& tree, const std::string& stage, const LoopRef* at,
                   const QString& line, const QString& where) {
    const StageState& s = *tree.state.find(stage);
    const QString name = to_qstring(stage);
    const bool there =
        at ? s.store.kind == Placement::Kind::At && s.store.at == *at
           : s.store.kind == Placement::Kind::Root && s.compute.kind == Placement::Kind::At;
    if (there)
        return no(QObject::tr("%1 is stored at %2 already.").arg(name, where));
    return {line, QObject::tr("Store %1 at %2, and compute it where it is").arg(name, where)};
}

DropProposal reorder(const ScheduleTree& tree, const NodeId& dragged, const NodeId& target,
                     DropPlace place) {
    const QString owner = to_qstring(definition_name(dragged.stage, dragged.definition));
    const LoopPlace from = place_of(tree, dragged), to = place_of(tree, target);
    if (place == DropPlace::On && to.position >= 0 && from.nest != to.nest)
        return share(tree, dragged, target);
    if (place == DropPlace::Root || to.position < 0 || from.nest != to.nest)
        return no(QObject::tr("A loop moves within its own nest: drop %1 on another loop of %2.")
                      .arg(from.name(from.position), owner));
    // The place that the loop takes: that of the target, or the gap before or behind it.
    int goal = to.position;
    if (place == DropPlace::Above && from.position < to.position)
        --goal;
    if (place == DropPlace::Below && from.position > to.position)
        ++goal;
    if (goal == from.position)
        return no(QObject::tr("%1 stays where it is.").arg(from.name(from.position)));
    QStringList names;
    const int low = std::min(goal, from.position), high = std::max(goal, from.position);
    for (int at = low; at <= high; ++at)
        if (at != from.position)
            names << from.name(at);
    names.insert(goal < from.position ? 0 : names.size(), from.name(from.position));
    const QString sentence =
        goal < from.position
            ? QObject::tr("Move %1 outside of %2").arg(from.name(from.position), from.name(goal))
            : QObject::tr("Move %1 inside %2").arg(from.name(from.position), from.name(goal));
    return {owner + ".reorder(" + names.join(", ") + ')', sentence};
}

} // namespace

Dragged dragged_kind(const ScheduleTree& tree, const NodeId& id) {
    if (!tree.state.find(id.stage)) // an input moves nowhere
        return Dragged::Nothing;
    return place_of(tree, id).position >= 0 ? Dragged::Loop : Dragged::Stage;
}

DropProposal drop_proposal(const ScheduleTree& tree, const NodeId& dragged, const NodeId& target,
                           DropPlace place) {
    switch (dragged_kind(tree, dragged)) {
    case Dragged::Nothing: return no(QObject::tr("An input is given: it moves nowhere."));
    case Dragged::Loop: return reorder(tree, dragged, target, place);
    case Dragged::Stage: break;
    }
    const QString stage = to_qstring(dragged.stage);
    if (place == DropPlace::Root &&
        tree.state.find(dragged.stage)->compute.kind == Placement::Kind::Root)
        return no(QObject::tr("%1 is computed at root already.").arg(stage));
    if (place == DropPlace::Root)
        return {stage + ".compute_root()", QObject::tr("Compute %1 at root").arg(stage)};
    if (place == DropPlace::RootStore)
        return store(tree, dragged.stage, nullptr, stage + ".store_root()", QObject::tr("root"));
    if (const LoopPlace at = place_of(tree, target); at.position >= 0) {
        const QString owner = to_qstring(definition_name(target.stage, target.definition));
        const QString loop = at.name(at.position);
        if (place == DropPlace::Gutter) {
            const LoopRef ref{target.stage, target.definition,
                              at.nest->loops[static_cast<std::size_t>(at.position)].id};
            return store(tree, dragged.stage, &ref,
                         stage + ".store_at(" + owner + ", " + loop + ')', owner + '.' + loop);
        }
        return {stage + ".compute_at(" + owner + ", " + loop + ')',
                QObject::tr("Compute %1 at %2.%3").arg(stage, owner, loop)};
    }
    if (target.stage == dragged.stage)
        return no(QObject::tr("%1 stays where it is.").arg(stage));
    const Fusion fusion = fusion_of(tree, dragged.stage, target.stage);
    if (fusion.producer != dragged.stage || fusion.choices.empty() || !fusion.absent.isEmpty())
        return {fusion.refused_line,
                fusion.absent.isEmpty()
                    ? QObject::tr("Drop %1 on a loop, or on a stage that reads it.").arg(stage)
                    : fusion.absent};
    const DirectiveChoice& innermost = fusion.choices.front();
    return {innermost.line,
            QObject::tr("Compute %1 at the innermost legal loop: %2").arg(stage, innermost.label)};
}

Fusion fusion_of(const ScheduleTree& tree, const std::string& one, const std::string& other) {
    Fusion out;
    const ScheduleState& state = tree.state;
    if (!state.find(one) || !state.find(other)) {
        out.absent = QObject::tr("An input is given: it is not computed anywhere.");
        return out;
    }
    const bool forward = state.index_of(one) < state.index_of(other);
    const std::string producer = forward ? one : other, consumer = forward ? other : one;
    const auto readers = read_graph(state)->readers(producer);
    const auto legal = legal_placements(state, producer);
    auto is_read_by = [&](const DefinitionKey& reader) { return reader.first == consumer; };
    const bool reads = std::any_of(readers.begin(), readers.end(), is_read_by) ||
                       std::any_of(legal.begin(), legal.end(),
                                   [&](const LoopRef& at) { return at.stage == consumer; });
    if (!reads) {
        out.absent = QObject::tr("Neither of %1 and %2 reads the other.")
                         .arg(to_qstring(producer), to_qstring(consumer));
        return out;
    }
    out.producer = producer;
    out.consumer = consumer;
    const StageState& moved = *state.find(producer);
    for (auto at = legal.rbegin(); at != legal.rend(); ++at) {
        if (at->stage != consumer ||
            (moved.compute.kind == Placement::Kind::At && moved.compute.at == *at))
            continue;
        const auto& nest =
            state.find(at->stage)->definitions[static_cast<std::size_t>(at->definition)];
        const QString owner = to_qstring(definition_name(at->stage, at->definition));
        const QString loop =
            to_qstring(nest.loops[static_cast<std::size_t>(nest.position_of(at->loop))].name);
        out.choices.push_back({QObject::tr("%1, loop %2").arg(owner, loop),
                               to_qstring(producer) + ".compute_at(" + owner + ", " + loop + ')'});
    }
    if (out.choices.empty()) {
        const auto& loops = state.find(consumer)->definitions.front().loops;
        if (!loops.empty())
            out.refused_line = to_qstring(producer) + ".compute_at(" + to_qstring(consumer) + ", " +
                               to_qstring(loops.front().name) + ')';
        QStringList outside;
        for (const DefinitionKey& reader : readers)
            if (reader.first != consumer)
                outside << to_qstring(definition_name(reader.first, reader.second));
        out.absent = outside.isEmpty()
                         ? QObject::tr("%1 has no other loop at which %2 may be computed.")
                               .arg(to_qstring(consumer), to_qstring(producer))
                         : QObject::tr("%1 reads %2 too, outside of %3.")
                               .arg(outside.join(", "), to_qstring(producer), to_qstring(consumer));
    }
    if (moved.compute.kind != Placement::Kind::Inline && !tree.pipeline->find_output(producer)) {
        out.inline_line = to_qstring(producer) + ".inline()";
        out.choices.push_back({QObject::tr("its readers: inline"), out.inline_line});
    }
    return out;
}

} // namespace loopscope::views
