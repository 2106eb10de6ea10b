// The directives of loops, and the list of all groups; those of stages are in stage_lines.cpp, all
// others in field_choices.cpp.
#include "views/models/directive_lines.h"

#include "core/language/intrinsics.h"
#include "views/models/directive_subject.h"
#include "views/models/node_text.h"

#include <QKeyEvent>
#include <QKeySequence>
#include <QObject>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace loopscope::views {

std::int64_t Subject::extent(const std::string& name) const {
    const TreeNode* node = tree->find({stage->name, definition, name});
    return node ? iterations(*node) : 0;
}

Subject subject_of(const ScheduleTree& tree, const NodeId& id, const device::Device* device) {
    Subject s;
    s.tree = &tree;
    s.context.device = device;
    s.context.intrinsics = &declared_intrinsics();
    s.stage = tree.state.find(id.stage);
    if (!s.stage)
        return s;
    s.definition = std::clamp(id.definition, 0,
                              std::max(0, static_cast<int>(s.stage->definitions.size()) - 1));
    std::string loop = id.name;
    if (loop.ends_with("@init"))
        loop.resize(loop.size() - 5);
    if (!s.stage->definitions.empty() && s.nest().position(loop) >= 0)
        s.loop = loop;
    return s;
}

QString call(const std::string& receiver, const char* verb, const QStringList& arguments) {
    return to_qstring(receiver) + '.' + verb + '(' + arguments.join(", ") + ')';
}

std::string fresh(const Subject& s, const std::string& wanted, const std::set<std::string>& taken) {
    auto used = [&](const std::string& name) {
        auto named = [&](const LoopState& l) { return l.name == name; };
        return taken.count(name) ||
               std::any_of(s.nest().loops.begin(), s.nest().loops.end(), named) ||
               std::any_of(s.nest().roots.begin(), s.nest().roots.end(), named);
    };
    std::string name = wanted;
    for (int n = 2; used(name); ++n)
        name = wanted + std::to_string(n);
    return name;
}

std::string fresh_stage(const ScheduleState& state, const std::string& wanted) {
    std::string name = wanted;
    for (int n = 2; state.known(name); ++n)
        name = wanted + std::to_string(n);
    return name;
}

const std::vector<DirectiveKey>& directive_keys() {
    static const std::vector<DirectiveKey> all = {
        {"split", "S"},
        {"tile", "T"},
        {"fuse", "F"},
        {"reorder up", "Shift+Up"},
        {"reorder down", "Shift+Down"},
        {"parallel", "P"},
        {"unroll", "U"},
        {"vectorize", "V"},
        {"inline", "I"},
        {"compute_root", "R"},
        {"compute_at", "M", "move"},
        {"store_at", "Shift+M", "store"},
        {"store_root", "Shift+R"},
        {"compute_with", "W"},
        {"pipeline", "L"},
        {"cache_read", "C"},
        {"cache_write", "Shift+C"},
        {"prefetch", "H"},
        {"bind", "B"},
    };
    return all;
}

QString directive_of_key(const QKeyEvent& pressed) {
    const QKeyCombination keys(pressed.modifiers() & ~Qt::KeypadModifier,
                               static_cast<Qt::Key>(pressed.key()));
    for (const DirectiveKey& each : directive_keys())
        if (QKeySequence(QString::fromLatin1(each.key))[0] == keys)
            return QString::fromLatin1(each.gesture ? each.gesture : each.verb);
    return {};
}

DirectiveGroup group_of(const char* verb) {
    DirectiveGroup g;
    g.verb = QString::fromLatin1(verb);
    const bool outwards = g.verb == "reorder up", moves = outwards || g.verb == "reorder down";
    const auto* kind = find_directive_kind(moves ? "reorder" : verb);
    g.title = moves ? (outwards ? QObject::tr("Move outwards") : QObject::tr("Move inwards"))
                    : QObject::tr(kind->title().c_str());
    g.section = kind->section;
    g.summary = QString::fromUtf8(kind->create()->summary());
    for (const DirectiveKey& each : directive_keys())
        if (g.verb == each.verb)
            g.key = QString::fromLatin1(each.key);
    return g;
}

bool is_for_gpus(DirectiveSection section, const QString& verb) {
    return section == DirectiveSection::Target || verb == QStringLiteral("swizzle");
}

QString title_of(const char* verb) { return group_of(verb).title; }

void add_one(DirectiveGroup& g, const QString& line) { g.choices.push_back({g.title, line}); }

namespace {

QString split_of(const Subject& s, const QString& factor) {
    const std::string outer = fresh(s, s.loop + "o"), inner = fresh(s, s.loop + "i", {outer});
    return call(s.receiver(), "split",
                {to_qstring(s.loop), to_qstring(outer), to_qstring(inner), factor});
}

QString tile_of(const Subject& s, const std::string& inner_loop, std::int64_t fy, std::int64_t fx) {
    std::set<std::string> taken;
    QStringList names{to_qstring(s.loop), to_qstring(inner_loop)};
    for (const std::string& wanted :
         {s.loop + "o", inner_loop + "o", s.loop + "i", inner_loop + "i"}) {
        const std::string name = fresh(s, wanted, taken);
        taken.insert(name);
        names << to_qstring(name);
    }
    names << QString::number(fy) << QString::number(fx);
    return call(s.receiver(), "tile", names);
}

QString factor_label(const QString& factor) {
    return factor == "native" ? QObject::tr("native: one vector of the target") : factor;
}

DirectiveGroup split_group(const Subject& s) {
    DirectiveGroup g = group_of("split");
    for (std::int64_t f : factor_choices(s.extent(s.loop)))
        g.choices.push_back({QObject::tr("by %1").arg(f), split_of(s, QString::number(f))});
    if (g.choices.empty())
        g.absent =
            QObject::tr("A loop of %1 iterations leaves nothing to split.").arg(s.extent(s.loop));
    return g;
}

DirectiveGroup tile_group(const Subject& s) {
    DirectiveGroup g = group_of("tile");
    const int at = s.position();
    if (at + 1 >= static_cast<int>(s.nest().loops.size())) {
        g.absent =
            QObject::tr("There is no loop inside %1 to tile it with.").arg(to_qstring(s.loop));
        return g;
    }
    const std::string inner = s.nest().loops[static_cast<std::size_t>(at + 1)].name;
    const std::int64_t height = s.extent(s.loop), width = s.extent(inner);
    static const std::pair<std::int64_t, std::int64_t> sizes[] = {
        {4, 8},   {8, 8},    {8, 32},  {16, 16},  {16, 64},
        {32, 32}, {32, 128}, {64, 64}, {64, 256}, {128, 128}};
    for (const auto& [fy, fx] : sizes)
        if (fy < height && fx < width)
            g.choices.push_back(
                {QObject::tr("%1 × %2, with %3").arg(fy).arg(fx).arg(to_qstring(inner)),
                 tile_of(s, inner, fy, fx)});
    if (g.choices.empty())
        g.absent = QObject::tr("%1 and %2 are too small for tiles.")
                       .arg(to_qstring(s.loop), to_qstring(inner));
    return g;
}

DirectiveGroup fuse_group(const Subject& s) {
    DirectiveGroup g = group_of("fuse");
    const std::size_t inside = static_cast<std::size_t>(s.position() + 1);
    if (inside >= s.nest().loops.size()) {
        g.absent = QObject::tr("There is no loop inside %1.").arg(to_qstring(s.loop));
        return g;
    }
    const std::string inner = s.nest().loops[inside].name;
    add_one(g, call(s.receiver(), "fuse",
                    {to_qstring(s.loop), to_qstring(inner),
                     to_qstring(fresh(s, s.loop + "_" + inner))}));
    return g;
}

DirectiveGroup reorder_group(const Subject& s, bool up) {
    DirectiveGroup g = group_of(up ? "reorder up" : "reorder down");
    const int other = s.position() + (up ? -1 : 1);
    if (other < 0 || other >= static_cast<int>(s.nest().loops.size())) {
        g.absent =
            up ? QObject::tr("%1 is the outermost loop of its nest.").arg(to_qstring(s.loop))
               : QObject::tr("%1 is the innermost loop of its nest.").arg(to_qstring(s.loop));
        return g;
    }
    const QString own = to_qstring(s.loop),
                  its = to_qstring(s.nest().loops[static_cast<std::size_t>(other)].name);
    add_one(g, call(s.receiver(), "reorder", up ? QStringList{own, its} : QStringList{its, own}));
    return g;
}

DirectiveGroup kind_group(const Subject& s, const char* verb, LoopKind kind) {
    DirectiveGroup g = group_of(verb);
    if (s.nest().find(s.loop)->kind == kind)
        g.absent = QObject::tr("%1 is %2 already.")
                       .arg(to_qstring(s.loop), QString::fromLatin1(name(kind)));
    else
        add_one(g, call(s.receiver(), verb, {to_qstring(s.loop)}));
    return g;
}

DirectiveGroup factor_group(const Subject& s, const char* verb, const QStringList& factors) {
    DirectiveGroup g = group_of(verb);
    const std::int64_t extent = s.extent(s.loop);
    const DirectiveChoice whole{QObject::tr("all %1 iterations").arg(extent),
                                call(s.receiver(), verb, {to_qstring(s.loop)})};
    if (extent <= 16)
        g.choices.push_back(whole);
    for (const QString& factor : factors)
        if (factor.contains("native") || factor.toLongLong() < extent)
            g.choices.push_back(
                {factor_label(factor), call(s.receiver(), verb, {to_qstring(s.loop), factor})});
    if (extent > 16)
        g.choices.push_back(whole);
    return g;
}

void add_loop_groups(const Subject& s, std::vector<DirectiveGroup>& groups) {
    groups.push_back(split_group(s));
    groups.push_back(tile_group(s));
    groups.push_back(fuse_group(s));
    groups.push_back(reorder_group(s, true));
    groups.push_back(reorder_group(s, false));
    groups.push_back(kind_group(s, "serial", LoopKind::Serial));
    groups.push_back(kind_group(s, "parallel", LoopKind::Parallel));
    groups.push_back(factor_group(s, "unroll", {"2", "4", "8"}));
    groups.push_back(
        factor_group(s, "vectorize", {"native", "2*native", "4*native", "4", "8", "16"}));
}

// For a node that is no loop: all loop directives, absent with the reason.
void add_absent_loop_groups(std::vector<DirectiveGroup>& groups) {
    for (const char* verb : {"split", "tile", "fuse", "reorder up", "reorder down", "serial",
                             "parallel", "unroll", "vectorize"}) {
        groups.push_back(group_of(verb));
        groups.back().absent = QObject::tr("Select a loop first.");
    }
}

} // namespace

std::vector<DirectiveGroup> directive_groups(const ScheduleTree& tree, const NodeId& id,
                                             const device::Device* device) {
    std::vector<DirectiveGroup> groups;
    const Subject s = subject_of(tree, id, device);
    if (!s.stage)
        return groups;
    if (s.loop.empty())
        add_absent_loop_groups(groups);
    else
        add_loop_groups(s, groups);
    add_stage_groups(s, groups);
    add_general_groups(s, groups);
    return groups;
}

DirectiveGroup move_group(const ScheduleTree& tree, const NodeId& id) {
    const Subject s = subject_of(tree, id);
    if (!s.stage)
        return group_of("compute_at");
    using Kind = Placement::Kind;
    DirectiveGroup g = compute_at_group(s);
    g.title = QObject::tr("Move %1 to").arg(to_qstring(s.stage->name));
    if (s.stage->compute.kind != Kind::Root)
        g.choices.insert(g.choices.begin(),
                         {QObject::tr("root"), call(s.stage->name, "compute_root", {})});
    if (s.stage->compute.kind != Kind::Inline && !tree.pipeline->find_output(s.stage->name))
        g.choices.push_back(
            {QObject::tr("its readers: inline"), call(s.stage->name, "inline", {})});
    return g;
}

DirectiveGroup store_group(const ScheduleTree& tree, const NodeId& id) {
    const Subject s = subject_of(tree, id);
    if (!s.stage)
        return group_of("store_at");
    std::vector<DirectiveGroup> groups;
    add_stage_groups(s, groups);
    DirectiveGroup g = *find_group(groups, QStringLiteral("store_at"));
    g.title = QObject::tr("Store %1 at").arg(to_qstring(s.stage->name));
    for (const DirectiveChoice& root : find_group(groups, QStringLiteral("store_root"))->choices)
        g.choices.insert(g.choices.begin(), {QObject::tr("root"), root.line});
    return g;
}

const DirectiveGroup* find_group(const std::vector<DirectiveGroup>& groups, const QString& verb) {
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [&](const DirectiveGroup& g) { return g.verb == verb; });
    return found == groups.end() ? nullptr : &*found;
}

std::vector<std::int64_t> factor_choices(std::int64_t extent, int limit) {
    std::set<std::int64_t> all;
    for (std::int64_t f = 2; f < extent; f *= 2)
        all.insert(f);
    for (std::int64_t f = 2; f * f <= extent; ++f)
        if (extent % f == 0) {
            all.insert(f);
            all.insert(extent / f);
        }
    std::vector<std::int64_t> factors(all.begin(), all.end());
    // Too many: powers of two and whole divisions first, and those near common tile sizes.
    auto oddity = [extent](std::int64_t f) {
        const bool power = (f & (f - 1)) == 0, divides = extent % f == 0;
        return (power ? 0.0 : 2.5) + (divides ? 0.0 : 1.0) +
               std::abs(std::log2(static_cast<double>(f)) - 5);
    };
    if (static_cast<int>(factors.size()) > limit) {
        std::stable_sort(factors.begin(), factors.end(),
                         [&](auto a, auto b) { return oddity(a) < oddity(b); });
        factors.resize(static_cast<std::size_t>(limit));
        std::sort(factors.begin(), factors.end());
    }
    return factors;
}

DirectivePtr split_directive(const ScheduleTree& tree, const NodeId& loop) {
    const Subject s = subject_of(tree, loop);
    if (!s.stage || s.loop.empty())
        return nullptr;
    auto directive = create_directive("split");
    directive->receiver = {s.stage->name, s.definition};
    fill_fields(s, *directive);
    return directive;
}

} // namespace loopscope::views
