#include "app/session/earlier_place.h"

#include "core/language/schedule_parser.h"

#include <algorithm>
#include <map>
#include <utility>

namespace loopscope::session {

namespace {

constexpr int kMaxPlaces = 16; // each applies the rest of the script

// The directive with a part in place of a loop of a definition; null: it does not name that loop.
DirectivePtr with_part(const Directive& directive, const DefinitionRef& of, const std::string& loop,
                       const std::string& part) {
    auto changed = directive.clone();
    bool named = false;
    const auto put = [&](std::string& value) {
        if (value != loop)
            return;
        value = part;
        named = true;
    };
    const bool own = directive.receiver == of;
    visit_fields(
        changed->fields(),
        [&](const char*, const field::Loop& f) {
            if (own)
                put(f.value);
        },
        [&](const char*, const field::LoopOf& f) {
            if (f.of == of)
                put(f.value);
        },
        [](const char*, const auto&) {});
    return named ? DirectivePtr(std::move(changed)) : nullptr;
}

const DefinitionState* nest_of_line(const ScheduleState& state, const DefinitionRef& of) {
    const auto* stage = state.find(of.stage);
    return stage && of.definition < static_cast<int>(stage->definitions.size())
               ? &stage->definitions[static_cast<std::size_t>(of.definition)]
               : nullptr;
}

// What a line makes of the loops that it names: the inner part first, each of whose iterations is
// about what one of the whole loop was.
std::map<std::string, std::vector<std::string>>
parts_of(const DefinitionState& before, const DefinitionState& after, const Directive& line) {
    std::map<std::string, std::vector<std::string>> parts;
    for (const auto& name : loops_named_by(line)) {
        const auto* loop = before.find(name);
        if (!loop)
            continue;
        const auto add = [&, &of_loop = parts[name]](int id) {
            for (const auto& each : after.loops)
                if (each.id == id)
                    of_loop.push_back(each.name);
        };
        for (const auto& relation : after.relations) {
            if (relation.kind == Relation::Kind::Split && relation.parent == loop->id) {
                add(relation.inner);
                add(relation.outer);
            } else if (relation.kind == Relation::Kind::Fuse &&
                       (relation.outer == loop->id || relation.inner == loop->id)) {
                add(relation.parent);
            }
        }
    }
    return parts;
}

class Rewriting {
public:
    Rewriting(const Present& present, DirectivePtr line)
        : present_(present),
          line_(std::move(line)),
          directives_(present.scheduled->schedule.directives) {}

    std::optional<EarlierPlace> before(std::size_t position) {
        changed_.clear();
        auto state = present_.scheduled->states[position];
        const auto* found = nest_of_line(state, line_->receiver);
        if (!found)
            return {};
        const DefinitionState nest = *found;
        if (!apply_line(state, *line_, present_.context()))
            return {};
        const auto parts = parts_of(nest, *nest_of_line(state, line_->receiver), *line_);
        for (auto later = position; later < directives_.size(); ++later)
            if (!apply_line(state, *directives_[later], present_.context()) &&
                !apply_to_part(state, *directives_[later], parts))
                return {};
        return changed_.empty() ? std::nullopt : written(position);
    }

private:
    bool apply_to_part(ScheduleState& state, const Directive& directive,
                       const std::map<std::string, std::vector<std::string>>& parts) {
        for (const auto& [loop, of_loop] : parts)
            for (const auto& part : of_loop)
                if (const auto made = with_part(directive, line_->receiver, loop, part);
                    made && apply_line(state, *made, present_.context())) {
                    changed_.emplace_back(&directive, made->text());
                    return true;
                }
        return false;
    }

    // From the last line to the first: what stands before keeps its place.
    std::optional<EarlierPlace> written(std::size_t position) const {
        auto script = present_.script;
        for (auto each = changed_.rbegin(); each != changed_.rend(); ++each) {
            const auto& where = each->first->where;
            script.replace(where.begin, where.end - where.begin, each->second);
        }
        script = with_directive(script, present_.scheduled->schedule, position, line_->text()).text;
        if (!schedule_script(present_.pipeline, script, present_.context(), "schedule",
                             present_.scheduled.get()))
            return {};
        EarlierPlace place{std::move(script), line_->describe(), directives_[position]->text(), {}};
        for (const auto& [directive, text] : changed_)
            place.follows.push_back(text);
        return place;
    }

    const Present& present_;
    const DirectivePtr line_;
    const std::vector<DirectivePtr>& directives_;
    std::vector<std::pair<const Directive*, std::string>> changed_; // and their new texts
};

} // namespace

std::optional<EarlierPlace> earlier_place(const Present& present, const std::string& refused_line) {
    const auto line = parse_directive(refused_line);
    if (!line)
        return {};
    const auto& directives = present.scheduled->schedule.directives;
    const auto loops = loops_named_by(**line);
    Rewriting rewriting(present, *line);
    int tries = 0;
    for (auto position = directives.size(); position-- > 0 && tries < kMaxPlaces;) {
        const bool names_one = std::any_of(loops.begin(), loops.end(), [&](const auto& loop) {
            return with_part(*directives[position], (*line)->receiver, loop, loop) != nullptr;
        });
        if (!names_one)
            continue;
        ++tries;
        if (auto place = rewriting.before(position))
            return place;
    }
    return {};
}

} // namespace loopscope::session
