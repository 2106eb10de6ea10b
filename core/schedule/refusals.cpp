#include "core/schedule/refusals.h"

#include "core/schedule/recipe.h"

#include <algorithm>
#include <map>

namespace loopscope {

namespace {

constexpr std::size_t kMostRefusedLines = 1000;

// A loop of a stage; of all its loops where `loop` is empty.
using LoopOfStage = std::pair<std::string, std::string>;

struct Doubts {
    std::set<std::string> stages;
    std::set<LoopOfStage> loops;
    std::set<std::string> places; // stages whose place is in doubt
    // Of a stage that lines name which could not be read: all that those lines name.
    std::map<std::string, std::vector<const std::set<std::string>*>> unread;

    bool about(const std::string& stage, const std::string& loop) const {
        if (loops.count({stage, loop}) || loops.count({stage, {}}))
            return true;
        const auto lines = unread.find(stage);
        return lines != unread.end() &&
               std::any_of(lines->second.begin(), lines->second.end(),
                           [&](const auto* names) { return names->count(loop) > 0; });
    }
};

bool about_places(const Directive& line) {
    return find_directive_kind(line.verb())->section == DirectiveSection::Place;
}

// The stages that a line is about; none there is: as it is written.
std::vector<std::string> receivers(const ScheduleState& state, const Directive& line) {
    auto stages = match_stages(state, line.receiver.stage);
    if (stages.empty())
        stages.push_back(line.receiver.stage);
    return stages;
}

// The loops that a line makes, replaces or puts in order. One that should be there and is not is
// left out: each line that names it is wrong by itself.
std::vector<std::string> loops_changed(const StageState* stage, const Directive& line) {
    std::vector<std::string> made;
    bool several = false;
    visit_fields(
        line.read_fields(), [&](const char*, const field::NewLoop& f) { made.push_back(f.value); },
        [&](const char*, const field::Loops& f) { several = several || f.value.size() > 1; },
        [](const char*, const auto&) {});
    const auto number = static_cast<std::size_t>(line.receiver.definition);
    if ((made.empty() && !several) || !stage || number >= stage->definitions.size())
        return made;
    for (const auto& loop : loops_named_by(line))
        if (stage->definitions[number].find(loop))
            made.push_back(loop);
    return made;
}

void doubt_line(Doubts& doubts, const ScheduleState& state, const Directive& line) {
    visit_fields(
        line.read_fields(),
        [&](const char*, const field::Result& f) { doubts.stages.insert(f.value); },
        [](const char*, const auto&) {});
    for (const auto& stage : receivers(state, line)) {
        for (const auto& loop : loops_changed(state.find(stage), line))
            doubts.loops.insert({stage, loop});
        if (as_recipe(line)) // its fields name no loop that its lines make
            doubts.loops.insert({stage, {}});
        if (about_places(line))
            doubts.places.insert(stage);
    }
}

void doubt_unread(Doubts& doubts, const ScheduleState& state, const UnreadLine& line) {
    if (!line.made.empty())
        doubts.stages.insert(line.made);
    for (const auto& stage : line.names)
        if (state.known(stage))
            doubts.unread[stage].push_back(&line.names);
}

// Is a stage in doubt that the line names, or that its pattern may mean?
bool names_doubted_stage(const Doubts& doubts, const Directive& line) {
    const auto doubted = [&](const std::string& stage) { return doubts.stages.count(stage) > 0; };
    const auto named = stages_named_by(line);
    if (std::any_of(named.begin(), named.end(), doubted))
        return true;
    const auto& receiver = line.receiver.stage;
    return is_pattern(receiver) &&
           std::any_of(doubts.stages.begin(), doubts.stages.end(),
                       [&](const std::string& stage) { return matches_pattern(receiver, stage); });
}

bool follows_from(const Doubts& doubts, const ScheduleState& state, const Directive& line) {
    if (names_doubted_stage(doubts, line))
        return true;
    const auto loops = loops_named_by(line);
    for (const auto& stage : receivers(state, line)) {
        if (about_places(line) && doubts.places.count(stage))
            return true;
        if (std::any_of(loops.begin(), loops.end(),
                        [&](const std::string& loop) { return doubts.about(stage, loop); }))
            return true;
    }
    bool elsewhere = false;
    visit_fields(
        line.read_fields(),
        [&](const char*, const field::LoopOf& f) {
            elsewhere = elsewhere || doubts.about(f.of.stage, f.value);
        },
        [](const char*, const auto&) {});
    return elsewhere;
}

} // namespace

Diagnostics refusals(const ScheduleState& before, std::span<const DirectivePtr> lines,
                     const std::vector<UnreadLine>& unread, const ApplyContext& context) {
    Diagnostics out;
    Doubts doubts;
    auto state = before;
    auto next_unread = unread.begin();
    std::size_t refused = 0;
    for (const auto& line : lines) {
        if (refused == kMostRefusedLines)
            break;
        for (; next_unread != unread.end() && next_unread->begin < line->where.begin; ++next_unread)
            doubt_unread(doubts, state, *next_unread);
        const auto status = apply_line(state, *line, context);
        if (status)
            continue;
        ++refused;
        if (!follows_from(doubts, state, *line))
            out.insert(out.end(), status.errors().begin(), status.errors().end());
        doubt_line(doubts, state, *line);
    }
    return out;
}

} // namespace loopscope
