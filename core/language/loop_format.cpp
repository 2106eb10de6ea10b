// Canonical text of a `.loop` file. It works on tokens, not on the tree, so that comments and line
// breaks stay where they were written:
//
//   - four spaces for each block, whose braces end and start lines; a line that continues a
//     statement keeps its place relative to the statement, at least four to its right;
//   - a space around operators, except `**`, `..`, `*` `/` `%`, and except `+` `-` in indices,
//     ranges and templates;
//   - one blank line at most in a row, none at the start or end of a block or of the file.
#include "core/language/loop_parser.h"
#include "core/language/loop_syntax.h"
#include "core/language/words.h"

#include <algorithm>

namespace loopscope {

namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> list) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

class LoopFormatter {
public:
    explicit LoopFormatter(const LexedText& text) : text_(text), source_(text.file->text()) {}

    std::string run() {
        for (const auto& t : text_.tokens) {
            comments_before(t.begin);
            if (t.kind == TokenKind::Newline)
                end_line();
            else if (t.kind != TokenKind::End)
                token(t);
        }
        comments_before(source_.size() + 1);
        end_line();
        return std::move(out_);
    }

private:
    // ---- lines ----

    void end_line() {
        if (!line_.empty())
            out_ += line_ + "\n";
        line_.clear();
        ranges_ = 0;
    }

    // `continued`: inside a bracket, or at its closing one.
    void start_line(std::size_t at, bool continued, bool closes) {
        if (!continued && !out_.empty() && !opened_ && !closes && blank_before(at))
            out_ += "\n";
        opened_ = false;
        int written = written_indentation(at);
        if (!continued)
            statement_ = written;
        int relative = continued ? std::max(written - statement_, closes ? 0 : 4) : 0;
        line_.assign(static_cast<std::size_t>(4 * blocks_ + relative), ' ');
    }

    // Columns of white space at the start of the line of `at`, as it was written.
    int written_indentation(std::size_t at) const {
        auto begin = at == 0 ? 0 : source_.rfind('\n', at - 1) + 1; // npos + 1 is 0
        int columns = 0;
        for (; begin < at && (source_[begin] == ' ' || source_[begin] == '\t'); ++begin)
            columns += source_[begin] == '\t' ? 4 : 1;
        return std::min(columns, 120);
    }

    // Whether an empty line stands between the last thing printed and `at`.
    bool blank_before(std::size_t at) const {
        auto between = std::string_view(source_).substr(printed_, at - printed_);
        return std::count(between.begin(), between.end(), '\n') >= 2;
    }

    bool newline_before(std::size_t at) const {
        return std::string_view(source_).substr(printed_, at - printed_).find('\n') !=
               std::string_view::npos;
    }

    void comments_before(std::size_t end) {
        for (; comment_ < text_.comments.size() && text_.comments[comment_].begin < end;
             ++comment_) {
            const auto& c = text_.comments[comment_];
            auto shown = source_.substr(c.begin, c.end - c.begin);
            shown.erase(shown.find_last_not_of(" \t\r") + 1);
            if (c.own_line) {
                if (!line_.empty())
                    end_line();
                start_line(c.begin, !open_.empty(), false);
                line_ += shown;
            } else if (!line_.empty()) {
                line_ += "  " + shown;
            } else if (!out_.empty()) { // after a brace, which ended its line
                out_.insert(out_.size() - 1, "  " + shown);
                opened_ = false;
            }
            printed_ = c.end;
            if (c.own_line || !open_.empty())
                end_line();
        }
    }

    // ---- tokens ----

    void token(const Token& t) {
        bool closes_block = t.is("}") && t.kind == TokenKind::Symbol;
        if (closes_block) {
            end_line();
            --blocks_;
        }
        bool closes = is_one_of(t.text, {")", "]"}) && t.kind == TokenKind::Symbol;
        if (closes && !open_.empty())
            open_.pop_back();
        if (ranges_ > open_.size() + 1)
            ranges_ = 0;
        if (!line_.empty() && !open_.empty() && newline_before(t.begin))
            end_line();
        else if (!line_.empty() && closes && newline_before(t.begin))
            end_line();
        if (line_.empty())
            start_line(t.begin, !open_.empty() || closes, closes || closes_block);
        else if (space_before(t))
            line_ += ' ';
        line_ += t.text;
        note(t);
        previous_ = &t;
        printed_ = t.end;
        if (t.kind == TokenKind::Symbol && t.text == "{") {
            end_line();
            ++blocks_;
            opened_ = true;
        }
    }

    // What the token opens, and whether a range follows.
    void note(const Token& t) {
        unary_ = is_one_of(t.text, {"-", "~"}) && t.kind == TokenKind::Symbol && !ends_operand();
        if (t.kind == TokenKind::Symbol && is_one_of(t.text, {"(", "["}))
            open_.push_back({t.text == "[", 0});
        if (t.kind == TokenKind::TemplateOpen)
            ++templates_;
        if (t.kind == TokenKind::TemplateClose)
            --templates_;
        int& lets = open_.empty() ? lets_ : open_.back().lets;
        if (t.is("let"))
            ++lets;
        else if (t.is("in") && lets > 0)
            --lets;
        else if (t.is("in"))
            ranges_ = open_.size() + 1;
        else if (is_one_of(t.text, {",", "where", "{"}) && ranges_ == open_.size() + 1)
            ranges_ = 0;
    }

    // Whether the token before can end an operand, so that a `-` after it subtracts.
    bool ends_operand() const {
        if (!previous_)
            return false;
        switch (previous_->kind) {
        case TokenKind::Number:
        case TokenKind::TemplateClose:
        case TokenKind::NamePart: return true;
        case TokenKind::Name:
            return !is_keyword(previous_->text) ||
                   is_one_of(previous_->text, {"true", "false", "inf", "nan"});
        case TokenKind::Symbol: return is_one_of(previous_->text, {")", "]"});
        default: return false;
        }
    }

    // In indices, ranges and templates `+` and `-` stand close.
    bool tight() const {
        bool indexed =
            std::any_of(open_.begin(), open_.end(), [](const auto& o) { return o.square; });
        return indexed || templates_ > 0 || (ranges_ > 0 && ranges_ <= open_.size() + 1);
    }

    bool space_before(const Token& t) const {
        const auto& p = *previous_;
        if (t.kind == TokenKind::TemplateOpen || t.kind == TokenKind::TemplateClose ||
            t.kind == TokenKind::NamePart || p.kind == TokenKind::TemplateOpen)
            return false;
        if (t.kind == TokenKind::Symbol && is_one_of(t.text, {")", "]", ",", ":", ".", ".."}))
            return false;
        if (p.kind == TokenKind::Symbol && is_one_of(p.text, {"(", "[", ".", ".."}))
            return false;
        if (unary_)
            return false;
        if (t.kind == TokenKind::Symbol && is_one_of(t.text, {"(", "["}))
            return !ends_operand() && !is_function_name(p) &&
                   !(p.kind == TokenKind::Symbol && close_operator(p, true));
        return !close_operator(t, ends_operand()) &&
               !(p.kind == TokenKind::Symbol && close_operator(p, true));
    }

    static bool is_function_name(const Token& t) {
        return t.kind == TokenKind::Name && !is_keyword(t.text);
    }

    // Binary operators without spaces. An update's `max=` keeps its two tokens together.
    bool close_operator(const Token& t, bool binary) const {
        if (t.kind != TokenKind::Symbol)
            return false;
        if (t.is("=") && previous_ && (previous_->is("max") || previous_->is("min")))
            return true;
        if (!binary)
            return false;
        return is_one_of(t.text, {"**", "*", "/", "%"}) ||
               (is_one_of(t.text, {"+", "-"}) && tight());
    }

    struct Open {
        bool square = false;
        int lets = 0; // lets inside whose `in` has not come
    };

    const LexedText& text_;
    const std::string& source_;
    std::string out_;
    std::string line_;
    std::size_t printed_ = 0; // end of what was printed last
    std::size_t comment_ = 0;
    const Token* previous_ = nullptr;
    std::vector<Open> open_;
    int lets_ = 0;
    int blocks_ = 0;
    int statement_ = 0; // the statement's indentation as it was written
    int templates_ = 0;
    std::size_t ranges_ = 0; // 1 + the bracket depth of the range being printed; 0: none
    bool opened_ = false;    // a block was just opened
    bool unary_ = false;     // the token before is a unary operator
};

} // namespace

Result<std::string> format_pipeline_source(SourceFilePtr source) {
    Reporter reporter(source);
    auto text = lex_loop(source);
    parse_loop_syntax(text, reporter);
    if (reporter.error_count() > 0)
        return reporter.take();
    return LoopFormatter(text).run();
}

} // namespace loopscope
