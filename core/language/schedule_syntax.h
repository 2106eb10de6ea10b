#pragma once
// Reads the statements of a `.sched` text one after another, each with its place; what parser and
// formatter share.

#include "core/language/lexer.h"
#include "core/schedule/directive.h"
#include "core/schedule/refusals.h"

#include <string>
#include <vector>

namespace loopscope {

struct ScheduleStatement {
    enum class Kind : std::uint8_t { Header, Target, Directive } kind = Kind::Directive;
    std::string name;       // Header: the pipeline's; Target: the device's
    SourceRange name_range; // of `name`
    DirectivePtr directive; // Directive
    std::size_t begin = 0;  // bytes [begin, end) of the text
    std::size_t end = 0;
    std::string text() const; // canonical
};

struct ScheduleSyntax {
    std::vector<ScheduleStatement> statements; // those that could be read, in order
    std::vector<UnreadLine> unread;            // the others, in order
    std::vector<Comment> comments;
    Diagnostics errors; // in the order of the text
};

// One error at most per statement: reading goes on at the next line that begins like one. `header`:
// the text must begin with `schedule for NAME`; otherwise it holds directives only.
ScheduleSyntax read_schedule(const SourceFilePtr& file, bool header = true);

} // namespace loopscope
