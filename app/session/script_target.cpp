#include "app/session/script_target.h"

#include "core/language/schedule_syntax.h"

#include <optional>

namespace loopscope::session {

namespace {

struct Header {
    std::optional<ScheduleStatement> schedule, target;
};

Header header_of(const std::string& script) {
    Header header;
    for (auto& statement :
         read_schedule(std::make_shared<SourceFile>("schedule", script)).statements) {
        if (statement.kind == ScheduleStatement::Kind::Header)
            header.schedule = std::move(statement);
        else if (statement.kind == ScheduleStatement::Kind::Target)
            header.target = std::move(statement);
    }
    return header;
}

} // namespace

std::string target_of(const std::string& script) {
    // Most scripts have none, and are spared the reading.
    if (script.find("target") == std::string::npos)
        return {};
    const auto header = header_of(script);
    return header.target ? header.target->name : std::string();
}

std::string with_target(const std::string& script, const std::string& device) {
    const auto header = header_of(script);
    if (header.target) {
        const auto& line = *header.target;
        if (!device.empty())
            return script.substr(0, line.begin) + "target " + device + script.substr(line.end);
        // What else stands on the line stays; a line of its own goes whole.
        auto end = line.end;
        while (end < script.size() && (script[end] == ' ' || script[end] == '\t'))
            ++end;
        if (end < script.size() && script[end] == '\n')
            ++end;
        return script.substr(0, line.begin) + script.substr(end);
    }
    if (device.empty() || !header.schedule)
        return script;
    auto end = script.find('\n', header.schedule->end);
    const bool last = end == std::string::npos;
    end = last ? script.size() : end + 1;
    return script.substr(0, end) + (last ? "\n" : "") + "target " + device + "\n" +
           script.substr(end);
}

} // namespace loopscope::session
