#pragma once
// Expressions of the text form of loop programs; used by program_parser.cpp alone.

#include "compiler/lower/program_lexer.h"
#include "core/base/result.h"
#include "core/ir/expr.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::lower {

// The first error ends a parse.
struct ParseError {
    Diagnostic diagnostic;
};

class ExpressionParser {
public:
    explicit ExpressionParser(SourceFilePtr file);

    // Names in scope.
    struct Binding {
        ScalarType type;
        int lanes;
    };
    std::map<std::string, Binding> variables;
    std::map<std::string, ScalarType> buffers;

    // Tokens.
    const Token& peek(std::size_t ahead = 0) const;
    Token take();
    bool at(const std::string& text) const; // a name or symbol
    bool accept(const std::string& text);
    void expect(const std::string& text);
    std::string take_name(const char* what);
    std::int64_t take_integer(const char* what);
    [[noreturn]] void fail(const std::string& message, const std::string& remedy = {});

    // An expression; a literal takes `type` where one is given, and any other expression must have
    // it.
    ExprPtr expression(std::optional<ScalarType> type = std::nullopt);
    ScalarType take_type();
    // "[i, j]", and a mask after "where".
    std::vector<ExprPtr> indices(ExprPtr& mask);

private:
    // `literal`: its type may still change to its neighbour's.
    struct Value {
        ExprPtr e;
        bool literal = false;
    };
    Value parse(int least);
    Value prefix();
    Value primary();
    Value number();
    Value let_expression();
    Value call(const std::string& name);
    Value vector_call(const std::string& name);
    Value bits_call();
    Value from_bits_call();
    ExprPtr bits_of(const ExprPtr& e);
    Value named_constant(const std::string& name);
    Value reference(const std::string& name);
    Value combine(Op op, Value a, Value b);
    ExprPtr settled(const Value& value);
    void unify(std::vector<Value>& values);
    ExprPtr retyped(const ExprPtr& e, ScalarType type);
    static bool is_special(const std::string& name);

    SourceFilePtr file_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

} // namespace loopscope::lower
