#include "views/models/alike_lines.h"

#include "core/language/schedule_parser.h"
#include "views/models/directive_subject.h"

#include <QObject>

#include <algorithm>

namespace loopscope::views {

namespace {

class Translation {
public:
    Translation(const Subject& from, const Subject& to, std::set<std::string>& made)
        : from_(from), to_(to), made_(made) {}

    AlikeLine of(const Directive& directive) {
        const auto other = directive.clone();
        other->receiver = {to_.stage->name, directive.per_stage() ? 0 : to_.definition};
        const auto loops = loops_named_by(directive);
        if (!loops.empty() && to_.loop.empty() && !from_.loop.empty())
            refuse(QObject::tr("it is no loop"));
        // What is made is called after what is named, which may stand behind it.
        for (const bool making : {false, true})
            visit_fields(other->fields(), [&](const char*, const auto& f) {
                if (is_made(f) == making)
                    give(f);
            });
        return absent_.isEmpty() ? AlikeLine{to_qstring(other->text()), {}}
                                 : AlikeLine{{}, absent_};
    }

private:
    static bool is_made(const field::NewLoop&) { return true; }
    static bool is_made(const field::Result&) { return true; }
    template <typename Field> static bool is_made(const Field&) { return false; }

    void refuse(const QString& why) {
        if (absent_.isEmpty())
            absent_ = why;
    }

    // As far from the selected loop; of stages, as deep in the nest.
    std::string loop_for(const std::string& loop) {
        const int at = from_.nest().position(loop);
        const auto& its = to_.nest().loops;
        const int place =
            at - std::max(0, from_.position()) + (from_.loop.empty() ? 0 : to_.position());
        if (at < 0 || place < 0 || place >= static_cast<int>(its.size())) {
            refuse(
                QObject::tr("no loop stands there at the same place as %1").arg(to_qstring(loop)));
            return loop;
        }
        return its[static_cast<std::size_t>(place)].name;
    }
    std::string index_for(const std::string& index) {
        const auto &own = indices(from_), &its = indices(to_);
        const auto at =
            static_cast<std::size_t>(std::find(own.begin(), own.end(), index) - own.begin());
        if (at < own.size() && at < its.size())
            return its[at];
        refuse(QObject::tr("it has no index at the same place as %1").arg(to_qstring(index)));
        return index;
    }
    static const std::vector<std::string>& indices(const Subject& of) {
        return of.tree->state.declared(of.stage->name).variables;
    }
    static std::vector<std::string> reads(const Subject& of) {
        const auto names = read_graph(of.tree->state)->reads(of.stage->name, of.definition);
        std::vector<std::string> out(names.begin(), names.end());
        std::erase(out, of.stage->name);
        return out;
    }
    // Where both read as much, each its own.
    std::string source_for(const std::string& source) {
        const auto own = reads(from_), its = reads(to_);
        const auto at =
            static_cast<std::size_t>(std::find(own.begin(), own.end(), source) - own.begin());
        const bool shared = std::find(its.begin(), its.end(), source) != its.end();
        return !shared && at < own.size() && own.size() == its.size() ? its[at] : source;
    }
    // The name with the beginning that it has from what is named at the first node as it is at the
    // other: "ko" of k is "jo" of j.
    std::string renamed(const std::string& name) const {
        if (named_.size() == 2 && name == named_[0].first + "_" + named_[1].first)
            return named_[0].second + "_" + named_[1].second;
        const std::pair<std::string, std::string>* longest = nullptr;
        for (const auto& each : named_)
            if (name.starts_with(each.first) &&
                (!longest || each.first.size() > longest->first.size()))
                longest = &each;
        return longest ? longest->second + name.substr(longest->first.size()) : name;
    }

    void give(const field::Loop& f) {
        const auto other = loop_for(f.value);
        named_.emplace_back(f.value, other);
        f.value = other;
    }
    void give(const field::Loops& f) {
        for (auto& loop : f.value)
            loop = loop_for(loop);
    }
    void give(const field::NewLoop& f) {
        const auto wanted = renamed(f.value);
        // A part may have the name of the loop that it is a part of.
        const bool reused = std::any_of(named_.begin(), named_.end(), [&](const auto& each) {
            return each.first == f.value && each.second == wanted;
        });
        f.value = reused ? wanted : fresh(to_, wanted, taken_);
        taken_.insert(f.value);
    }
    void give(const field::Definition& f) {
        if (f.value.stage == to_.stage->name)
            refuse(QObject::tr("the line is about it already"));
    }
    void give(const field::Source& f) {
        const auto other = source_for(f.value);
        if (other == to_.stage->name)
            refuse(QObject::tr("the line is about it already"));
        named_.emplace_back(f.value, other);
        f.value = other;
    }
    void give(const field::Readers& f) {
        std::erase_if(f.value,
                      [&](const DefinitionRef& reader) { return reader.stage == to_.stage->name; });
    }
    void give(const field::Dimension& f) { f.value = index_for(f.value); }
    void give(const field::Dimensions& f) {
        for (auto& index : f.value)
            index = index_for(index);
    }
    void give(const field::Result& f) {
        named_.emplace_back(from_.stage->name, to_.stage->name);
        const auto wanted = renamed(f.value);
        f.value = wanted;
        for (int n = 2; to_.tree->state.known(f.value) || made_.count(f.value); ++n)
            f.value = wanted + std::to_string(n);
        made_.insert(f.value);
    }
    template <typename Field> void give(const Field&) {} // the same

    const Subject &from_, &to_;
    std::set<std::string>& made_;                            // stages
    std::set<std::string> taken_;                            // loops
    std::vector<std::pair<std::string, std::string>> named_; // at the first node, at the other
    QString absent_;
};

} // namespace

AlikeLine alike_line(const ScheduleTree& tree, const QString& line, const NodeId& from,
                     const NodeId& to, std::set<std::string>& made) {
    const auto directive = parse_directive(line.toStdString());
    const Subject own = subject_of(tree, from), other = subject_of(tree, to);
    if (!directive)
        return {{}, to_qstring(directive.errors().front().message)};
    if (!own.stage || !other.stage || other.stage->definitions.empty() ||
        own.stage->definitions.empty())
        return {{}, QObject::tr("an input takes no directives")};
    return Translation(own, other, made).of(**directive);
}

} // namespace loopscope::views
