#include "core/language/lexer.h"

#include "core/base/foreign_words.h"
#include "core/language/limits.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

namespace loopscope {

namespace {

// Longer symbols first, so that the first match is the longest.
constexpr auto kSymbols = std::to_array<std::string_view>({"**", "..", "==", "!=", "<=", ">=", "<<",
                                                           ">>", "+=", "-=", "*=", "/=", "(",  ")",
                                                           "[",  "]",  "{",  "}",  ",",  ":",  ".",
                                                           "=",  "<",  ">",  "+",  "-",  "*",  "/",
                                                           "%",  "&",  "|",  "^",  "~",  "!"});

// What a file of bytes is, by how it begins, and where it belongs.
struct BinaryKind {
    std::string_view begins;
    const char* what;
    const char* remedy;
};
constexpr BinaryKind kBinaryKinds[] = {
    {"\x89PNG", "a PNG picture",
     "a picture is an input of a pipeline: `loopscope-cli run P.loop --input NAME=FILE.png`"},
    {"\x93NUMPY", "an array of NumPy",
     "an array is an input of a pipeline: `loopscope-cli run P.loop --input NAME=FILE.npy`"},
    {"\xff\xd8\xff", "a JPEG picture", "inputs are read from .png and .npy files"},
    {"SQLite format 3", "a database", "a Loopscope document has the name's end .loopscope"},
    {"\x7f"
     "ELF",
     "a program", "open a .loop, a .sched or a .loopscope file"},
    {"PK\x03\x04", "an archive", "unpack it, and open a .loop, a .sched or a .loopscope file"},
    {"\x1f\x8b", "a compressed file", "unpack it (gunzip)"},
    {"%PDF", "a PDF document", "open a .loop, a .sched or a .loopscope file"}};

const BinaryKind* binary_kind(std::string_view text) {
    const auto* found =
        std::find_if(std::begin(kBinaryKinds), std::end(kBinaryKinds),
                     [&](const BinaryKind& kind) { return text.starts_with(kind.begins); });
    return found == std::end(kBinaryKinds) ? nullptr : found;
}

std::size_t utf8_length(unsigned char first) {
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first <= 0xDF)
        return 2;
    if (first >= 0xE0 && first <= 0xEF)
        return 3;
    if (first >= 0xF0 && first <= 0xF4)
        return 4;
    return 0;
}

class Lexer {
public:
    Lexer(const SourceFilePtr& file, const LexOptions& options)
        : text_(file->text()), options_(options) {
        out_.file = file;
    }

    LexedText run() {
        if (!check_encoding())
            return finish();
        if (text_.substr(0, 3) == "\xEF\xBB\xBF")
            at_ = 3;
        while (at_ < text_.size() && out_.errors.size() < kErrorLimit) {
            if (out_.tokens.size() >= options_.token_limit) {
                fail(at_, at_ + 1,
                     "the file has more than " + std::to_string(options_.token_limit) + " tokens",
                     "split it");
                break;
            }
            step();
        }
        return finish();
    }

private:
    char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }

    void fail(std::size_t begin, std::size_t end, std::string message, std::string remedy = {}) {
        out_.errors.push_back({Severity::Error,
                               std::move(message),
                               {out_.file, begin, end},
                               std::move(remedy),
                               "lexical"});
    }

    bool check_encoding() {
        if (text_.size() > std::numeric_limits<std::uint32_t>::max() / 2) {
            fail(0, 0, "the file is larger than 2 GiB");
            return false;
        }
        auto invalid = find_invalid_utf8(text_);
        if (invalid == std::string_view::npos)
            return true;
        if (const auto* kind = binary_kind(text_)) {
            fail(0, 0, std::string("this is ") + kind->what + ", and not a text", kind->remedy);
            return false;
        }
        char byte[8];
        std::snprintf(byte, sizeof byte, "0x%02x", static_cast<unsigned char>(text_[invalid]));
        fail(invalid, invalid + 1, std::string("byte ") + byte + " is not valid UTF-8",
             "save the file as UTF-8 text");
        return false;
    }

    LexedText finish() {
        at_ = text_.size();
        if (!out_.tokens.empty() && out_.tokens.back().kind != TokenKind::Newline)
            push(TokenKind::Newline, at_, at_);
        push(TokenKind::End, at_, at_);
        return std::move(out_);
    }

    void push(TokenKind kind, std::size_t begin, std::size_t end) {
        Token t;
        t.kind = kind;
        t.begin = static_cast<std::uint32_t>(begin);
        t.end = static_cast<std::uint32_t>(end);
        t.glued = !out_.tokens.empty() && out_.tokens.back().kind != TokenKind::Newline &&
                  previous_end_ == begin;
        if (kind != TokenKind::Newline && kind != TokenKind::End)
            t.text = text_.substr(begin, end - begin);
        out_.tokens.push_back(t);
        previous_end_ = end;
    }

    void step() {
        char c = peek();
        if (c == '\n' || (c == '\r' && peek(1) == '\n'))
            return line_end();
        if (c == ' ' || c == '\t') {
            ++at_;
            return;
        }
        if (c == '#')
            return comment();
        if (is_name_start(c) || is_digit(c)) {
            bool part = !out_.tokens.empty() &&
                        out_.tokens.back().kind == TokenKind::TemplateClose && previous_end_ == at_;
            if (part || is_name_start(c))
                return name(part);
            return number();
        }
        for (auto symbol : kSymbols)
            if (symbol != "!" && text_.compare(at_, symbol.size(), symbol) == 0)
                return this->symbol(symbol);
        unexpected();
    }

    void line_end() {
        bool inside = !open_.empty() && (open_.back() == '(' || open_.back() == '[');
        if (!inside && !out_.tokens.empty() && out_.tokens.back().kind != TokenKind::Newline)
            push(TokenKind::Newline, at_, at_);
        at_ += peek() == '\r' ? 2 : 1;
        blank_so_far_ = true;
    }

    void comment() {
        auto end = std::min(text_.find('\n', at_), text_.size());
        auto stop = end > at_ && end < text_.size() && text_[end - 1] == '\r' ? end - 1 : end;
        out_.comments.push_back(
            {static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(stop), blank_so_far_});
        at_ = stop;
    }

    void name(bool part) {
        auto begin = at_;
        while (is_name_letter(peek()))
            ++at_;
        if (!part && blank_so_far_)
            close_unfinished(begin, text_.substr(begin, at_ - begin));
        blank_so_far_ = false;
        push(part ? TokenKind::NamePart : TokenKind::Name, begin, at_);
    }

    // A statement's first word at the start of a line inside an open bracket: the bracket was never
    // closed.
    void close_unfinished(std::size_t begin, std::string_view word) {
        if (open_.empty() || open_.back() == '{' ||
            std::find(options_.statement_words.begin(), options_.statement_words.end(), word) ==
                options_.statement_words.end())
            return;
        while (!open_.empty() && open_.back() != '{')
            open_.pop_back();
        if (out_.tokens.back().kind != TokenKind::Newline)
            push(TokenKind::Newline, begin, begin);
    }

    // Takes every letter that is glued on, so that a wrong suffix is one error at one place.
    void number() {
        auto begin = at_;
        if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
            at_ += 2;
            while (is_name_letter(peek()))
                ++at_;
        } else {
            digits();
            if (peek() == '.' && is_digit(peek(1))) {
                ++at_;
                digits();
            }
            bool sign = peek(1) == '+' || peek(1) == '-';
            if ((peek() == 'e' || peek() == 'E') && is_digit(peek(sign ? 2 : 1))) {
                at_ += sign ? 2 : 1;
                digits();
            }
            while (is_name_letter(peek()))
                ++at_;
        }
        blank_so_far_ = false;
        push(TokenKind::Number, begin, at_);
    }

    void digits() {
        while (is_digit(peek()))
            ++at_;
    }

    void symbol(std::string_view symbol) {
        auto begin = at_;
        at_ += symbol.size();
        blank_so_far_ = false;
        auto kind = TokenKind::Symbol;
        char c = symbol.size() == 1 ? symbol[0] : '\0';
        if (c == '{') {
            bool after_name = begin > 0 && previous_end_ == begin && !out_.tokens.empty() &&
                              (out_.tokens.back().kind == TokenKind::Name ||
                               out_.tokens.back().kind == TokenKind::NamePart ||
                               out_.tokens.back().kind == TokenKind::TemplateClose);
            if (after_name && !ends_line() && !is_statement_word(out_.tokens.back()))
                kind = TokenKind::TemplateOpen;
            open_.push_back(kind == TokenKind::TemplateOpen ? 't' : '{');
        } else if (c == '(' || c == '[') {
            open_.push_back(c);
        } else if (c == ')' || c == ']') {
            if (!open_.empty() && open_.back() == (c == ')' ? '(' : '['))
                open_.pop_back();
        } else if (c == '}' && !open_.empty()) {
            close_brace(kind);
        }
        push(kind, begin, at_);
    }

    // "else{": a word that is no name takes no template.
    bool is_statement_word(const Token& t) const {
        const auto& words = options_.statement_words;
        return t.kind == TokenKind::Name &&
               std::find(words.begin(), words.end(), t.text) != words.end();
    }

    // Nothing but white space and a comment up to the line's end: no template is meant, but a
    // block.
    bool ends_line() const {
        auto next = text_.find_first_not_of(" \t\r", at_);
        return next == std::string_view::npos || text_[next] == '\n' || text_[next] == '#';
    }

    void close_brace(TokenKind& kind) {
        // Inside ( or [ a `}` closes nothing, unless a brace is open around: then the bracket was
        // never closed.
        auto brace =
            std::find_if(open_.rbegin(), open_.rend(), [](char c) { return c == 't' || c == '{'; });
        if (brace == open_.rend())
            return;
        if (*brace == 't')
            kind = TokenKind::TemplateClose;
        open_.erase((brace + 1).base(), open_.end());
    }

    void unexpected() {
        auto begin = at_;
        auto shown = text_.substr(at_, utf8_length(static_cast<unsigned char>(text_[at_])));
        auto odd = [&] {
            char c = peek();
            return at_ < text_.size() && c != '\n' && c != ' ' && c != '\t' && c != '#' &&
                   !is_name_letter(c) &&
                   std::none_of(
                       kSymbols.begin(), kSymbols.end(),
                       [&](auto s) { return s != "!" && s[0] == c; });
        };
        while (odd())
            ++at_;
        at_ = std::max(at_, begin + 1);
        blank_so_far_ = false;
        unsigned char first = static_cast<unsigned char>(shown[0]);
        auto remedy = foreign_remedy(ForeignPlace::Sign, shown);
        if (remedy.empty() && options_.expressions)
            remedy = foreign_remedy(ForeignPlace::Operator, shown);
        if (first == '!' || (first == '?' && options_.expressions))
            fail(begin, at_, "'" + std::string(shown) + "' is no operator", std::move(remedy));
        else if (first == ';')
            fail(begin, at_, "unexpected ';'", std::move(remedy));
        else if (first < 0x20 || first == 0x7f)
            fail(begin, at_, "unexpected control character " + std::to_string(first), "remove it");
        else
            fail(begin, at_, "unexpected character '" + std::string(shown) + "'",
                 first >= 0x80
                     ? "names are ASCII letters, digits and '_'; other text belongs in comments"
                     : std::move(remedy));
    }

    std::string_view text_;
    const LexOptions& options_;
    LexedText out_;
    std::size_t at_ = 0;
    std::size_t previous_end_ = 0;
    bool blank_so_far_ = true; // only white space so far on this line
    std::vector<char> open_;   // '(', '[', '{' for a block, 't' for a template
};

} // namespace

LexedText lex(const SourceFilePtr& file, const LexOptions& options) {
    return Lexer(file, options).run();
}

std::string foreign_sign(const Token& before, const Token& here, const Token& next) {
    auto together = [](const Token& a, const Token& b) {
        return a.kind == TokenKind::Symbol && b.kind == TokenKind::Symbol && b.glued
                   ? foreign_remedy(ForeignPlace::Sign, std::string(a.text) + std::string(b.text))
                   : std::string();
    };
    auto remedy = together(before, here);
    return remedy.empty() ? together(here, next) : remedy;
}

std::size_t find_invalid_utf8(std::string_view text) {
    auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    for (std::size_t i = 0; i < text.size();) {
        auto length = utf8_length(byte(i));
        if (length == 0 || i + length > text.size())
            return i;
        for (std::size_t k = 1; k < length; ++k)
            if ((byte(i + k) & 0xC0) != 0x80)
                return i;
        // Overlong forms, surrogates, and code points above U+10FFFF.
        if (length > 2) {
            unsigned second = byte(i + 1);
            bool bad = (byte(i) == 0xE0 && second < 0xA0) || (byte(i) == 0xED && second > 0x9F) ||
                       (byte(i) == 0xF0 && second < 0x90) || (byte(i) == 0xF4 && second > 0x8F);
            if (bad)
                return i;
        }
        i += length;
    }
    return std::string_view::npos;
}

} // namespace loopscope
