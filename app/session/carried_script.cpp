#include "app/session/carried_script.h"

#include "app/session/replay.h"
#include "app/session/script_lines.h"
#include "core/base/printable.h"
#include "core/language/schedule_parser.h"

#include <algorithm>
#include <sstream>

namespace loopscope::session {

namespace {

constexpr std::size_t kMaxReason = 200; // characters of a comment

// "schedule for NAME", whatever the name was.
void name_pipeline(std::vector<std::string>& lines, const std::string& before,
                   const std::string& name) {
    if (before == name)
        return;
    for (auto& line : lines) {
        std::istringstream words(line);
        std::string first, second, third;
        words >> first >> second >> third;
        if (first != "schedule" || second != "for")
            continue;
        line.replace(line.find(before, line.find("for") + 3), before.size(), name);
        return;
    }
}

int line_at(const SourceRange& where, std::size_t byte) {
    return where.file ? where.file->position(byte).line : 0;
}

} // namespace

Result<CarriedScript> carried_script(const PipelinePtr& pipeline, const std::string& script,
                                     const ApplyContext& context) {
    auto parsed = parse_schedule(std::make_shared<SourceFile>("schedule", script));
    if (!parsed)
        return parsed.errors();
    auto lines = lines_of(script);
    name_pipeline(lines, parsed->pipeline, pipeline->name);
    auto fits = fitting(pipeline, std::move(*parsed), context);
    if (!fits)
        return fits.errors();
    CarriedScript out;
    for (const auto& [directive, why] : fits->left_out) {
        const auto& where = directive->where;
        const int first = line_at(where, where.begin),
                  last = line_at(where, std::max(where.end, where.begin + 1) - 1);
        if (first < 1 || last > static_cast<int>(lines.size()))
            return why;
        const auto reason = printable_text(why.front().message, kMaxReason);
        for (int line = first; line <= last; ++line)
            lines[static_cast<std::size_t>(line) - 1].insert(0, "# ");
        lines[static_cast<std::size_t>(last) - 1] += "  # left out: " + reason;
        out.left_out.push_back({first, reason});
    }
    std::sort(out.left_out.begin(), out.left_out.end(),
              [](const auto& a, const auto& b) { return a.line < b.line; });
    out.script = joined(lines);
    // Its directives have their places in the text that it is now.
    auto renewed =
        parse_schedule(std::make_shared<SourceFile>("schedule", out.script), pipeline.get());
    if (!renewed)
        return renewed.errors();
    out.scheduled = std::move(fits->scheduled);
    out.scheduled.schedule = std::move(*renewed);
    return out;
}

} // namespace loopscope::session
