#include "compiler/worker/schedule_lines.h"

#include "compiler/lower/size_limit.h"
#include "compiler/worker/context.h"
#include "core/base/number_text.h"
#include "core/device/device.h"
#include "core/language/intrinsics.h"

#include <algorithm>
#include <functional>
#include <set>

namespace loopscope::worker {

namespace {

constexpr std::size_t kMaxLines = 10;   // that one error names
constexpr std::size_t kMaxStages = 5;   // largest first
constexpr std::size_t kMaxReasons = 10; // that are led to their lines

// Does the line between two states take part in something?
using TakesPart = std::function<bool(const ScheduleState& before, const ScheduleState& after)>;

// For each question the lines of the script that take part, in one replay of it.
std::vector<std::vector<DirectivePtr>> lines_that(const LoadedProgram& loaded,
                                                  const std::vector<TakesPart>& questions) {
    std::vector<std::vector<DirectivePtr>> out(questions.size());
    auto state = ScheduleState::initial(loaded.pipeline);
    for (const auto& directive : loaded.schedule.directives) {
        const auto before = state;
        if (!apply_line(state, *directive, ApplyContext{&loaded.device, &declared_intrinsics()}))
            break;
        for (std::size_t q = 0; q < questions.size(); ++q)
            if (questions[q](before, state))
                out[q].push_back(directive);
    }
    return out;
}

std::vector<DirectivePtr> lines_that(const LoadedProgram& loaded, const TakesPart& takes_part) {
    return lines_that(loaded, std::vector<TakesPart>{takes_part}).front();
}

// The first line becomes the error's place, the others notes.
Diagnostics placed(Diagnostic problem, const std::vector<DirectivePtr>& lines) {
    Diagnostics out;
    if (!lines.empty())
        problem.range = lines[0]->where;
    out.push_back(std::move(problem));
    for (std::size_t n = 1; n < std::min(lines.size(), kMaxLines); ++n)
        out.push_back(
            {Severity::Note, "this line takes part: " + lines[n]->text(), lines[n]->where, {}, {}});
    if (lines.size() > kMaxLines)
        out.push_back({Severity::Note,
                       "and " + std::to_string(lines.size() - kMaxLines) + " more lines",
                       {},
                       {},
                       {}});
    return out;
}

std::size_t unrolled_loops(const ScheduleState& state) {
    std::size_t count = 0;
    for (const auto& stage : state.stages)
        for (const auto& definition : stage->definitions)
            count += static_cast<std::size_t>(
                std::count_if(definition.loops.begin(), definition.loops.end(),
                              [](const auto& l) { return l.kind == LoopKind::Unrolled; }));
    return count;
}

struct Use {
    double bytes = 0;
    std::vector<std::pair<double, std::string>> stages; // of those that are alive together
};

Use allocated(const lower::Statement& s) {
    Use most;
    for (const auto& child : s.children)
        if (child)
            if (auto use = allocated(*child); use.bytes > most.bytes)
                most = std::move(use);
    if (s.kind == lower::StatementKind::Allocate) {
        double bytes = loopscope::bytes(s.storage->type);
        for (const auto& extent : s.storage->extents)
            bytes *= static_cast<double>(std::max<std::int64_t>(extent.hint(), 0));
        most.bytes += bytes;
        most.stages.emplace_back(bytes, s.origin.stage);
    }
    return most;
}

std::string size_text(double bytes) {
    const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit)
        bytes /= 1024;
    return general_text(bytes, bytes < 1000 ? 3 : 4) + " " + units[unit];
}

const LoopState* loop_of(const StageState& stage, const NodeId& id) {
    const auto d = static_cast<std::size_t>(std::max(id.definition, 0));
    if (d >= stage.definitions.size())
        return nullptr;
    const auto& loops = stage.definitions[d].loops;
    const auto found = std::find_if(loops.begin(), loops.end(),
                                    [&](const LoopState& loop) { return loop.name == id.name; });
    return found == loops.end() ? nullptr : &*found;
}

// Did the line make the node what it is: the loop, or the stage's place and storage?
bool changes(const NodeId& id, const ScheduleState& before, const ScheduleState& after) {
    const auto* was = before.find(id.stage);
    const auto* is = after.find(id.stage);
    if (!is || !was || is == was)
        return is && !was;
    if (const auto* loop = loop_of(*is, id)) {
        const auto* earlier = loop_of(*was, id);
        return !earlier || !(*earlier == *loop);
    }
    auto a = *was, b = *is;
    a.definitions.clear();
    b.definitions.clear();
    return !(a == b);
}

} // namespace

Diagnostics with_lines(const LoadedProgram& loaded, const std::vector<NotRunnable>& reasons) {
    // Of hundreds of reasons, as of every stage of a long chain, nobody follows all.
    const auto led = std::min(reasons.size(), kMaxReasons);
    std::vector<TakesPart> questions;
    for (std::size_t r = 0; r < led; ++r)
        questions.emplace_back(
            [&nodes = reasons[r].nodes](const ScheduleState& before, const ScheduleState& after) {
                return std::any_of(nodes.begin(), nodes.end(),
                                   [&](const NodeId& id) { return changes(id, before, after); });
            });
    const auto lines =
        led > 0 ? lines_that(loaded, questions) : std::vector<std::vector<DirectivePtr>>();
    Diagnostics out;
    for (std::size_t r = 0; r < reasons.size(); ++r) {
        const auto all = placed(coded_error("not-runnable", reasons[r].message, reasons[r].remedy),
                                r < led ? lines[r] : std::vector<DirectivePtr>());
        out.insert(out.end(), all.begin(), all.end());
    }
    return out;
}

Diagnostics with_unrolling_lines(const LoadedProgram& loaded, Diagnostics errors) {
    auto lines = lines_that(loaded, [](const ScheduleState& before, const ScheduleState& after) {
        return unrolled_loops(after) > unrolled_loops(before);
    });
    Diagnostics out;
    for (auto& e : errors) {
        bool about = e.code == lower::kCodeProgramTooLarge;
        auto all = placed(std::move(e), about ? lines : std::vector<DirectivePtr>{});
        out.insert(out.end(), all.begin(), all.end());
    }
    return out;
}

Status check_memory(const LoadedProgram& loaded, const lower::Program& program,
                    const MemoryLimit& limit) {
    Use most;
    for (const auto& launch : program.launches)
        if (auto use = allocated(*launch.body); use.bytes > most.bytes)
            most = std::move(use);
    if (most.bytes <= static_cast<double>(limit.bytes))
        return success();
    std::sort(most.stages.rbegin(), most.stages.rend());
    std::set<std::string> large;
    std::string names;
    for (const auto& [bytes, stage] : most.stages) {
        if (large.size() == kMaxStages || (!large.empty() && bytes < most.bytes / 100))
            break;
        names += (names.empty() ? "" : ", ") + stage + " " + size_text(bytes);
        large.insert(stage);
    }
    auto lines = lines_that(loaded, [&](const ScheduleState& before, const ScheduleState& after) {
        return std::any_of(large.begin(), large.end(), [&](const std::string& stage) {
            auto padding = [&](const ScheduleState& state) {
                const auto* found = state.find(stage);
                return found ? found->storage_padding : std::vector<std::int64_t>{};
            };
            return padding(before) != padding(after);
        });
    });
    auto problem = coded_error(
        measure::kCodeMemoryLimit,
        "the storage of this schedule takes " + size_text(most.bytes) + " at one time, and " +
            limit.cause + " " + size_text(static_cast<double>(limit.bytes)) +
            (limit.reason.empty() ? "" : ", for " + limit.reason) + ": " + names,
        lines.empty() ? "compute a stage at a loop, where less of it is needed at once, or make "
                        "the problem smaller (--param)"
                      : "pad it by less (pad_storage)");
    return placed(std::move(problem), lines);
}

} // namespace loopscope::worker
