#include "core/language/loop_syntax.h"

#include "core/base/foreign_words.h"
#include "core/language/expression_parser.h"
#include "core/language/words.h"

namespace loopscope {

namespace {

class StatementParser : public ExpressionParser {
public:
    using ExpressionParser::ExpressionParser;

    ast::File file(const SourceFilePtr& source) {
        ast::File out;
        out.source = source;
        header(out);
        while (peek().kind != TokenKind::End && !reporter_.full()) {
            if (peek().kind == TokenKind::Newline) {
                take();
            } else if (at("}") || peek().kind == TokenKind::TemplateClose) {
                reporter_.error(span(peek()), "'}' closes nothing", "remove it", "syntax");
                take();
            } else {
                out.statements.push_back(statement());
            }
        }
        return out;
    }

private:
    using Method = bool (StatementParser::*)(ast::Statement&);

    void header(ast::File& out) {
        if (!at("pipeline")) {
            fail_expected("'pipeline NAME' as the first statement");
            return;
        }
        take();
        if (!name(out.name, "a pipeline's name") || !end_of_statement())
            skip_statement();
    }

    ast::StatementPtr statement() {
        auto s = std::make_unique<ast::Statement>();
        auto begin = peek().begin;
        statement_ = begin;
        Nesting nesting(*this);
        bool ok = nesting.ok() && dispatch(*s) && end_of_statement();
        bool block = s->kind == ast::StatementKind::For || s->kind == ast::StatementKind::If;
        if (!ok || (!block && has_lexical_error(begin, previous().end))) {
            s->kind = ast::StatementKind::Broken;
            if (!ok)
                skip_statement();
            // A block whose head is wrong is still read: what is in it has names and errors of its
            // own.
            while (previous().is("{") && depth_ < kNestingLimit && !reporter_.full()) {
                block_items(s->body, previous());
                skip_statement();
            }
        }
        auto last = at_ > 1 && previous().kind == TokenKind::Newline ? at_ - 2 : at_ - 1;
        s->span = {begin, std::max(begin, tokens_[last].end)}; // without a comment after it
        return s;
    }

    bool dispatch(ast::Statement& s) {
        static constexpr struct {
            std::string_view word;
            ast::StatementKind kind;
            Method parse;
        } kStatements[] = {
            {"param", ast::StatementKind::Param, &StatementParser::param},
            {"symbolic", ast::StatementKind::Symbolic, &StatementParser::symbolic},
            {"const", ast::StatementKind::Const, &StatementParser::constant},
            {"input", ast::StatementKind::Input, &StatementParser::input},
            {"stage", ast::StatementKind::Stage, &StatementParser::stage},
            {"update", ast::StatementKind::Update, &StatementParser::update},
            {"output", ast::StatementKind::Output, &StatementParser::output},
            {"for", ast::StatementKind::For, &StatementParser::for_block},
            {"if", ast::StatementKind::If, &StatementParser::if_block},
            {"def", ast::StatementKind::Def, &StatementParser::def},
        };
        const auto& word = peek();
        for (const auto& entry : kStatements)
            if (word.is(entry.word)) {
                take();
                s.kind = entry.kind;
                return (this->*entry.parse)(s);
            }
        return unknown_statement(word, s);
    }

    bool unknown_statement(const Token& word, ast::Statement& s) {
        if (word.is("pipeline")) {
            reporter_.error(span(word), "'pipeline' stands once, as the first statement",
                            "remove it", "syntax");
            return false;
        }
        if (word.kind == TokenKind::Name && peek(1).kind == TokenKind::Name)
            s.name.text = peek(1).text; // what it meant to define, so that its uses are not unknown
        if (word.is("else")) {
            reporter_.error(span(word), "'else' without an 'if'",
                            "write it right after the '}' of the if, on its line", "syntax");
            return false;
        }
        return fail_expected("a statement", statement_remedy(word));
    }

    std::string statement_remedy(const Token& word) const {
        const bool name = word.kind == TokenKind::Name;
        if (auto foreign = foreign_remedy(ForeignPlace::Statement, word.text);
            name && !foreign.empty())
            return foreign;
        if (name && (peek(1).is("[") || peek(1).is("(")))
            return "a definition starts with stage, a change of it with update";
        std::vector<std::string> words(statement_words().begin(), statement_words().end());
        auto nearest = name ? nearest_name(std::string(word.text), words) : std::string();
        return nearest.empty() ? "a statement starts with stage, input, const, update …"
                               : "did you mean '" + nearest + "'?";
    }

    bool end_of_statement() {
        if (peek().kind == TokenKind::Newline) {
            take();
            return true;
        }
        if (peek().kind == TokenKind::End || (blocks_ > 0 && at("}")))
            return true;
        return fail_expected("the end of the statement");
    }

    // To the end of the line, or to the brace that closes the block around.
    void skip_statement() {
        int braces = 0;
        while (peek().kind != TokenKind::End) {
            if (peek().kind == TokenKind::Newline) {
                if (!previous().is("{"))
                    take();
                return;
            }
            if (at("{"))
                ++braces;
            if (at("}") && --braces < 0 && blocks_ > 0)
                return;
            take();
        }
    }

    bool block(std::vector<ast::StatementPtr>& out) {
        if (!at("{"))
            return fail_expected("'{' to open the block");
        auto before = previous().kind;
        const auto& open = take();
        if (open.glued && (before == TokenKind::Name || before == TokenKind::TemplateClose ||
                           before == TokenKind::NamePart))
            reporter_.error(span(open), "a '{' right after a name opens a template",
                            "put a space before it to open a block", "syntax");
        return block_items(out, open);
    }

    bool block_items(std::vector<ast::StatementPtr>& out, const Token& open) {
        ++blocks_;
        while (peek().kind != TokenKind::End && !at("}") && !reporter_.full()) {
            if (peek().kind == TokenKind::Newline)
                take();
            else
                out.push_back(statement());
        }
        --blocks_;
        return close(open, "}");
    }

    bool param(ast::Statement& s) {
        if (!name(s.name, "a param's name") || !expect("=", "and the param's default"))
            return false;
        s.value = expression();
        return s.value != nullptr;
    }

    bool symbolic(ast::Statement& s) {
        reporter_.error(span(previous()),
                        "'symbolic' (an extent known only at run time) is not available in this "
                        "version of Loopscope",
                        "use a param, and set it with --param", "not-available");
        if (!name(s.name, "a symbol's name"))
            return false;
        return false;
    }

    bool constant(ast::Statement& s) {
        if (!name(s.name, "a const's name") || (accept(":") && !type(s, "a const has one type")) ||
            !expect("=", "and the const's value"))
            return false;
        s.value = expression();
        return s.value != nullptr;
    }

    // One type. `only_one`: what to say of a tuple's, and `remedy`.
    bool type(ast::Statement& s, const std::string& only_one, std::string remedy = {}) {
        const auto& t = peek();
        if (t.is("(")) {
            reporter_.error(span(t), only_one + ", and no tuple", std::move(remedy), "tuple");
            return false;
        }
        if (t.kind != TokenKind::Name)
            return fail_expected("a type");
        if (!is_type_name(t.text)) {
            reporter_.error(span(t), "unknown type '" + std::string(t.text.substr(0, 40)) + "'",
                            type_remedy(t), "unknown-name");
            return false;
        }
        take();
        s.types.push_back({span(t), t.text});
        return true;
    }

    static std::string type_remedy(const Token& word) {
        if (auto foreign = foreign_remedy(ForeignPlace::Type, word.text); !foreign.empty())
            return foreign;
        const auto nearest = nearest_name(std::string(word.text), type_names());
        return nearest.empty() ? "types are bool, i8 … i64, u8 … u64, f16, bf16, f32, f64"
                               : "did you mean '" + nearest + "'?";
    }

    // TYPE, or (TYPE, TYPE, …) of a tuple.
    bool stage_type(ast::Statement& s) {
        const auto& open = peek();
        if (!accept("("))
            return type(s, {});
        do {
            if (!few(s.types.size() + 1, kTupleLimit, "components in a tuple") ||
                !type(s, "a component has one type", "tuples are flat"))
                return false;
        } while (accept(","));
        return close(open, ")") && many_components(s.types.size(), span_from(open.begin),
                                                   "write the type without parentheses");
    }

    // [NAME, …] with at least one name.
    bool variables(std::vector<ast::Name>& out, std::string_view what) {
        const auto& open = take();
        if (at("]"))
            return fail_expected(
                what, "an array has at least one dimension: write [i], with an extent of 1");
        do {
            out.emplace_back();
            if (!few(out.size(), kRankLimit, "dimensions") || !plain_name(out.back(), what))
                return false;
        } while (accept(","));
        return close(open, "]");
    }

    bool extents(ast::Statement& s, std::string_view after) {
        const auto& open = peek();
        if (!expect("[", after))
            return false;
        if (at("]"))
            return fail_expected("an extent", "an array has at least one dimension");
        return expressions(s.extents, open, "]");
    }

    bool input(ast::Statement& s) {
        if (!name(s.name, "an input's name"))
            return false;
        if (at("[")) {
            s.has_variables = true;
            if (!variables(s.variables, "an index name"))
                return false;
        }
        if (!expect(":", "and the input's type") ||
            !type(s, "an input has one type", "write one input for each component") ||
            !extents(s, "and the input's extents"))
            return false;
        return !accept("boundary") || boundary(s);
    }

    bool boundary(ast::Statement& s) {
        static const std::vector<std::string> names = {"edge",   "zero",    "constant",
                                                       "mirror", "reflect", "wrap"};
        static constexpr BoundaryKind kinds[] = {BoundaryKind::Edge,     BoundaryKind::Zero,
                                                 BoundaryKind::Constant, BoundaryKind::Mirror,
                                                 BoundaryKind::Reflect,  BoundaryKind::Wrap};
        const auto& t = peek();
        for (std::size_t i = 0; i < names.size(); ++i)
            if (t.kind == TokenKind::Name && t.text == names[i]) {
                take();
                s.boundary = kinds[i];
                return s.boundary != BoundaryKind::Constant || boundary_value(s);
            }
        auto nearest =
            t.kind == TokenKind::Name ? nearest_name(std::string(t.text), names) : std::string();
        return fail_expected("a boundary: edge, zero, constant(V), mirror, reflect or wrap",
                             nearest.empty() ? "" : "did you mean '" + nearest + "'?");
    }

    bool boundary_value(ast::Statement& s) {
        const auto& open = peek();
        if (!expect("(", "and the value: constant(V)"))
            return false;
        s.boundary_value = expression();
        return s.boundary_value && close(open, ")");
    }

    bool stage(ast::Statement& s) {
        if (!name(s.name, "a stage's name"))
            return false;
        if (!at("["))
            return fail_expected("'[' and the stage's index names",
                                 foreign_remedy(ForeignPlace::Bracket, peek().text));
        s.has_variables = true;
        if (!variables(s.variables, "an index name") || (accept(":") && !stage_type(s)) ||
            !expect("=", "and the stage's definition"))
            return false;
        s.value = expression();
        return s.value != nullptr;
    }

    bool update(ast::Statement& s) {
        if (!name(s.name, "the name of the stage to update") ||
            !extents(s, "and the index to update") || !update_operator(s))
            return false;
        s.value = expression();
        if (!s.value)
            return false;
        if (accept("over") && !axes(s.axes))
            return false;
        if (accept("where")) {
            s.condition = expression();
            if (!s.condition)
                return false;
        }
        return true;
    }

    bool update_operator(ast::Statement& s) {
        const auto& t = peek();
        bool by_name = (t.is("max") || t.is("min")) && peek(1).is("=") && peek(1).glued;
        if (t.is("-=") || t.is("/=")) {
            reporter_.error(span(t), "'" + std::string(t.text) + "' is no update operator",
                            t.is("-=") ? "write += -(…)" : "write S[…] = S[…] / (…)", "syntax");
            return false;
        }
        if (!by_name && !t.is("=") && !t.is("+=") && !t.is("*="))
            return fail_expected("an update operator: = += *= max= min=");
        s.update = t.is("=")     ? UpdateOp::Assign
                   : t.is("+=")  ? UpdateOp::Add
                   : t.is("*=")  ? UpdateOp::Multiply
                   : t.is("max") ? UpdateOp::Max
                                 : UpdateOp::Min;
        take();
        if (by_name)
            take();
        return true;
    }

    bool output(ast::Statement& s) {
        return name(s.name, "the name of a stage") &&
               expect(":", "and the output's extents: output S: [H, W]") &&
               extents(s, "and the output's extents: output S: [H, W]");
    }

    bool for_block(ast::Statement& s) {
        if (at("("))
            return fail_expected("an axis's name", "write for i in 0..N { … }");
        s.axes.emplace_back();
        return axis(s.axes.back()) && block(s.body);
    }

    bool if_block(ast::Statement& s) {
        s.condition = expression();
        if (!s.condition || !block(s.body))
            return false;
        if (!accept("else"))
            return true;
        if (!at("if"))
            return block(s.otherwise);
        auto chained = std::make_unique<ast::Statement>();
        auto begin = take().begin;
        Nesting nesting(*this);
        chained->kind = ast::StatementKind::If;
        bool ok = nesting.ok() && if_block(*chained);
        chained->span = span_from(begin);
        s.otherwise.push_back(std::move(chained));
        return ok;
    }

    bool def(ast::Statement& s) {
        if (!name(s.name, "a def's name"))
            return false;
        const auto& open = peek();
        if (!expect("(", "and the def's parameters"))
            return false;
        if (!at(")"))
            do {
                s.parameters.emplace_back();
                if (!few(s.parameters.size(), kParameterLimit, "parameters") ||
                    !plain_name(s.parameters.back(), "a parameter's name"))
                    return false;
            } while (accept(","));
        if (!close(open, ")"))
            return false;
        if (at("[")) {
            s.has_variables = true;
            if (!variables(s.variables, "an index name"))
                return false;
        }
        if (!expect("=", "and the def's expression"))
            return false;
        s.value = expression();
        return s.value != nullptr;
    }

    int blocks_ = 0;
};

} // namespace

LexedText lex_loop(const SourceFilePtr& source) {
    LexOptions options;
    options.statement_words = statement_words();
    return lex(source, options);
}

ast::File parse_loop_syntax(const LexedText& text, Reporter& reporter) {
    for (const auto& e : text.errors)
        reporter.add(e);
    if (!text.errors.empty() && text.tokens.size() == 1) { // nothing could be read
        ast::File nothing;
        nothing.source = text.file;
        return nothing;
    }
    return StatementParser(text, reporter).file(text.file);
}

} // namespace loopscope
