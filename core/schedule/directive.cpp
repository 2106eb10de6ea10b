#include "core/schedule/directive.h"

#include "core/schedule/identity.h"
#include "core/schedule/inferred.h"
#include "core/schedule/nest.h"
#include "core/schedule/prefetching.h"
#include "core/schedule/tensorizing.h"

#include <algorithm>
#include <charconv>

namespace loopscope {

namespace {

std::string text_of(const std::string& name) { return name; }
std::string text_of(std::int64_t count) { return std::to_string(count); }
std::string text_of(Tail tail) { return name(tail); }
template <typename Value> std::string text_of(const Value& value) { return value.text(); }

// Is `name` covered by a pattern from `p` on? `*` takes any letters, `{a..b}` a number of a
// half-open range.
class NameMatcher {
public:
    explicit NameMatcher(const std::string& pattern) : pattern_(pattern) {}
    bool matches(const std::string& name) const {
        if (pattern_.find('{') == std::string::npos)
            return glob(name);
        failed_.assign((name.size() + 1) * (pattern_.size() + 1), false);
        return match(name, 0, 0);
    }

private:
    // Only stars: a scan with one point to return to.
    bool glob(const std::string& name) const {
        std::size_t n = 0, p = 0, star = std::string::npos, resume = 0;
        while (n < name.size()) {
            if (p < pattern_.size() && pattern_[p] == '*') {
                star = p++;
                resume = n;
            } else if (p < pattern_.size() && pattern_[p] == name[n]) {
                ++p, ++n;
            } else if (star != std::string::npos) {
                p = star + 1;
                n = ++resume;
            } else {
                return false;
            }
        }
        while (p < pattern_.size() && pattern_[p] == '*')
            ++p;
        return p == pattern_.size();
    }

    // Each pair of places is tried once, so that a pattern of many stars takes no exponential time.
    bool match(const std::string& name, std::size_t n, std::size_t p) const {
        auto place = n * (pattern_.size() + 1) + p;
        if (failed_[place])
            return false;
        bool found = match_from(name, n, p);
        failed_[place] = !found;
        return found;
    }

    bool match_from(const std::string& name, std::size_t n, std::size_t p) const {
        for (; p < pattern_.size(); ++p) {
            char c = pattern_[p];
            if (c == '*') {
                for (std::size_t skip = n; skip <= name.size(); ++skip)
                    if (match(name, skip, p + 1))
                        return true;
                return false;
            }
            if (c == '{')
                return match_number(name, n, p);
            if (n >= name.size() || name[n] != c)
                return false;
            ++n;
        }
        return n == name.size();
    }

    bool match_number(const std::string& name, std::size_t n, std::size_t p) const {
        auto close = pattern_.find('}', p), dots = pattern_.find("..", p);
        std::int64_t begin = 0, end = 0;
        if (close == std::string::npos || dots == std::string::npos || dots > close ||
            !number(p + 1, dots, begin) || !number(dots + 2, close, end))
            return false;
        for (std::size_t stop = n + 1;
             stop <= name.size() && name[stop - 1] >= '0' && name[stop - 1] <= '9'; ++stop) {
            std::int64_t value = 0;
            auto [at, status] = std::from_chars(name.data() + n, name.data() + stop, value);
            if (status != std::errc())
                return false;
            bool canonical = stop == n + 1 || name[n] != '0'; // g{1..3} is g1, not g01
            if (canonical && begin <= value && value < end && match(name, stop, close + 1))
                return true;
        }
        return false;
    }

    bool number(std::size_t begin, std::size_t end, std::int64_t& value) const {
        auto [at, status] = std::from_chars(pattern_.data() + begin, pattern_.data() + end, value);
        return status == std::errc() && at == pattern_.data() + end;
    }

    const std::string& pattern_;
    mutable std::vector<bool> failed_; // by (place in the name, place in the pattern)
};

Status apply_once(ScheduleState& state, const Directive& directive, const ApplyContext& context) {
    if (directive.per_stage() && directive.receiver.definition > 0)
        return directive.refuse(
            "receiver", std::string(directive.verb()) + " is per stage, not per definition",
            "write " + directive.receiver.stage + "." + directive.verb() + "(…)");
    return directive.apply(state, context);
}

Status apply_matches(ScheduleState& state, const Directive& directive,
                     const ApplyContext& context) {
    if (!is_pattern(directive.receiver.stage))
        return apply_once(state, directive, context);
    auto stages = match_stages(state, directive.receiver.stage);
    if (stages.empty())
        return directive.refuse("receiver", "no stage matches " + directive.receiver.stage);
    for (const auto& stage : stages) {
        auto one = directive.clone();
        one->receiver.stage = stage;
        if (auto status = apply_once(state, *one, context); !status)
            return status;
    }
    return success();
}

} // namespace

std::string DefinitionRef::text() const { return definition_name(stage, definition); }

std::string Factor::text() const {
    if (!native)
        return std::to_string(value);
    return value == 1 ? "native" : std::to_string(value) + "*native";
}

std::string Directive::text() const {
    std::string made, arguments;
    bool tail_follows = true; // without a factor there is no tail
    auto add = [&](const auto& value) {
        arguments += (arguments.empty() ? "" : ", ") + text_of(value);
    };
    auto add_each = [&](const auto& values) { std::for_each(values.begin(), values.end(), add); };
    visit_fields(
        read_fields(), [&](const char*, const field::Result& f) { made = f.value; },
        [&](const char*, const field::OptionalFactor& f) {
            tail_follows = f.value.has_value();
            if (f.value)
                add(*f.value);
        },
        [&](const char*, const field::Tail& f) {
            if (f.value != Tail::Guard && tail_follows)
                add(f.value);
        },
        [&](const char*, const field::Loops& f) { add_each(f.value); },
        [&](const char*, const field::Dimensions& f) { add_each(f.value); },
        [&](const char*, const field::Readers& f) { add_each(f.value); },
        [&](const char*, const auto& f) { add(f.value); });
    auto line = receiver.text() + "." + verb() + "(" + arguments + ")";
    return made.empty() ? line : made + " = " + line;
}

std::vector<std::string> loops_named_by(const Directive& directive, bool made_ones) {
    std::vector<std::string> names;
    visit_fields(
        directive.read_fields(),
        [&](const char*, const field::Loop& f) { names.push_back(f.value); },
        [&](const char*, const field::Loops& f) {
            names.insert(names.end(), f.value.begin(), f.value.end());
        },
        [&](const char*, const field::NewLoop& f) {
            if (made_ones)
                names.push_back(f.value);
        },
        [](const char*, const auto&) {});
    return names;
}

std::set<std::string> stages_named_by(const Directive& directive) {
    std::set<std::string> names{directive.receiver.stage};
    visit_fields(
        directive.read_fields(),
        [&](const char*, const field::Definition& f) { names.insert(f.value.stage); },
        [&](const char*, const field::Source& f) { names.insert(f.value); },
        [&](const char*, const field::Result& f) { names.insert(f.value); },
        [&](const char*, const field::Readers& f) {
            for (const auto& reader : f.value)
                names.insert(reader.stage);
        },
        [](const char*, const auto&) {});
    return names;
}

Diagnostic Directive::refuse(const std::string& field, std::string message,
                             std::string remedy) const {
    auto place = places.find(field);
    return error(std::move(message), std::move(remedy),
                 place == places.end() ? where : place->second);
}

Diagnostics Directive::at(const std::string& field, Diagnostics diagnostics) const {
    auto place = places.find(field);
    for (auto& diagnostic : diagnostics)
        if (!diagnostic.range.file)
            diagnostic.range = place == places.end() ? where : place->second;
    return diagnostics;
}

std::string Schedule::text() const {
    std::string text = "schedule for " + pipeline + "\n";
    if (!target.empty())
        text += "target " + target + "\n";
    for (const auto& directive : directives)
        text += directive->text() + "\n";
    return text;
}

bool is_pattern(const std::string& stage) { return stage.find_first_of("*{") != std::string::npos; }

bool matches_pattern(const std::string& pattern, const std::string& name) {
    return is_pattern(pattern) ? NameMatcher(pattern).matches(name) : pattern == name;
}

std::vector<std::string> match_stages(const ScheduleState& state, const std::string& pattern) {
    std::vector<std::string> names;
    NameMatcher matcher(pattern);
    for (const auto& stage : state.stages)
        if (is_pattern(pattern) ? matcher.matches(stage->name) : stage->name == pattern)
            names.push_back(stage->name);
    return names;
}

Status apply_line(ScheduleState& state, const Directive& directive, const ApplyContext& context) {
    ScheduleState next = state;
    auto status = apply_matches(next, directive, context);
    // What padded tails read follows from extents: held against each line, so that every prefix
    // stays applicable.
    if (status)
        if (auto padded = check_padding(next); !padded)
            status =
                directive.at(directive.places.count("tail") ? "tail" : "receiver", padded.errors());
    if (status)
        status = check_prefetches(next);
    // What instructions replace follows from extents too.
    if (status)
        status = check_tensorized(next);
    // As do extents of loops that are to be one.
    if (status)
        status = check_merged_layouts(next);
    if (!status) {
        auto refusal = directive.at("receiver", status.errors());
        for (auto& diagnostic : refusal)
            if (diagnostic.code.empty())
                diagnostic.code = "not-applicable";
        return refusal;
    }
    next.stages.settle();
    state = std::move(next);
    return success();
}

Applied apply(const PipelinePtr& pipeline, const Schedule& schedule, const ApplyContext& context) {
    Applied out{ScheduleState::initial(pipeline), {}, 0};
    out.state.target = schedule.target;
    for (const auto& directive : schedule.directives) {
        if (auto status = apply_line(out.state, *directive, context); !status) {
            out.diagnostics = status.errors();
            break;
        }
        ++out.applied;
    }
    return out;
}

} // namespace loopscope
