#pragma once
// Tokens of the two languages, `.loop` and `.sched` (languages.md, "Lexical rules").
//
// UTF-8 text; a byte-order mark and CRLF are accepted; `#` starts a comment; a statement ends with
// its line unless a `(` or `[` is open. A `{` right after a name's letter opens a template
// (`g{l-1}`), any other opens a block.

#include "core/base/diagnostic.h"
#include "core/base/source.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace loopscope {

enum class TokenKind : std::uint8_t {
    End,           // once, last; always preceded by a Newline if there is any other token
    Newline,       // ends a statement; never first, never two in a row, never inside ( or [
    Name,          // ASCII letters, digits, `_`, not starting with a digit; keywords too
    Number,        // digits, fraction, exponent, 0x…, and a type suffix, if any, all in one text
    Symbol,        // ( ) [ ] { } , : . .. = == != < <= > >= << >> + - * ** / % & | ^ ~ += -= *= /=
    TemplateOpen,  // `{` right after a name (or after a template's `}`), unless it ends its line
    TemplateClose, // the `}` that closes it
    NamePart,      // letters and digits right after a TemplateClose: the "_x" of `g{l}_x`
};

struct Token {
    TokenKind kind = TokenKind::End;
    bool glued = false;      // no white space between the token before and this one
    std::uint32_t begin = 0; // bytes [begin, end) of the text
    std::uint32_t end = 0;
    std::string_view text; // points into the SourceFile; empty for Newline and End

    bool is(std::string_view symbol_or_name) const {
        return (kind == TokenKind::Symbol || kind == TokenKind::Name) && text == symbol_or_name;
    }
};

// A comment from its `#` up to, not including, the line end.
struct Comment {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool own_line = false; // nothing but white space before it on its line
};

struct LexOptions {
    // Words that only ever start a statement. One at the start of a line ends an open `(` or `[`,
    // so that a bracket that was never closed spoils one statement and not the rest of the file.
    std::vector<std::string_view> statement_words;
    std::size_t token_limit = 1'000'000;
    bool expressions = true; // the language has some: signs of theirs are told what they are here
};

struct LexedText {
    SourceFilePtr file;
    std::vector<Token> tokens; // never empty
    std::vector<Comment> comments;
    Diagnostics errors; // invalid UTF-8, unexpected characters, malformed numbers, limits

    SourceRange range(const Token& token) const { return {file, token.begin, token.end}; }
    SourceRange range(const Token& first, const Token& last) const {
        return {file, first.begin, last.end};
    }
};

// Never throws and never recurses; with errors, the tokens are what could be read.
LexedText lex(const SourceFilePtr& file, const LexOptions& options = {});

// The remedy for two signs of ours that are one of another language, such as `&&`: `here` is the
// one that could not be read, with the tokens around it. Empty: they are no such sign
// (foreign_words.h).
std::string foreign_sign(const Token& before, const Token& here, const Token& next);

constexpr bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_name_letter(char c) { return is_name_start(c) || is_digit(c); }

// The offset of the first byte that is not valid UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view text);

} // namespace loopscope
