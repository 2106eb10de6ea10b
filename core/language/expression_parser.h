#pragma once
// Parses expressions and names from tokens. A null result means that an error was reported.

#include "core/language/loop_syntax.h"

namespace loopscope {

class ExpressionParser {
public:
    ExpressionParser(const LexedText& text, Reporter& reporter)
        : tokens_(text.tokens), lexical_(text.errors), reporter_(reporter) {}

protected:
    const Token& peek(std::size_t ahead = 0) const {
        return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
    }
    const Token& previous() const { return tokens_[at_ > 0 ? at_ - 1 : 0]; }
    bool at(std::string_view text) const { return peek().is(text); }
    bool accept(std::string_view text);
    const Token& take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
    // Takes the closing bracket of `open`, or reports that it is missing.
    bool close(const Token& open, std::string_view bracket);
    bool expect(std::string_view text, std::string_view after);
    // Reports "expected WHAT, found 'x'"; always false. Words and signs of other languages have a
    // remedy of their own.
    bool fail_expected(std::string_view what, std::string remedy = {});
    // The remedy of the word or the sign at hand, if it is another language's; else empty.
    std::string foreign_here() const;

    // Whether the lexer already reported something in between.
    bool has_lexical_error(std::size_t begin, std::size_t end) const;

    static ast::Span span(const Token& t) { return {t.begin, t.end}; }
    ast::Span span_from(std::uint32_t begin) const {
        return {begin, std::max(begin, previous().end)};
    }

    // A name with its templates. `what` is for the message: "a stage's name". Reserved words are
    // refused.
    bool name(ast::Name& out, std::string_view what);
    // The same for axes, lets and parameters, which take no template.
    bool plain_name(ast::Name& out, std::string_view what);
    ast::ExprPtr expression();
    bool expressions(std::vector<ast::ExprPtr>& out, const Token& open, std::string_view bracket);
    // False, with an error, if there are more than `limit` of them.
    bool few(std::size_t count, std::size_t limit, const std::string& what);
    // False, with an error, for a tuple of one component.
    bool many_components(std::size_t count, ast::Span at, const char* remedy);
    // NAME in BEGIN..END {, …}
    bool axes(std::vector<ast::Axis>& out);
    bool axis(ast::Axis& out);
    bool range(ast::ExprPtr& begin, ast::ExprPtr& end);

    // Counts nesting while it lives; false when too deep, reported.
    class Nesting {
    public:
        explicit Nesting(ExpressionParser& parser) : parser_(parser) { ++parser_.depth_; }
        ~Nesting() { --parser_.depth_; }
        Nesting(const Nesting&) = delete;
        Nesting& operator=(const Nesting&) = delete;
        bool ok();

    private:
        ExpressionParser& parser_;
    };

    const std::vector<Token>& tokens_;
    const Diagnostics& lexical_; // in the order of the text
    Reporter& reporter_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::size_t statement_ = 0; // where the statement begins
    bool too_deep_ = false;

private:
    ast::ExprPtr binary(int least);
    ast::ExprPtr operand(int least);
    ast::ExprPtr prefixed(Op op, int operand_level);
    ast::ExprPtr power();
    ast::ExprPtr postfix();
    ast::ExprPtr indexed(ast::ExprPtr base);
    bool component(ast::Expr& e);
    ast::ExprPtr primary();
    ast::ExprPtr parenthesised();
    ast::ExprPtr named();
    ast::ExprPtr call(ast::Name name);
    ast::ExprPtr reduction(ast::Name name);
    ast::ExprPtr let_in();
    // Sets the span and the depth of a node whose arguments are all there.
    ast::ExprPtr finish(ast::ExprPtr e, std::uint32_t begin);
    bool template_parts(ast::Name& out);
};

} // namespace loopscope
