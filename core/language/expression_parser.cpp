// Longer than files are here: one recursive descent, whose rules share the place and its errors.

#include "core/language/expression_parser.h"

#include "core/base/foreign_words.h"
#include "core/language/words.h"

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

// Levels of languages.md, "Operators"; a greater level binds tighter.
enum Level : int {
    kOr = 1,
    kAnd,
    kNot,
    kComparison,
    kBitOr,
    kBitXor,
    kBitAnd,
    kShift,
    kAdditive,
    kMultiplicative,
    kUnary
};

struct BinaryOperator {
    std::string_view text;
    Op op;
    int level;
};
constexpr BinaryOperator kOperators[] = {
    {"or", Op::LogicalOr, kOr},         {"and", Op::LogicalAnd, kAnd},
    {"<", Op::Less, kComparison},       {"<=", Op::LessEqual, kComparison},
    {">", Op::Greater, kComparison},    {">=", Op::GreaterEqual, kComparison},
    {"==", Op::Equal, kComparison},     {"!=", Op::NotEqual, kComparison},
    {"|", Op::BitOr, kBitOr},           {"^", Op::BitXor, kBitXor},
    {"&", Op::BitAnd, kBitAnd},         {"<<", Op::ShiftLeft, kShift},
    {">>", Op::ShiftRight, kShift},     {"+", Op::Add, kAdditive},
    {"-", Op::Subtract, kAdditive},     {"*", Op::Multiply, kMultiplicative},
    {"/", Op::Divide, kMultiplicative}, {"%", Op::Modulo, kMultiplicative},
};

const BinaryOperator* binary_operator(const Token& token) {
    if (token.kind != TokenKind::Symbol && token.kind != TokenKind::Name)
        return nullptr;
    for (const auto& o : kOperators)
        if (token.text == o.text)
            return &o;
    return nullptr;
}

ast::ExprPtr node(ast::ExprKind kind, ast::Span span) {
    auto e = std::make_unique<ast::Expr>();
    e->kind = kind;
    e->span = span;
    return e;
}

} // namespace

bool ExpressionParser::accept(std::string_view text) {
    if (!at(text))
        return false;
    take();
    return true;
}

bool ExpressionParser::has_lexical_error(std::size_t begin, std::size_t end) const {
    auto first = std::lower_bound(
        lexical_.begin(), lexical_.end(), begin,
        [](const Diagnostic& d, std::size_t place) { return d.range.begin < place; });
    return first != lexical_.end() && first->range.begin < end;
}

bool ExpressionParser::fail_expected(std::string_view what, std::string remedy) {
    const auto& t = peek();
    // the character that is no token is the cause
    if (has_lexical_error(statement_, t.end))
        return false;
    std::string found = t.kind == TokenKind::Newline ? "the end of the line"
                        : t.kind == TokenKind::End   ? "the end of the file"
                                                   : "'" + std::string(t.text.substr(0, 40)) + "'";
    auto foreign = foreign_here();
    reporter_.error(span(t), "expected " + std::string(what) + ", found " + found,
                    foreign.empty() ? std::move(remedy) : std::move(foreign), "syntax");
    return false;
}

std::string ExpressionParser::foreign_here() const {
    return peek().kind == TokenKind::Name ? foreign_remedy(ForeignPlace::Operator, peek().text)
                                          : foreign_sign(previous(), peek(), peek(1));
}

bool ExpressionParser::expect(std::string_view text, std::string_view after) {
    if (accept(text))
        return true;
    return fail_expected("'" + std::string(text) + "' " + std::string(after),
                         text == "[" ? foreign_remedy(ForeignPlace::Bracket, peek().text) : "");
}

bool ExpressionParser::close(const Token& open, std::string_view bracket) {
    if (accept(bracket))
        return true;
    if (peek().kind == TokenKind::Newline || peek().kind == TokenKind::End) {
        // what was too deep was not read to its end
        if (too_deep_)
            return false;
        reporter_.error(span(open), "the '" + std::string(open.text) + "' is never closed",
                        "add the '" + std::string(bracket) + "'", "syntax");
        return false;
    }
    return fail_expected("'" + std::string(bracket) + "' to close the '" + std::string(open.text) +
                         "' of " + reporter_.place(span(open)));
}

bool ExpressionParser::Nesting::ok() {
    if (parser_.depth_ <= kNestingLimit)
        return true;
    // told once: what is as deep again has the same cause
    if (std::exchange(parser_.too_deep_, true))
        return false;
    parser_.reporter_.error(span(parser_.peek()),
                            "nested more than " + std::to_string(kNestingLimit) + " levels deep",
                            "split it into several stages or defs", "limit");
    return false;
}

bool ExpressionParser::name(ast::Name& out, std::string_view what) {
    const auto& t = peek();
    if (t.kind != TokenKind::Name)
        return fail_expected(what);
    if (is_reserved(t.text)) {
        reporter_.error(
            span(t),
            "'" + std::string(t.text) + "' is a reserved word and cannot be " + std::string(what),
            "take another name, such as '" + std::string(t.text) + "_1'", "reserved-name");
        return false;
    }
    if (t.text.size() > 255) {
        reporter_.error(span(t), "a name has at most 255 letters", {}, "limit");
        return false;
    }
    take();
    out.span = span(t);
    out.text = t.text;
    return template_parts(out);
}

bool ExpressionParser::plain_name(ast::Name& out, std::string_view what) {
    if (!name(out, what))
        return false;
    if (out.is_template())
        reporter_.error(out.span, std::string(what) + " takes no template", "write the name itself",
                        "syntax");
    return !out.is_template();
}

bool ExpressionParser::template_parts(ast::Name& out) {
    while (peek().kind == TokenKind::TemplateOpen) {
        if (peek(1).kind == TokenKind::Newline || is_statement_word(peek(1).text)) {
            reporter_.error(span(peek()), "a '{' right after a name opens a template",
                            "put a space before it to open a block", "syntax");
            return false;
        }
        take();
        ast::TemplatePart part;
        part.value = expression();
        if (!part.value)
            return false;
        if (peek().kind != TokenKind::TemplateClose)
            return fail_expected("'}' to close the template");
        take();
        if (peek().kind == TokenKind::NamePart)
            part.text_after = take().text;
        out.parts.push_back(std::move(part));
        out.span.end = previous().end;
    }
    return true;
}

ast::ExprPtr ExpressionParser::finish(ast::ExprPtr e, std::uint32_t begin) {
    e->span = span_from(begin);
    int depth = 0;
    for (const auto& a : e->args)
        depth = std::max<int>(depth, a->depth);
    if (depth >= kDepthLimit) {
        reporter_.error(span(previous()),
                        "more than " + std::to_string(kDepthLimit) +
                            " operators one inside the other",
                        "split the expression into several stages", "limit");
        return nullptr;
    }
    e->depth = static_cast<std::uint16_t>(depth + 1);
    return e;
}

ast::ExprPtr ExpressionParser::expression() {
    Nesting nesting(*this);
    if (!nesting.ok())
        return nullptr;
    return at("let") ? let_in() : binary(kOr);
}

ast::ExprPtr ExpressionParser::let_in() {
    auto begin = take().begin;
    ast::Name bound;
    if (!plain_name(bound, "a let's name") || !expect("=", "after the let's name"))
        return nullptr;
    auto value = expression();
    if (!value || !expect("in", "after the let's value"))
        return nullptr;
    auto body = expression();
    if (!body)
        return nullptr;
    auto e = node(ast::ExprKind::Let, {});
    e->name = std::move(bound);
    e->args.push_back(std::move(value));
    e->args.push_back(std::move(body));
    return finish(std::move(e), begin);
}

// Operators of `least` and tighter, left-associative.
ast::ExprPtr ExpressionParser::binary(int least) {
    auto begin = peek().begin;
    auto left = operand(least);
    bool compared = false;
    while (left) {
        const auto* o = binary_operator(peek());
        if (!o || o->level < least)
            break;
        const auto& symbol = take();
        if (compared && o->level == kComparison) {
            auto foreign = foreign_remedy(ForeignPlace::Word, left->args[0]->name.text); // cast<T>
            reporter_.error(span(symbol), "comparisons do not chain",
                            foreign.empty() ? "write a < b and b < c" : std::move(foreign),
                            "syntax");
            return nullptr;
        }
        auto right = binary(o->level + 1);
        if (!right)
            return nullptr;
        compared = o->level == kComparison;
        auto e = node(ast::ExprKind::Binary, {});
        e->op = o->op;
        e->args.push_back(std::move(left));
        e->args.push_back(std::move(right));
        left = finish(std::move(e), begin);
    }
    return left;
}

ast::ExprPtr ExpressionParser::operand(int least) {
    if (at("not")) {
        if (least <= kNot)
            return prefixed(Op::LogicalNot, kNot);
        reporter_.error(span(peek()), "'not' binds less tightly than the operator before it",
                        "put it in parentheses: (not …)", "syntax");
        return nullptr;
    }
    if (at("-"))
        return prefixed(Op::Negate, kUnary);
    if (at("~"))
        return prefixed(Op::BitNot, kUnary);
    if (at("+")) {
        auto foreign = foreign_here();
        reporter_.error(span(peek()), "there is no unary '+'",
                        foreign.empty() ? "leave it out" : std::move(foreign), "syntax");
        return nullptr;
    }
    return power();
}

ast::ExprPtr ExpressionParser::prefixed(Op op, int operand_level) {
    Nesting nesting(*this);
    if (!nesting.ok())
        return nullptr;
    auto begin = take().begin;
    auto value = operand_level == kNot ? binary(kNot) : operand(kUnary);
    if (!value)
        return nullptr;
    auto e = node(ast::ExprKind::Unary, {});
    e->op = op;
    e->args.push_back(std::move(value));
    return finish(std::move(e), begin);
}

// base ** exponent, right-associative; the exponent may have a sign of its own.
ast::ExprPtr ExpressionParser::power() {
    auto begin = peek().begin;
    auto base = postfix();
    if (!base || !at("**"))
        return base;
    Nesting nesting(*this);
    if (!nesting.ok())
        return nullptr;
    take();
    auto exponent = operand(kUnary);
    if (!exponent)
        return nullptr;
    auto e = node(ast::ExprKind::Power, {});
    e->args.push_back(std::move(base));
    e->args.push_back(std::move(exponent));
    return finish(std::move(e), begin);
}

ast::ExprPtr ExpressionParser::postfix() {
    auto e = primary();
    while (e && at("["))
        e = indexed(std::move(e));
    if (e && at(".") && peek().glued) {
        if (e->kind != ast::ExprKind::Index) {
            const auto& member = peek(1).text;
            const bool module = e->kind == ast::ExprKind::Name && is_function(member);
            reporter_.error(span(peek()), "a '.' reads a component of a stage, as in S[i].0",
                            module ? "write " + std::string(member) + "(…)"
                                   : "make what is before it a stage of its own",
                            "syntax");
            return nullptr;
        }
        if (!component(*e))
            return nullptr;
    }
    return e;
}

ast::ExprPtr ExpressionParser::indexed(ast::ExprPtr base) {
    if (base->kind != ast::ExprKind::Name && base->kind != ast::ExprKind::Call) {
        reporter_.error(span(peek()), "only a stage, an input or a def can be indexed",
                        foreign_here(), "syntax");
        return nullptr;
    }
    auto begin = base->span.begin;
    const auto& open = take();
    auto e = node(ast::ExprKind::Index, {});
    e->args.push_back(std::move(base));
    if (!expressions(e->args, open, "]"))
        return nullptr;
    return finish(std::move(e), begin);
}

bool ExpressionParser::component(ast::Expr& e) {
    take();
    const auto& number = peek();
    bool small = number.kind == TokenKind::Number && number.text.size() <= 4 &&
                 std::all_of(number.text.begin(), number.text.end(), is_digit);
    if (!small)
        return fail_expected("the number of a tuple's component, as in S[i].0",
                             foreign_remedy(ForeignPlace::Word, number.text));
    take();
    e.component = std::stoi(std::string(number.text));
    e.span.end = number.end;
    return true;
}

ast::ExprPtr ExpressionParser::primary() {
    const auto& t = peek();
    if (t.kind == TokenKind::Number) {
        take();
        return node(ast::ExprKind::Number, span(t));
    }
    if (at("("))
        return parenthesised();
    if (at("true") || at("false") || at("inf") || at("nan")) {
        take();
        auto e = node(ast::ExprKind::Literal, span(t));
        e->name.text = t.text;
        e->name.span = span(t);
        return e;
    }
    if (at("let")) {
        reporter_.error(span(t), "a let after an operator needs parentheses", "write (let … in …)",
                        "syntax");
        return nullptr;
    }
    if (at(".") && peek(1).kind == TokenKind::Number) {
        reporter_.error(span(t), "a number starts with a digit",
                        "write 0." + std::string(peek(1).text), "syntax");
        return nullptr;
    }
    if (t.kind == TokenKind::Name && !is_keyword(t.text))
        return named();
    fail_expected("an expression");
    return nullptr;
}

ast::ExprPtr ExpressionParser::parenthesised() {
    const auto& open = take();
    auto inner = expression();
    if (!inner)
        return nullptr;
    if (!at(",")) {
        if (!close(open, ")"))
            return nullptr;
        return inner;
    }
    auto e = node(ast::ExprKind::Tuple, {});
    e->args.push_back(std::move(inner));
    take();
    if (!expressions(e->args, open, ")") ||
        !few(e->args.size(), kTupleLimit, "components in a tuple") ||
        !many_components(e->args.size(), span_from(open.begin), "write the value without a comma"))
        return nullptr;
    return finish(std::move(e), open.begin);
}

// A variable, a call, or a reduction. Function and type names are words of their own and take no
// template.
ast::ExprPtr ExpressionParser::named() {
    const auto& t = peek();
    ast::Name callee;
    if (is_reserved(t.text)) {
        take();
        callee.span = span(t);
        callee.text = t.text;
        if (is_reduction(t.text) && at("["))
            return reduction(std::move(callee));
    } else if (!name(callee, "a name")) {
        return nullptr;
    }
    if (at("("))
        return call(std::move(callee));
    auto e = node(ast::ExprKind::Name, callee.span);
    e->name = std::move(callee);
    return e;
}

ast::ExprPtr ExpressionParser::call(ast::Name callee) {
    const auto& open = take();
    auto e = node(ast::ExprKind::Call, {});
    auto begin = callee.span.begin;
    e->name = std::move(callee);
    if (!expressions(e->args, open, ")"))
        return nullptr;
    return finish(std::move(e), begin);
}

ast::ExprPtr ExpressionParser::reduction(ast::Name which) {
    auto e = node(ast::ExprKind::Reduction, {});
    auto begin = which.span.begin;
    auto word = std::string(which.text);
    e->name = std::move(which);
    e->axes = std::make_unique<std::vector<ast::Axis>>();
    const auto& open = take();
    if (!axes(*e->axes))
        return nullptr;
    ast::ExprPtr condition;
    if (accept("where")) {
        condition = expression();
        if (!condition)
            return nullptr;
    }
    if (!close(open, "]"))
        return nullptr;
    const auto& body_open = peek();
    if (!expect("(", "and the body of the reduction: " + word + "[k in 0..K](…)"))
        return nullptr;
    auto body = expression();
    if (!body || !close(body_open, ")"))
        return nullptr;
    e->args.push_back(std::move(body));
    if (condition)
        e->args.push_back(std::move(condition));
    return finish(std::move(e), begin);
}

bool ExpressionParser::expressions(std::vector<ast::ExprPtr>& out, const Token& open,
                                   std::string_view bracket) {
    if (accept(bracket))
        return true;
    do {
        auto e = expression();
        if (!e)
            return false;
        out.push_back(std::move(e));
    } while (accept(","));
    return close(open, bracket);
}

bool ExpressionParser::few(std::size_t count, std::size_t limit, const std::string& what) {
    if (count <= limit)
        return true;
    reporter_.error(span(previous()), "more than " + std::to_string(limit) + " " + what, {},
                    "limit");
    return false;
}

bool ExpressionParser::many_components(std::size_t count, ast::Span at, const char* remedy) {
    if (count > 1)
        return true;
    reporter_.error(at, "a tuple has at least two components", remedy, "tuple");
    return false;
}

bool ExpressionParser::axes(std::vector<ast::Axis>& out) {
    do {
        if (!few(out.size() + 1, kRankLimit, "axes"))
            return false;
        out.emplace_back();
        if (!axis(out.back()))
            return false;
    } while (accept(","));
    return true;
}

bool ExpressionParser::axis(ast::Axis& out) {
    return plain_name(out.name, "an axis's name") &&
           expect("in", "after the axis's name: NAME in 0..N") && range(out.begin, out.end);
}

bool ExpressionParser::range(ast::ExprPtr& begin, ast::ExprPtr& end) {
    begin = expression();
    if (begin && !at(".."))
        return fail_expected("'..' in the range: 0..N",
                             foreign_remedy(ForeignPlace::Word, begin->name.text));
    if (!begin || !accept(".."))
        return false;
    end = expression();
    return end != nullptr;
}

} // namespace loopscope
