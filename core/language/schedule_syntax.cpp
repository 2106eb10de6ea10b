#include "core/language/schedule_syntax.h"

#include "core/base/foreign_words.h"
#include "core/language/limits.h"
#include "core/language/schedule_arguments.h"
#include "core/language/words.h"

#include <algorithm>

namespace loopscope {

namespace {

// nearest names are looked up for the errors that are shown
constexpr std::size_t kSuggestions = 100;

class LineReader {
public:
    LineReader(const SourceFilePtr& file, bool header) : file_(file), header_(header) {
        LexOptions options;
        options.statement_words = {"schedule", "target"};
        options.expressions = false;
        lexed_ = lex(file, options);
        out_.comments = lexed_.comments;
        out_.errors = lexed_.errors;
        close_unfinished();
    }

    ScheduleSyntax run() {
        while (!at_end() && out_.errors.size() < kErrorLimit) {
            if (token().kind == TokenKind::Newline) {
                ++at_;
                continue;
            }
            statement();
        }
        if (header_ && !seen_header_ && out_.errors.empty())
            fail({file_, 0, 0}, "the schedule is empty",
                 "it begins with: schedule for NAME, with the pipeline's name");
        std::stable_sort(out_.errors.begin(), out_.errors.end(), [](const auto& a, const auto& b) {
            return a.range.begin < b.range.begin;
        });
        return std::move(out_);
    }

private:
    const Token& token(std::size_t ahead = 0) const {
        return lexed_.tokens[std::min(at_ + ahead, lexed_.tokens.size() - 1)];
    }
    bool at_end() const { return token().kind == TokenKind::End; }
    bool ends_statement(const Token& t) const {
        return t.kind == TokenKind::End || t.kind == TokenKind::Newline;
    }
    SourceRange range(const Token& t) const {
        return {file_, t.begin, std::max<std::size_t>(t.end, t.begin)};
    }
    std::string shown(const Token& t) const {
        return ends_statement(t) ? "the end of the line"
                                 : "'" + std::string(t.text.substr(0, kMaxName)) + "'";
    }

    // What to write for a sign of another language that stands here; else `remedy`.
    std::string foreign_or(std::string remedy) const {
        auto foreign = foreign_sign(at_ > 0 ? lexed_.tokens[at_ - 1] : Token{}, token(), token(1));
        return foreign.empty() ? remedy : foreign;
    }

    // False, so that a caller can return it.
    bool fail(SourceRange where, std::string message, std::string remedy = {},
              std::string code = "syntax") {
        out_.errors.push_back({Severity::Error, std::move(message), std::move(where),
                               std::move(remedy), std::move(code)});
        return false;
    }

    // Ends a statement where the next line begins like one, although a bracket is still open: so a
    // bracket that was never closed spoils one statement and not the rest of the text.
    void close_unfinished() {
        std::vector<Token> tokens;
        int depth = 0;
        for (std::size_t i = 0; i < lexed_.tokens.size(); ++i) {
            const auto& t = lexed_.tokens[i];
            bool ended = tokens.empty() || ends_statement(tokens.back());
            bool new_line = !ended && !ends_statement(t) && starts_line(i);
            if (ended || (new_line && starts_statement(i)))
                depth = 0;
            if (new_line && depth == 0) {
                Token end;
                end.kind = TokenKind::Newline;
                end.begin = end.end = tokens.back().end;
                tokens.push_back(end);
            }
            depth += t.is("(") ? 1 : t.is(")") && depth > 0 ? -1 : 0;
            tokens.push_back(t);
        }
        lexed_.tokens = std::move(tokens);
    }

    void statement() {
        auto start = at_;
        ScheduleStatement read;
        read.begin = token().begin;
        bool ok = token().is("schedule") && token(1).is("for")               ? header(read)
                  : token().is("target") && token(1).kind == TokenKind::Name ? target(read)
                                                                             : directive(read);
        if (ok && !ends_statement(token()))
            ok = fail(range(token()), "unexpected " + shown(token()) + " after the statement",
                      foreign_or("one directive stands on a line"));
        if (!ok)
            return skip(start);
        read.end = lexed_.tokens[at_ - 1].end;
        if (in_order(read))
            out_.statements.push_back(std::move(read));
    }

    bool in_order(const ScheduleStatement& read) {
        bool is_header = read.kind == ScheduleStatement::Kind::Header;
        if (!header_) {
            return read.kind == ScheduleStatement::Kind::Directive ||
                   fail({file_, read.begin, read.end}, "a directive was expected here", "");
        }
        if (is_header && seen_header_)
            return fail({file_, read.begin, read.end}, "`schedule for` stands once, first",
                        "remove this line");
        if (!is_header && !seen_header_) {
            seen_header_ = true; // said once
            fail({file_, read.begin, read.end}, "a schedule begins with `schedule for NAME`",
                 "put it first, with the pipeline's name");
        }
        seen_header_ = true;
        if (read.kind == ScheduleStatement::Kind::Target) {
            bool first = out_.statements.empty() ||
                         out_.statements.back().kind == ScheduleStatement::Kind::Header;
            return first ||
                   fail({file_, read.begin, read.end},
                        "`target` stands once, right after `schedule for`", "move this line there");
        }
        return true;
    }

    void skip(std::size_t start) {
        at_ = std::max(at_, start + 1);
        while (!ends_statement(token()))
            ++at_;
        UnreadLine line;
        line.begin = lexed_.tokens[start].begin;
        if (lexed_.tokens[start].kind == TokenKind::Name && start + 1 < at_ &&
            lexed_.tokens[start + 1].is("="))
            line.made = lexed_.tokens[start].text;
        for (auto at = start; at < at_; ++at)
            if (lexed_.tokens[at].kind == TokenKind::Name)
                line.names.emplace(lexed_.tokens[at].text);
        out_.unread.push_back(std::move(line));
    }

    bool starts_line(std::size_t i) const {
        const auto& t = lexed_.tokens[i];
        if (i == 0 || lexed_.tokens[i - 1].kind == TokenKind::Newline)
            return true;
        const auto& text = file_->text();
        for (std::size_t b = lexed_.tokens[i - 1].end; b < t.begin; ++b)
            if (text[b] == '\n')
                return true;
        return false;
    }

    // `name.verb(`, `name.update(`, `pattern.verb(`, `B = `, `schedule for`, `target` at the start
    // of a line.
    bool starts_statement(std::size_t i) const {
        const auto& t = lexed_.tokens[i];
        auto next = [&](std::size_t k) -> const Token& {
            return lexed_.tokens[std::min(i + k, lexed_.tokens.size() - 1)];
        };
        if (!starts_line(i) || (t.kind != TokenKind::Name && !t.is("*")))
            return false;
        if (next(1).is("=") || (t.is("schedule") && next(1).is("for")))
            return true;
        std::size_t k = 1;
        while (k < 16 && next(k).glued && !next(k).is(".") && !ends_statement(next(k)))
            ++k;
        return next(k).is(".") && next(k + 1).kind == TokenKind::Name && next(k + 2).is("(");
    }

    bool header(ScheduleStatement& read) {
        at_ += 2;
        read.kind = ScheduleStatement::Kind::Header;
        if (token().kind != TokenKind::Name)
            return fail(range(token()), "the pipeline's name is missing", "schedule for NAME");
        read.name = token().text;
        read.name_range = range(token());
        ++at_;
        return true;
    }

    // A device's name may hold what a name of the language may not ("i7-6700"): all up to the end
    // of the word.
    bool target(ScheduleStatement& read) {
        read.kind = ScheduleStatement::Kind::Target;
        ++at_;
        auto first = at_++;
        while (!ends_statement(token()) && token().glued)
            ++at_;
        read.name_range = {file_, lexed_.tokens[first].begin, lexed_.tokens[at_ - 1].end};
        read.name = file_->text().substr(read.name_range.begin,
                                         read.name_range.end - read.name_range.begin);
        return true;
    }

    bool directive(ScheduleStatement& read) {
        std::string made;
        SourceRange made_range;
        auto line = at_;
        if (token().kind == TokenKind::Name && token(1).is("=")) {
            made = token().text;
            made_range = range(token());
            at_ += 2;
        }
        DefinitionRef receiver;
        auto receiver_begin = at_;
        if (!pattern(receiver.stage) || !update_number(receiver))
            return false;
        SourceRange receiver_range{file_, lexed_.tokens[receiver_begin].begin,
                                   lexed_.tokens[at_ - 1].end};
        if (!token().is("."))
            return fail(range(token()),
                        "'.' expected after " + receiver.text() + ", found " + shown(token()),
                        "a directive is written S.verb(…)");
        ++at_;
        if (token().kind != TokenKind::Name)
            return fail(range(token()), "a verb is missing after " + receiver.text() + ".",
                        "such as split or reorder");
        auto verb = token();
        auto made_directive = create_directive(std::string(verb.text));
        if (!made_directive)
            return unknown_verb(verb);
        ++at_;
        made_directive->receiver = receiver;
        made_directive->places["receiver"] = receiver_range;
        made_directive->places["verb"] = range(verb);
        if (!arguments(*made_directive, made, made_range))
            return false;
        made_directive->where = {file_, lexed_.tokens[line].begin, lexed_.tokens[at_ - 1].end};
        read.directive = std::move(made_directive);
        return true;
    }

    bool unknown_verb(const Token& verb) {
        std::vector<std::string> verbs;
        for (const auto& kind : directive_kinds())
            verbs.push_back(kind.verb);
        auto remedy = foreign_remedy(ForeignPlace::Directive, verb.text);
        if (remedy.empty() && out_.errors.size() < kSuggestions)
            if (const auto nearest = nearest_name(std::string(verb.text), verbs); !nearest.empty())
                remedy = "did you mean " + nearest + "?";
        return fail(range(verb),
                    "there is no directive " + std::string(verb.text.substr(0, kMaxName)),
                    std::move(remedy), "unknown-name");
    }

    // A stage's name, or a pattern of letters, `*` and `{a..b}`, without white space.
    bool pattern(std::string& text) {
        auto first = at_;
        while (!ends_statement(token()) && (at_ == first || token().glued)) {
            const auto& t = token();
            if (t.kind == TokenKind::TemplateOpen) {
                if (!number_range(text))
                    return false;
                continue;
            }
            bool part = t.kind == TokenKind::Name || t.kind == TokenKind::NamePart || t.is("*") ||
                        t.is("**") ||
                        (t.kind == TokenKind::Number && at_ != first &&
                         std::all_of(t.text.begin(), t.text.end(), is_name_letter));
            if (!part)
                break;
            text += t.text;
            ++at_;
        }
        if (text.size() > kMaxName)
            return fail({file_, lexed_.tokens[first].begin, lexed_.tokens[at_ - 1].end},
                        "a name of " + std::to_string(text.size()) + " characters is too long",
                        "at most " + std::to_string(kMaxName));
        if (at_ == first)
            return fail(range(token()), "a directive was expected, found " + shown(token()),
                        foreign_or("a directive is written S.verb(…)"));
        return true;
    }

    bool number_range(std::string& text) {
        auto plain = [](const Token& t) {
            return t.kind == TokenKind::Number && t.text.size() <= 9 &&
                   std::all_of(t.text.begin(), t.text.end(), is_digit);
        };
        if (!plain(token(1)) || !token(2).is("..") || !plain(token(3)) ||
            token(4).kind != TokenKind::TemplateClose)
            return fail(range(token()), "a pattern's braces hold a range of numbers",
                        "such as g{1..5}, for g1 to g4");
        text += "{" + std::string(token(1).text) + ".." + std::string(token(3).text) + "}";
        at_ += 5;
        return true;
    }

    bool update_number(DefinitionRef& ref) {
        if (!token().is(".") || !token(1).is("update"))
            return true;
        int number = 0;
        if (!token(2).is("(") || !read_update_number(token(3), number) || !token(4).is(")"))
            return fail(range(token(1)), "an update is named by its number",
                        "such as " + ref.stage + ".update(0)");
        ref.definition = number + 1;
        at_ += 5;
        return true;
    }

    bool arguments(Directive& directive, const std::string& made, const SourceRange& made_range) {
        auto verb = std::string(directive.verb());
        if (!token().is("("))
            return fail(range(token()), "'(' expected after " + verb + ", found " + shown(token()),
                        "write " + signature(directive));
        auto open = token();
        ++at_;
        ArgumentList list;
        list.file = file_;
        list.made = made;
        list.made_range = made_range;
        list.open = range(open);
        if (!split_arguments(list))
            return false;
        auto problem = read_arguments(directive, list);
        return !problem || fail(problem->range, problem->message, problem->remedy, problem->code);
    }

    // The tokens of each argument, up to the `)` that closes the list.
    bool split_arguments(ArgumentList& list) {
        int depth = 0;
        std::vector<Token> current;
        for (;; ++at_) {
            const auto& t = token();
            if (ends_statement(t))
                return fail(list.open, "this '(' is not closed", "close it with ')'");
            if (depth == 0 && (t.is(")") || t.is(","))) {
                bool close = t.is(")");
                if (current.empty() && (!close || !list.arguments.empty()))
                    return fail(range(t), "an argument is missing before " + shown(t));
                if (!current.empty())
                    list.arguments.push_back(std::move(current));
                current.clear();
                list.close = range(t);
                if (close) {
                    ++at_;
                    return true;
                }
                continue;
            }
            depth += t.is("(") ? 1 : t.is(")") ? -1 : 0;
            current.push_back(t);
        }
    }

    SourceFilePtr file_;
    bool header_;
    bool seen_header_ = false;
    LexedText lexed_;
    std::size_t at_ = 0;
    ScheduleSyntax out_;
};

} // namespace

std::string ScheduleStatement::text() const {
    switch (kind) {
    case Kind::Header: return "schedule for " + name;
    case Kind::Target: return "target " + name;
    case Kind::Directive: return directive->text();
    }
    return {};
}

ScheduleSyntax read_schedule(const SourceFilePtr& file, bool header) {
    return LineReader(file, header).run();
}

} // namespace loopscope
