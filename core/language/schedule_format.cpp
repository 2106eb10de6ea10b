// Canonical text of a script that keeps what a parse drops: comments, and single blank lines
// between lines.
#include "core/language/schedule_parser.h"
#include "core/language/schedule_syntax.h"

#include <algorithm>

namespace loopscope {

namespace {

class ScheduleFormatter {
public:
    ScheduleFormatter(const SourceFile& file, const ScheduleSyntax& syntax)
        : file_(file), syntax_(syntax) {}

    std::string run() {
        auto comment = syntax_.comments.begin();
        for (const auto& statement : syntax_.statements) {
            auto first = comment;
            while (comment != syntax_.comments.end() && comment->begin < statement.end)
                ++comment;
            // Comments above it, and those between the lines of a statement that takes several.
            int begin = line_of(statement.begin);
            for (; first != comment; ++first)
                add(text(*first), std::min(line_of(first->begin), begin),
                    std::min(line_of(first->begin), begin));
            auto line = statement.text();
            int last = line_of(statement.end - 1);
            if (comment != syntax_.comments.end() && line_of(comment->begin) == last) {
                line += "  " + text(*comment);
                ++comment;
            }
            add(line, begin, last);
        }
        for (; comment != syntax_.comments.end(); ++comment)
            add(text(*comment), line_of(comment->begin), line_of(comment->begin));
        return out_;
    }

private:
    int line_of(std::size_t offset) const { return file_.position(offset).line; }

    std::string text(const Comment& comment) const {
        auto text = file_.text().substr(comment.begin, comment.end - comment.begin);
        while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
            text.pop_back();
        return text;
    }

    // A line that stood on lines first to last of the text; a gap before it becomes one blank line.
    void add(const std::string& line, int first, int last) {
        if (!out_.empty() && first > last_line_ + 1)
            out_ += "\n";
        out_ += line + "\n";
        last_line_ = std::max(last_line_, last);
    }

    const SourceFile& file_;
    const ScheduleSyntax& syntax_;
    std::string out_;
    int last_line_ = 0;
};

} // namespace

Result<std::string> format_schedule_source(SourceFilePtr source) {
    auto syntax = read_schedule(source);
    if (!syntax.errors.empty())
        return std::move(syntax.errors);
    return ScheduleFormatter(*source, syntax).run();
}

} // namespace loopscope
