// The choices of a directive, as its fields say: each field has some values that make sense for the
// selected node, and a choice is one value for each.
#include "views/models/directive_subject.h"

#include "core/schedule/intrinsics.h"
#include "core/schedule/levels.h"

#include <QObject>

#include <algorithm>
#include <map>
#include <optional>

namespace loopscope::views {

namespace {

constexpr std::size_t kMaxChoices = 96; // a menu of more is not read

// Counts that are usual for a field; any other number can be written in the script.
std::vector<std::int64_t> usual_counts(const std::string& field) {
    static const std::map<std::string, std::vector<std::int64_t>> known = {
        {"copies", {2, 3, 4, 5, 6, 8}},
        {"elements", {1, 2, 4, 8, 16, 32, 64}},
        {"ahead", {1, 2, 4, 8, 16}},
        {"warps", {1, 2, 4, 8}},
    };
    const auto found = known.find(field);
    return found == known.end() ? std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64} : found->second;
}

// "3 copies", "1 element", "2 ahead"
QString counted_field(std::int64_t value, const char* field) {
    QString unit = QString::fromLatin1(field);
    if (value == 1 && unit.endsWith('s') && unit != "copies")
        unit.chop(1);
    return QString::number(value) + ' ' + (value == 1 && unit == "copies" ? "copy" : unit);
}

// Gives each of a directive's fields a value. Which one it takes is counted like the digits of a
// number, the last field fastest, so that the next time gives the next combination: also where the
// values of a field depend on those before it, as the loops of a definition do.
class FieldChoices {
public:
    explicit FieldChoices(const Subject& s) : subject_(s) {}

    void fill(Directive& directive) {
        at_ = loops_named_ = factors_ = 0;
        named_.clear();
        taken_.clear();
        label_.clear();
        visit_fields(directive.fields(), [&](const char* name, const auto& f) { give(name, f); });
    }
    // To the next combination; false: that was the last.
    bool advance() {
        while (!digits_.empty() && digits_.back().value + 1 == digits_.back().base)
            digits_.pop_back();
        if (digits_.empty())
            return false;
        ++digits_.back().value;
        return true;
    }
    const QString& missing() const { return missing_; } // not empty: why it cannot be offered
    const QString& label() const { return label_; }     // of the values taken

private:
    void give(const char*, const field::Loop& f) {
        const auto& loops = subject_.nest().loops;
        const auto at = static_cast<std::size_t>(subject_.position() + loops_named_++);
        if (subject_.loop.empty())
            missing_ = QObject::tr("Select a loop first.");
        else if (at >= loops.size())
            missing_ = QObject::tr("There is no loop inside %1.").arg(to_qstring(subject_.loop));
        else
            named_.push_back(f.value = loops[at].name);
    }
    // "ko" for the outer of k, "ki" for the inner one.
    void give(const char* field, const field::NewLoop& f) {
        const std::string kind = field;
        const auto split = kind.find('_'); // "y_outer": of the first loop, "x_outer": of the second
        const std::size_t of = split != std::string::npos && kind.starts_with("x") ? 1 : 0;
        const char letter = split != std::string::npos ? kind[split + 1] : kind[0];
        f.value =
            fresh(subject_, (of < named_.size() ? named_[of] : subject_.loop) + letter, taken_);
        taken_.insert(f.value);
    }
    // The nest with the selected loop in another place.
    void give(const char*, const field::Loops& f) {
        std::vector<std::string> nest;
        for (const LoopState& loop : subject_.nest().loops)
            nest.push_back(loop.name);
        const int from = subject_.position();
        std::vector<int> places;
        for (int to = 0; to < static_cast<int>(nest.size()); ++to)
            if (to != from)
                places.push_back(to);
        if (from < 0 || places.empty()) {
            missing_ = from < 0 ? QObject::tr("Select a loop first.")
                                : QObject::tr("%1 is the only loop of its nest.")
                                      .arg(to_qstring(subject_.loop));
            return;
        }
        const int to = places[take(places.size())];
        const QString other = to_qstring(nest[static_cast<std::size_t>(to)]);
        say(to < from ? QObject::tr("outside of %1").arg(other)
                      : QObject::tr("inside %1").arg(other));
        const auto begin = nest.begin();
        auto& names = f.value;
        names.assign(begin + std::min(from, to), begin + std::max(from, to) + 1);
        std::rotate(names.begin(), to < from ? names.end() - 1 : names.begin() + 1, names.end());
    }
    void give(const char*, const field::Factor& f) {
        static const std::int64_t sizes[] = {2, 4, 8, 16, 32, 64};
        const std::size_t of = factors_++;
        const std::int64_t extent = of < named_.size() ? subject_.extent(named_[of]) : 0;
        std::vector<std::int64_t> fitting;
        for (std::int64_t size : sizes)
            if (extent == 0 || size < extent)
                fitting.push_back(size);
        if (fitting.empty()) {
            missing_ = QObject::tr("A loop of %1 iterations leaves nothing to split.").arg(extent);
            return;
        }
        f.value.value = fitting[take(fitting.size())];
        say(QString::number(f.value.value), of > 0 ? QStringLiteral(" × ") : QString());
    }
    void give(const char*, const field::OptionalFactor&) {}
    void give(const char*, const field::Tail&) {}
    // Definitions of the stages next to it in the graph.
    void give(const char*, const field::Definition& f) {
        const ScheduleState& state = subject_.tree->state;
        std::vector<DefinitionKey> near = graph().readers(subject_.stage->name);
        for (const std::string& source : graph().reads(subject_.stage->name, subject_.definition))
            if (const StageState* stage = state.find(source))
                for (std::size_t d = 0; d < stage->definitions.size(); ++d)
                    near.emplace_back(source, static_cast<int>(d));
        std::erase_if(near, [&](const DefinitionKey& key) {
            return key.first == subject_.stage->name ||
                   state.find(key.first)
                       ->definitions[static_cast<std::size_t>(key.second)]
                       .loops.empty();
        });
        if (near.empty()) {
            missing_ = QObject::tr("No stage reads %1, and it reads none that has loops.")
                           .arg(to_qstring(subject_.stage->name));
            return;
        }
        const DefinitionKey& taken = near[take(near.size())];
        f.value = {taken.first, taken.second};
        say(to_qstring(f.value.text()));
    }
    void give(const char*, const field::LoopOf& f) {
        const StageState* stage = subject_.tree->state.find(f.of.stage);
        // said where the definition was to be given
        if (!stage)
            return;
        const auto& loops = stage->definitions[static_cast<std::size_t>(f.of.definition)].loops;
        f.value = loops[take(loops.size())].name;
        say(QObject::tr("loop %1").arg(to_qstring(f.value)));
    }
    void give(const char*, const field::Source& f) {
        std::vector<std::string> known;
        for (const std::string& each : graph().reads(subject_.stage->name, subject_.definition))
            if (each != subject_.stage->name)
                known.push_back(each);
        if (known.empty()) {
            missing_ = QObject::tr("%1 reads no other stage or input.")
                           .arg(to_qstring(subject_.receiver()));
            return;
        }
        f.value = known[take(known.size())];
        say(to_qstring(f.value));
    }
    void give(const char*, const field::Scope& f) {
        one_of(known_scopes(subject_.context), f.value);
    }
    void give(const char*, const field::Level& f) {
        one_of(known_levels(subject_.context), f.value);
    }
    void give(const char*, const field::Intrinsic& f) {
        const auto known = known_intrinsics(subject_.context);
        if (known.empty())
            missing_ = QObject::tr("%1 has no tensor instruction that is declared.")
                           .arg(to_qstring(target_gpu_name(subject_.context)));
        else
            one_of(known, f.value);
    }
    void give(const char*, const field::Readers&) {}
    // The contiguous one first.
    void give(const char*, const field::Dimension& f) {
        std::vector<std::string> all = indices();
        std::reverse(all.begin(), all.end());
        if (all.empty())
            missing_ = QObject::tr("%1 has no dimensions.").arg(to_qstring(subject_.stage->name));
        else
            one_of(all, f.value);
    }
    // Every other order; of many dimensions each in turn as the innermost.
    void give(const char*, const field::Dimensions& f) {
        constexpr std::size_t few = 4;
        const std::vector<std::string> all = indices(), now = present_order();
        if (all.size() < 2) {
            missing_ = QObject::tr("%1 has fewer than two dimensions.")
                           .arg(to_qstring(subject_.stage->name));
            return;
        }
        std::vector<std::vector<std::string>> orders;
        std::vector<std::string> order = all;
        if (all.size() <= few) {
            std::sort(order.begin(), order.end());
            do
                orders.push_back(order);
            while (std::next_permutation(order.begin(), order.end()));
        } else {
            for (std::size_t moved = 0; moved < all.size(); ++moved) {
                order = all;
                const auto at = order.begin() + static_cast<std::ptrdiff_t>(moved);
                std::rotate(at, at + 1, order.end());
                orders.push_back(order);
            }
        }
        std::erase(orders, now);
        f.value = orders[take(orders.size())];
        QStringList words;
        for (const std::string& name : f.value)
            words << to_qstring(name);
        say(words.join(QStringLiteral(", ")));
    }
    void give(const char* field, const field::Count& f) {
        const std::vector<std::int64_t> usual = usual_counts(field);
        f.value = usual[take(usual.size())];
        say(counted_field(f.value, field));
    }
    void give(const char*, const field::Result& f) {
        f.value = fresh_stage(subject_.tree->state,
                              subject_.stage->name + "_" +
                                  (subject_.loop.empty() ? "cache" : subject_.loop));
    }

    struct Digit {
        std::size_t value = 0, base = 1;
    };
    std::size_t take(std::size_t count) {
        if (at_ == digits_.size())
            digits_.push_back({0, count});
        return digits_[at_++].value;
    }
    void say(const QString& words, const QString& after = QStringLiteral(", ")) {
        label_ += (label_.isEmpty() ? QString() : after) + words;
    }
    void one_of(const std::vector<std::string>& known, std::string& name) {
        name = known[take(known.size())];
        say(to_qstring(name));
    }
    const std::vector<std::string>& indices() const {
        return subject_.tree->state.declared(subject_.stage->name).variables;
    }
    // Made once: the fields are visited for each combination.
    const ReadGraph& graph() {
        if (!graph_)
            graph_.emplace(subject_.tree->state);
        return *graph_;
    }
    std::vector<std::string> present_order() const {
        std::vector<std::string> order;
        for (int dimension : subject_.stage->storage_order)
            order.push_back(indices()[static_cast<std::size_t>(dimension)]);
        return order.empty() ? indices() : order;
    }

    const Subject& subject_;
    std::vector<Digit> digits_;
    std::size_t at_ = 0, factors_ = 0;
    int loops_named_ = 0;
    std::vector<std::string> named_; // loops that the fields before named
    std::set<std::string> taken_;
    std::optional<ReadGraph> graph_;
    QString missing_, label_;
};

DirectiveGroup general_group(const Subject& s, const char* verb) {
    DirectiveGroup g = group_of(verb);
    if (s.stage->definitions.empty()) {
        g.absent = QObject::tr("%1 has no definition.").arg(to_qstring(s.stage->name));
        return g;
    }
    FieldChoices choices(s);
    do {
        const auto directive = create_directive(verb);
        directive->receiver = {s.stage->name, directive->per_stage() ? 0 : s.definition};
        choices.fill(*directive);
        if (!choices.missing().isEmpty()) {
            g.choices.clear();
            g.absent = choices.missing();
            break;
        }
        g.choices.push_back(
            {choices.label().isEmpty() ? g.title : choices.label(), to_qstring(directive->text())});
    } while (choices.advance() && g.choices.size() < kMaxChoices);
    return g;
}

} // namespace

void add_general_groups(const Subject& s, std::vector<DirectiveGroup>& groups) {
    for (const DirectiveKind& kind : directive_kinds()) {
        const QString verb = QString::fromLatin1(kind.verb);
        if (std::none_of(groups.begin(), groups.end(),
                         [&](const DirectiveGroup& g) { return g.verb == verb; }))
            groups.push_back(general_group(s, kind.verb));
    }
}

void fill_fields(const Subject& s, Directive& directive) { FieldChoices(s).fill(directive); }

} // namespace loopscope::views
