#include "core/language/lexer.h"

#include <gtest/gtest.h>

namespace loopscope {
namespace {

LexedText lexed(const std::string& text, const LexOptions& options = {}) {
    return lex(std::make_shared<SourceFile>("t", text), options);
}

// Tokens as text: names in quotes are left bare, newlines are "\n", templates "<" and ">".
std::string shown(const LexedText& text) {
    std::string out;
    for (const auto& t : text.tokens) {
        if (t.kind == TokenKind::End)
            break;
        if (!out.empty())
            out += ' ';
        switch (t.kind) {
        case TokenKind::Newline: out += "/"; break;
        case TokenKind::TemplateOpen: out += "<"; break;
        case TokenKind::TemplateClose: out += ">"; break;
        case TokenKind::NamePart: out += "_" + std::string(t.text); break;
        case TokenKind::Number: out += "#" + std::string(t.text); break;
        default: out += t.text;
        }
    }
    return out;
}

TEST(Lexer, NamesNumbersAndSymbols) {
    EXPECT_EQ(shown(lexed("stage s_1[i] = 2**x<=3")), "stage s_1 [ i ] = #2 ** x <= #3 /");
    EXPECT_EQ(shown(lexed("a += b *= c == d != e << f >> g")), "a += b *= c == d != e << f >> g /");
}

TEST(Lexer, NumbersTakeFractionExponentAndSuffix) {
    EXPECT_EQ(shown(lexed("0xff 1.5 1e-5 1u8 0.5f16 2e3f32 1E+7")),
              "#0xff #1.5 #1e-5 #1u8 #0.5f16 #2e3f32 #1E+7 /");
}

TEST(Lexer, ARangeIsNoFraction) {
    EXPECT_EQ(shown(lexed("0..K")), "#0 .. K /");
    EXPECT_EQ(shown(lexed("0..10")), "#0 .. #10 /");
    EXPECT_EQ(shown(lexed("S[i].0")), "S [ i ] . #0 /");
}

TEST(Lexer, NewlinesEndStatementsUnlessABracketIsOpen) {
    EXPECT_EQ(shown(lexed("a\n\n\nb")), "a / b /");
    EXPECT_EQ(shown(lexed("a(\nb[\nc]\n)\nd")), "a ( b [ c ] ) / d /");
    EXPECT_EQ(shown(lexed("a {\nb\n}")), "a { / b / } /");
    EXPECT_EQ(shown(lexed("(\n{\na\n}\n)")), "( { / a / } ) /");
}

TEST(Lexer, CommentsAreKeptBeside) {
    auto text = lexed("# one\na # two\n  # three\n");
    EXPECT_EQ(shown(text), "a /");
    ASSERT_EQ(text.comments.size(), 3u);
    EXPECT_TRUE(text.comments[0].own_line);
    EXPECT_FALSE(text.comments[1].own_line);
    EXPECT_TRUE(text.comments[2].own_line);
    EXPECT_EQ(text.file->text().substr(text.comments[1].begin,
                                       text.comments[1].end - text.comments[1].begin),
              "# two");
}

TEST(Lexer, ABraceRightAfterANameIsATemplate) {
    EXPECT_EQ(shown(lexed("g{l-1}_x[y]")), "g < l - #1 > __x [ y ] /");
    EXPECT_EQ(shown(lexed("g{a}{b}2c")), "g < a > < b > _2c /");
    EXPECT_EQ(shown(lexed("for l in 0..7 {")), "for l in #0 .. #7 { /");
    EXPECT_EQ(shown(lexed("0..7{")), "#0 .. #7 { /");
    EXPECT_EQ(shown(lexed("f({")), "f ( { /");
    EXPECT_EQ(shown(lexed("0..N{ # a block\n}")), "#0 .. N { / } /");
}

TEST(Lexer, GluedTellsWhiteSpace) {
    auto text = lexed("st* x *");
    EXPECT_FALSE(text.tokens[0].glued);
    EXPECT_TRUE(text.tokens[1].glued);
    EXPECT_FALSE(text.tokens[2].glued);
    EXPECT_FALSE(text.tokens[3].glued);
}

TEST(Lexer, ByteOrderMarkAndCarriageReturnsAreAccepted) {
    auto text = lexed("\xEF\xBB\xBF"
                      "a # x\r\nb\r\n");
    EXPECT_EQ(shown(text), "a / b /");
    EXPECT_TRUE(text.errors.empty());
    EXPECT_EQ(text.comments[0].end - text.comments[0].begin, 3u);
}

TEST(Lexer, InvalidUtf8IsOneErrorAtItsPlace) {
    auto text = lexed("ab\n# \xC3\xA9 fine\nc \xFF\xFF d");
    ASSERT_EQ(text.errors.size(), 1u);
    EXPECT_EQ(text.errors[0].message, "byte 0xff is not valid UTF-8");
    EXPECT_EQ(text.errors[0].range.begin, 15u);
}

// A picture that is opened as a program is called a picture.
TEST(Lexer, FilesOfAnotherKindAreCalledWhatTheyAre) {
    const std::pair<const char*, const char*> kinds[] = {
        {"\x89PNG\r\n\x1a\n", "this is a PNG picture, and not a text"},
        {"\x93NUMPY\x01\xff", "this is an array of NumPy, and not a text"},
        {"\x7f"
         "ELF\xff",
         "this is a program, and not a text"}};
    for (const auto& [bytes, said] : kinds) {
        const auto text = lexed(bytes);
        ASSERT_EQ(text.errors.size(), 1u);
        EXPECT_EQ(text.errors[0].message, said);
        EXPECT_FALSE(text.errors[0].remedy.empty());
    }
    EXPECT_TRUE(lexed("PK").errors.empty()) << "a name that begins so is one";
}

TEST(Lexer, Utf8Validation) {
    EXPECT_EQ(find_invalid_utf8("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), std::string_view::npos);
    EXPECT_EQ(find_invalid_utf8("a\xC0\x80"), 1u);        // overlong
    EXPECT_EQ(find_invalid_utf8("\xE0\x80\x80"), 0u);     // overlong
    EXPECT_EQ(find_invalid_utf8("\xED\xA0\x80"), 0u);     // a surrogate
    EXPECT_EQ(find_invalid_utf8("\xF4\x90\x80\x80"), 0u); // above U+10FFFF
    EXPECT_EQ(find_invalid_utf8("ab\xE2\x82"), 2u);       // cut off
    EXPECT_EQ(find_invalid_utf8("\x80"), 0u);
}

TEST(Lexer, UnexpectedCharactersInARowAreOneError) {
    auto text = lexed("a $$$ b @ c");
    ASSERT_EQ(text.errors.size(), 2u);
    EXPECT_EQ(text.errors[0].message, "unexpected character '$'");
    EXPECT_EQ(shown(text), "a b c /");
    EXPECT_EQ(lexed("a é").errors[0].message, "unexpected character 'é'");
    EXPECT_EQ(lexed("a; b").errors[0].remedy, "a statement ends with its line");
    EXPECT_EQ(lexed("!a").errors[0].message, "'!' is no operator");
}

TEST(Lexer, AStatementWordEndsABracketThatWasNeverClosed) {
    LexOptions options;
    options.statement_words = {"stage"};
    EXPECT_EQ(shown(lexed("a (b\nstage c", options)), "a ( b / stage c /");
    EXPECT_EQ(shown(lexed("a (b\nc stage", options)), "a ( b c stage /");
}

TEST(Lexer, TokensAreLimited) {
    LexOptions options;
    options.token_limit = 10;
    auto text = lexed("a b c d e f g h i j k l m", options);
    ASSERT_EQ(text.errors.size(), 1u);
    EXPECT_EQ(text.errors[0].message, "the file has more than 10 tokens");
    EXPECT_EQ(text.tokens.back().kind, TokenKind::End);
}

TEST(Lexer, EmptyTextHasOnlyAnEnd) {
    for (const char* text : {"", "\n\n", "# only a comment", "  \t\r\n"}) {
        auto tokens = lexed(text).tokens;
        ASSERT_EQ(tokens.size(), 1u) << text;
        EXPECT_EQ(tokens[0].kind, TokenKind::End);
    }
}

} // namespace
} // namespace loopscope
