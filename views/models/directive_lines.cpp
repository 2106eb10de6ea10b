// Longer than files are here: a short function for each group of directives, all on the one Subject of the selection.
#include "views/models/directive_lines.h"

#include "core/schedule/directive.h"
#include "core/schedule/levels.h"
#include "core/schedule/placement.h"
#include "core/schedule/reads.h"

#include <QObject>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <set>

namespace loopscope::views {

namespace {

// A node as directives see it: a definition, and one of its loops if the node is one.
struct Subject {
    const ScheduleTree* tree = nullptr;
    const StageState* stage = nullptr;
    int definition = 0;
    std::string loop; // empty: none

    const DefinitionState& nest() const {
        return stage->definitions[static_cast<std::size_t>(definition)];
    }
    int position() const { return loop.empty() ? -1 : nest().position(loop); }
    std::string receiver() const { return definition_name(stage->name, definition); }
    std::int64_t extent(const std::string& name) const {
        const TreeNode* node = tree->find({stage->name, definition, name});
        return node ? node->extent.hint() : 0;
    }
};

Subject subject_of(const ScheduleTree& tree, const NodeId& id) {
    Subject s;
    s.tree = &tree;
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

std::string fresh(const Subject& s, const std::string& wanted,
                  const std::set<std::string>& taken = {}) {
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

DirectiveGroup group(const char* verb, const QString& title, const QString& key = {}) {
    DirectiveGroup g;
    g.verb = QString::fromLatin1(verb);
    g.title = title;
    g.key = key;
    const QString plain = g.verb.startsWith("reorder") ? QStringLiteral("reorder") : g.verb;
    if (const auto directive = create_directive(plain.toStdString()))
        g.summary = QString::fromUtf8(directive->summary());
    return g;
}

void add_one(DirectiveGroup& g, const QString& line) { g.choices.push_back({g.title, line}); }

QString factor_label(const QString& factor) {
    return factor == "native" ? QObject::tr("native: one vector of the target") : factor;
}

DirectiveGroup split_group(const Subject& s) {
    DirectiveGroup g = group("split", QObject::tr("Split"), "S");
    for (std::int64_t f : factor_choices(s.extent(s.loop)))
        g.choices.push_back({QObject::tr("by %1").arg(f), split_of(s, QString::number(f))});
    if (g.choices.empty())
        g.absent =
            QObject::tr("A loop of %1 iterations leaves nothing to split.").arg(s.extent(s.loop));
    return g;
}

DirectiveGroup tile_group(const Subject& s) {
    DirectiveGroup g = group("tile", QObject::tr("Tile"), "T");
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
    DirectiveGroup g = group("fuse", QObject::tr("Fuse with the loop inside"), "F");
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
    DirectiveGroup g = up ? group("reorder up", QObject::tr("Move outwards"), "Shift+Up")
                          : group("reorder down", QObject::tr("Move inwards"), "Shift+Down");
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

DirectiveGroup kind_group(const Subject& s, const char* verb, const QString& title,
                          const QString& key, LoopKind kind) {
    DirectiveGroup g = group(verb, title, key);
    if (s.nest().find(s.loop)->kind == kind)
        g.absent = QObject::tr("%1 is %2 already.")
                       .arg(to_qstring(s.loop), QString::fromLatin1(name(kind)));
    else
        add_one(g, call(s.receiver(), verb, {to_qstring(s.loop)}));
    return g;
}

DirectiveGroup factor_group(const Subject& s, const char* verb, const QString& title,
                            const QString& key, const QStringList& factors) {
    DirectiveGroup g = group(verb, title, key);
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

// The loops around the points at which a definition is computed, outermost first: its own, and those of its hosts.
std::vector<LoopRef> loops_of(const ScheduleState& state, const DefinitionKey& reader) {
    std::vector<LoopRef> out = loops_around(state, reader.first);
    const StageState* stage = state.find(reader.first);
    if (!stage)
        return out;
    for (const LoopState& loop : stage->definitions[static_cast<std::size_t>(reader.second)].loops)
        out.push_back({reader.first, reader.second, loop.id});
    return out;
}

DirectiveGroup compute_at_group(const Subject& s) {
    DirectiveGroup g = group("compute_at", QObject::tr("Move to a loop"), "M");
    const ScheduleState& state = s.tree->state;
    const std::vector<DefinitionKey> readers = ReadGraph(state).readers(s.stage->name);
    if (readers.empty()) {
        g.absent = QObject::tr("No stage reads %1.").arg(to_qstring(s.stage->name));
        return g;
    }
    std::vector<LoopRef> common = loops_of(state, readers.front());
    for (std::size_t i = 1; i < readers.size(); ++i) {
        const std::vector<LoopRef> around = loops_of(state, readers[i]);
        std::erase_if(common, [&](const LoopRef& l) {
            return std::find(around.begin(), around.end(), l) == around.end();
        });
    }
    for (const LoopRef& at : common) {
        const DefinitionState& host =
            state.find(at.stage)->definitions[static_cast<std::size_t>(at.definition)];
        const QString owner = to_qstring(definition_name(at.stage, at.definition));
        const QString loop =
            to_qstring(host.loops[static_cast<std::size_t>(host.position_of(at.loop))].name);
        if (s.stage->compute.kind != Placement::Kind::At || !(s.stage->compute.at == at))
            g.choices.push_back({QObject::tr("%1, loop %2").arg(owner, loop),
                                 call(s.stage->name, "compute_at", {owner, loop})});
    }
    if (g.choices.empty()) {
        QStringList names;
        for (const DefinitionKey& reader : readers)
            names << to_qstring(definition_name(reader.first, reader.second));
        g.absent = common.empty()
                       ? QObject::tr("Its readers %1 share no loop.").arg(names.join(", "))
                       : QObject::tr("It is computed at the only loop that holds its readers.");
    }
    return g;
}

DirectiveGroup cache_read_group(const Subject& s) {
    DirectiveGroup g = group("cache_read", QObject::tr("Copy what it reads"));
    if (s.stage->definitions.empty())
        return g;
    const ScheduleState& state = s.tree->state;
    const ReadGraph graph(state);
    for (const std::string& source : graph.reads(s.stage->name, s.definition)) {
        if (source == s.stage->name)
            continue;
        std::string copy = source + "_local";
        for (int n = 2; state.find(copy) || (state.pipeline && state.pipeline->find(copy)); ++n)
            copy = source + "_local" + std::to_string(n);
        g.choices.push_back(
            {QObject::tr("%1 into %2").arg(to_qstring(source), to_qstring(copy)),
             to_qstring(copy) + " = " +
                 call(s.receiver(), "cache_read", {to_qstring(source), QStringLiteral("local")})});
    }
    if (g.choices.empty())
        g.absent = QObject::tr("%1 reads no other stage or input.").arg(to_qstring(s.receiver()));
    return g;
}

DirectiveGroup prefetch_group(const Subject& s) {
    DirectiveGroup g = group("prefetch", QObject::tr("Prefetch"));
    if (s.loop.empty()) {
        g.absent = QObject::tr("Select a loop first.");
        return g;
    }
    for (const std::string& source : ReadGraph(s.tree->state).reads(s.stage->name, s.definition))
        for (const char* ahead : {"1", "2", "4", "8", "16"})
            if (source != s.stage->name)
                g.choices.push_back(
                    {QObject::tr("%1, %2 ahead").arg(to_qstring(source), ahead),
                     call(s.receiver(), "prefetch", {to_qstring(source), to_qstring(s.loop), ahead})});
    if (g.choices.empty())
        g.absent = QObject::tr("%1 reads no other stage or input.").arg(to_qstring(s.receiver()));
    return g;
}

DirectiveGroup non_temporal_group(const Subject& s) {
    DirectiveGroup g = group("non_temporal", QObject::tr("Stream its stores"));
    if (!s.stage->definitions.empty() && s.nest().non_temporal)
        g.absent = QObject::tr("The stores of %1 stream already.").arg(to_qstring(s.receiver()));
    else
        add_one(g, call(s.receiver(), "non_temporal", {}));
    return g;
}

// The choices of a directive that this file does not know: its fields say what it takes. A field for which there is no
// obvious value leaves it to the script.
class FieldChoices final : public FieldVisitor {
public:
    explicit FieldChoices(const Subject& s) : subject_(s) {}

    void loop(const char*, std::string& name) override {
        if (subject_.loop.empty())
            missing = QObject::tr("Select a loop first.");
        name = subject_.loop;
    }
    void new_loop(const char* field, std::string& name) override {
        name = fresh(subject_, subject_.loop + field[0], taken_); // "ko" for outer, "ki" for inner
        taken_.insert(name);
    }
    void loops(const char*, std::vector<std::string>&) override { by_script(); }
    void factor(const char*, Factor& factor) override { factor.value = number(); }
    void optional_factor(const char*, std::optional<Factor>&) override {}
    void tail(const char*, Tail&) override {}
    void definition(const char*, DefinitionRef&) override { by_script(); }
    void loop_of(const char*, const DefinitionRef&, std::string&) override { by_script(); }
    void source(const char*, std::string&) override { by_script(); }
    void scope(const char*, std::string& name) override { one_of(known_scopes({}), name); }
    void level(const char*, std::string& name) override { one_of(known_levels({}), name); }
    void readers(const char*, std::vector<DefinitionRef>&) override {}
    void dimension(const char*, std::string& name) override {
        const auto& all = indices();
        name = all.empty() ? std::string() : all.back(); // the contiguous one
    }
    // Each index in turn as the innermost.
    void dimensions(const char*, std::vector<std::string>& names) override {
        names = indices();
        if (names.size() < 2) {
            missing = QObject::tr("%1 has fewer than two dimensions.")
                          .arg(to_qstring(subject_.stage->name));
            return;
        }
        rounds = std::max(rounds, static_cast<int>(names.size()) - 1);
        const auto moved = names.begin() + round_ % static_cast<int>(names.size());
        std::rotate(moved, moved + 1, names.end());
        label = QObject::tr("%1 innermost").arg(to_qstring(names.back()));
    }
    void count(const char*, std::int64_t& value) override { value = number(); }
    void result(const char*, std::string& name) override {
        name = subject_.stage->name + "_" + (subject_.loop.empty() ? "copy" : subject_.loop);
        for (int n = 2; subject_.tree->state.known(name); ++n)
            name = subject_.stage->name + "_" + std::to_string(n);
    }

    // Another visit gives the next value of the field that has several.
    void start(int round) {
        round_ = round;
        taken_.clear();
    }
    QString missing; // not empty: why it cannot be offered
    QString label;   // of the present round's value
    int rounds = 1;

private:
    const std::vector<std::string>& indices() const {
        return subject_.tree->state.declared(subject_.stage->name).variables;
    }
    void by_script() { missing = QObject::tr("Write it in the schedule script."); }
    std::int64_t number() {
        static const std::int64_t known[] = {2, 4, 8, 16, 32, 64};
        rounds = std::max(rounds, static_cast<int>(std::size(known)));
        const auto value = known[static_cast<std::size_t>(round_) % std::size(known)];
        label = QString::number(value);
        return value;
    }
    void one_of(const std::vector<std::string>& known, std::string& name) {
        name = known[static_cast<std::size_t>(round_) % known.size()];
        rounds = std::max(rounds, static_cast<int>(known.size()));
        label = to_qstring(name);
    }
    const Subject& subject_;
    std::set<std::string> taken_;
    int round_ = 0;
};

DirectiveGroup general_group(const Subject& s, const char* verb) {
    QString title = QString::fromLatin1(verb).replace('_', ' ');
    title[0] = title[0].toUpper();
    DirectiveGroup g = group(verb, title);
    FieldChoices choices(s);
    for (int round = 0; round < choices.rounds; ++round) {
        const auto directive = create_directive(verb);
        directive->receiver = {s.stage->name, directive->per_stage() ? 0 : s.definition};
        choices.start(round);
        directive->visit_fields(choices);
        if (!choices.missing.isEmpty()) {
            g.choices.clear();
            g.absent = choices.missing;
            break;
        }
        g.choices.push_back(
            {choices.label.isEmpty() ? g.title : choices.label, to_qstring(directive->text())});
    }
    return g;
}

// Directives of the language that no group above is about.
void add_general_groups(const Subject& s, std::vector<DirectiveGroup>& groups) {
    for (const DirectiveKind& kind : directive_kinds()) {
        const QString verb = QString::fromLatin1(kind.verb);
        const bool known = std::any_of(groups.begin(), groups.end(), [&](const DirectiveGroup& g) {
            return g.verb == verb || (verb == "reorder" && g.verb.startsWith("reorder "));
        });
        if (!known)
            groups.push_back(general_group(s, kind.verb));
    }
}

void add_stage_groups(const Subject& s, std::vector<DirectiveGroup>& groups) {
    using Kind = Placement::Kind;
    DirectiveGroup inlined = group("inline", QObject::tr("Inline"), "I");
    if (s.stage->compute.kind == Kind::Inline)
        inlined.absent = QObject::tr("%1 is inlined already.").arg(to_qstring(s.stage->name));
    else
        add_one(inlined, call(s.stage->name, "inline", {}));
    DirectiveGroup root = group("compute_root", QObject::tr("Compute at root"), "R");
    if (s.stage->compute.kind == Kind::Root)
        root.absent = QObject::tr("%1 is computed at root already.").arg(to_qstring(s.stage->name));
    else
        add_one(root, call(s.stage->name, "compute_root", {}));
    DirectiveGroup contract = group("contract", QObject::tr("Contract to fma"));
    if (!s.stage->definitions.empty() && s.nest().contract)
        contract.absent = QObject::tr("%1 is contracted already.").arg(to_qstring(s.receiver()));
    else
        add_one(contract, call(s.receiver(), "contract", {}));
    groups.push_back(std::move(inlined));
    groups.push_back(std::move(root));
    groups.push_back(compute_at_group(s));
    groups.push_back(cache_read_group(s));
    groups.push_back(std::move(contract));
    groups.push_back(non_temporal_group(s));
    groups.push_back(prefetch_group(s));
}

void add_loop_groups(const Subject& s, std::vector<DirectiveGroup>& groups) {
    groups.push_back(split_group(s));
    groups.push_back(tile_group(s));
    groups.push_back(fuse_group(s));
    groups.push_back(reorder_group(s, true));
    groups.push_back(reorder_group(s, false));
    groups.push_back(kind_group(s, "serial", QObject::tr("Serial"), {}, LoopKind::Serial));
    groups.push_back(kind_group(s, "parallel", QObject::tr("Parallel"), "P", LoopKind::Parallel));
    groups.push_back(factor_group(s, "unroll", QObject::tr("Unroll"), "U", {"2", "4", "8"}));
    groups.push_back(factor_group(s, "vectorize", QObject::tr("Vectorise"), "V",
                                  {"native", "2*native", "4*native", "4", "8", "16"}));
}

// For a node that is no loop: all loop directives, absent with the reason.
void add_absent_loop_groups(std::vector<DirectiveGroup>& groups) {
    const std::tuple<const char*, QString, const char*> all[] = {
        {"split", QObject::tr("Split"), "S"},
        {"tile", QObject::tr("Tile"), "T"},
        {"fuse", QObject::tr("Fuse with the loop inside"), "F"},
        {"reorder up", QObject::tr("Move outwards"), "Shift+Up"},
        {"reorder down", QObject::tr("Move inwards"), "Shift+Down"},
        {"serial", QObject::tr("Serial"), ""},
        {"parallel", QObject::tr("Parallel"), "P"},
        {"unroll", QObject::tr("Unroll"), "U"},
        {"vectorize", QObject::tr("Vectorise"), "V"},
    };
    for (const auto& [verb, title, key] : all) {
        groups.push_back(group(verb, title, key));
        groups.back().absent = QObject::tr("Select a loop first.");
    }
}

} // namespace

std::vector<DirectiveGroup> directive_groups(const ScheduleTree& tree, const NodeId& id) {
    std::vector<DirectiveGroup> groups;
    const Subject s = subject_of(tree, id);
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
        return group("compute_at", QObject::tr("Move to"));
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
    FieldChoices names(s);
    directive->visit_fields(names);
    return directive;
}

QString split_line(const ScheduleTree& tree, const NodeId& loop, const QString& factor) {
    const Subject s = subject_of(tree, loop);
    return s.stage && !s.loop.empty() ? split_of(s, factor) : QString();
}

QString factor_line(const char* verb, const ScheduleTree& tree, const NodeId& loop,
                    const QString& factor) {
    const Subject s = subject_of(tree, loop);
    return s.stage && !s.loop.empty() ? call(s.receiver(), verb, {to_qstring(s.loop), factor})
                                      : QString();
}

} // namespace loopscope::views
