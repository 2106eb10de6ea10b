#include "compiler/lower/expression_parser.h"
#include "compiler/lower/expression_text.h"
#include "core/ir/functions.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace loopscope::lower {

namespace {

constexpr int kMaxNesting = 2000;

struct Operator {
    const char* text;
    Op op;
    int precedence;
};
// As in the pipeline language, loosest first.
constexpr Operator kOperators[] = {
    {"or", Op::LogicalOr, 1},  {"and", Op::LogicalAnd, 2}, {"<", Op::Less, 4},
    {"<=", Op::LessEqual, 4},  {">", Op::Greater, 4},      {">=", Op::GreaterEqual, 4},
    {"==", Op::Equal, 4},      {"!=", Op::NotEqual, 4},    {"|", Op::BitOr, 5},
    {"^", Op::BitXor, 6},      {"&", Op::BitAnd, 7},       {"<<", Op::ShiftLeft, 8},
    {">>", Op::ShiftRight, 8}, {"+", Op::Add, 9},          {"-", Op::Subtract, 9},
    {"*", Op::Multiply, 10},   {"/", Op::Divide, 10},      {"%", Op::Modulo, 10},
};
constexpr int kNotPrecedence = 3, kComparison = 4, kUnaryPrecedence = 11;

struct Function {
    const char* name;
    Op op;
};
constexpr Function kUnaryFunctions[] = {{"abs", Op::Abs},
                                        {"sqrt", Op::Sqrt},
                                        {"floor", Op::Floor},
                                        {"ceil", Op::Ceil},
                                        {"round", Op::Round}};
constexpr Function kBinaryFunctions[] = {{"min", Op::Min}, {"max", Op::Max}};

} // namespace

ExpressionParser::ExpressionParser(SourceFilePtr file)
    : file_(std::move(file)), tokens_(tokenize(*file_)) {}

const Token& ExpressionParser::peek(std::size_t ahead) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

Token ExpressionParser::take() {
    auto token = peek();
    if (at_ + 1 < tokens_.size())
        ++at_;
    return token;
}

bool ExpressionParser::at(const std::string& text) const {
    auto kind = peek().kind;
    return (kind == Token::Kind::Name || kind == Token::Kind::Symbol) && peek().text == text;
}

bool ExpressionParser::accept(const std::string& text) {
    if (!at(text))
        return false;
    take();
    return true;
}

void ExpressionParser::expect(const std::string& text) {
    if (!accept(text))
        fail("expected '" + text + "'");
}

std::string ExpressionParser::take_name(const char* what) {
    if (peek().kind != Token::Kind::Name)
        fail(std::string("expected ") + what);
    return take().text;
}

std::int64_t ExpressionParser::take_integer(const char* what) {
    bool negative = accept("-");
    std::int64_t value = 0;
    const auto& text = peek().text;
    auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (peek().kind != Token::Kind::Number || status != std::errc() ||
        end != text.data() + text.size())
        fail(std::string("expected ") + what);
    take();
    return negative ? -value : value;
}

void ExpressionParser::fail(const std::string& message, const std::string& remedy) {
    throw ParseError{error(message, remedy, SourceRange{file_, peek().begin, peek().end})};
}

ScalarType ExpressionParser::take_type() {
    ScalarType type;
    if (peek().kind != Token::Kind::Name || !parse_scalar_type(peek().text, type))
        fail("expected a type");
    take();
    return type;
}

ExprPtr ExpressionParser::expression(std::optional<ScalarType> type) {
    auto value = parse(0);
    if (!type)
        return settled(value);
    if (value.literal)
        return retyped(value.e, *type);
    if (value.e->type != *type)
        fail(std::string("the expression is ") + name(value.e->type) + ", not " + name(*type));
    return value.e;
}

std::vector<ExprPtr> ExpressionParser::indices(ExprPtr& mask) {
    std::vector<ExprPtr> out;
    expect("[");
    if (!at("]") && !at("where"))
        do
            out.push_back(expression());
        while (accept(","));
    if (accept("where"))
        mask = expression(ScalarType::Bool);
    expect("]");
    return out;
}

ExpressionParser::Value ExpressionParser::parse(int least) {
    if (++depth_ > kMaxNesting)
        fail("nested too deeply");
    Value left = prefix();
    for (bool more = true; more;) {
        more = false;
        for (const auto& op : kOperators)
            if (op.precedence >= least && at(op.text)) {
                take();
                left = combine(op.op, left, parse(op.precedence + 1));
                // Comparisons do not chain.
                more = op.precedence != kComparison || least < kComparison;
                break;
            }
    }
    --depth_;
    return left;
}

ExpressionParser::Value ExpressionParser::prefix() {
    if (at("let"))
        return let_expression();
    if (accept("not"))
        return {unary(Op::LogicalNot, parse(kNotPrecedence).e), false};
    if (accept("~"))
        return {unary(Op::BitNot, settled(parse(kUnaryPrecedence))), false};
    if (!accept("-"))
        return primary();
    bool infinite = peek().kind == Token::Kind::Name && is_special(peek().text);
    if (peek().kind != Token::Kind::Number && !infinite)
        return {unary(Op::Negate, settled(parse(kUnaryPrecedence))), false};
    auto positive = primary();
    auto e = positive.e; // one negative constant
    if (is_float(e->type))
        return {constant_float(e->type, -constant_float_value(e)), positive.literal};
    return {
        constant_bits(e->type, constant_int(e->type, static_cast<std::int64_t>(0 - e->bits))->bits),
        positive.literal};
}

ExpressionParser::Value ExpressionParser::primary() {
    if (peek().kind == Token::Kind::Number)
        return number();
    if (accept("(")) {
        auto value = parse(0);
        expect(")");
        return value;
    }
    if (peek().kind != Token::Kind::Name)
        fail("expected an expression");
    auto name = take().text;
    if (at("(") && !variables.count(name))
        return call(name);
    return reference(name);
}

ExpressionParser::Value ExpressionParser::number() {
    auto text = take().text;
    auto digits_end =
        text.compare(0, 2, "0x") == 0 ? text.size() : text.find_first_not_of("0123456789.");
    if (digits_end != std::string::npos && digits_end < text.size() && text[digits_end] == 'e')
        digits_end = text.find_first_not_of("0123456789+-", digits_end + 1);
    auto suffix = digits_end < text.size() ? text.substr(digits_end) : "";
    auto digits = text.substr(0, digits_end);
    bool decimal =
        digits.find_first_of(".e") != std::string::npos && digits.compare(0, 2, "0x") != 0;
    ScalarType type = decimal ? ScalarType::F32 : ScalarType::I32;
    if (!suffix.empty() && !parse_scalar_type(suffix, type))
        fail("unknown type suffix '" + suffix + "'");
    // A literal keeps 64 bits of value until its type is known: retyped() narrows it.
    if (decimal || is_float(type)) {
        double value = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
        float single = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), single);
        if (suffix.empty())
            return {constant_float(ScalarType::F64, value), true};
        return {type == ScalarType::F32 ? constant_float(type, single)
                                        : constant_float(type, value),
                false};
    }
    std::uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (suffix.empty())
        return {constant_bits(ScalarType::I64, value), true};
    return {constant_bits(type, value), false};
}

ExprPtr ExpressionParser::retyped(const ExprPtr& e, ScalarType type) {
    if (e->kind == ExprKind::Broadcast)
        return broadcast(retyped(e->args[0], type), e->lanes);
    if (e->kind == ExprKind::Ramp)
        return ramp(retyped(e->args[0], type), retyped(e->args[1], type), e->lanes);
    if (is_float(type)) {
        double value = is_float(e->type) ? constant_float_value(e)
                                         : static_cast<double>(static_cast<std::int64_t>(e->bits));
        return constant_float(type, value);
    }
    if (is_float(e->type) || is_bool(type))
        fail(std::string("a number cannot be ") + name(type));
    return constant_int(type, static_cast<std::int64_t>(e->bits));
}

void ExpressionParser::unify(std::vector<Value>& values) {
    std::optional<ScalarType> type;
    for (const auto& v : values)
        if (!v.literal && !type)
            type = v.e->type;
    bool all_literal = !type;
    if (all_literal) {
        bool decimal = false;
        for (const auto& v : values)
            decimal = decimal || is_float(v.e->type);
        type = decimal ? ScalarType::F32 : ScalarType::I32;
    }
    for (auto& v : values) {
        if (v.literal)
            v.e = retyped(v.e, *type);
        else if (v.e->type != *type)
            fail(std::string("operands of types ") + name(*type) + " and " + name(v.e->type));
        v.literal = false;
    }
}

// A literal that stands alone is an i32 or f32.
ExprPtr ExpressionParser::settled(const Value& value) {
    std::vector<Value> one{value};
    unify(one);
    return one[0].e;
}

ExpressionParser::Value ExpressionParser::combine(Op op, Value a, Value b) {
    std::vector<Value> both{a, b};
    unify(both);
    return {binary(op, both[0].e, both[1].e), false};
}

ExpressionParser::Value ExpressionParser::let_expression() {
    expect("let");
    auto name = take_name("a name");
    expect("=");
    auto value = settled(parse(0));
    expect("in");
    variables[name] = {value->type, value->lanes};
    auto body = settled(parse(0));
    variables.erase(name);
    return {let(name, value, body), false};
}

ExpressionParser::Value ExpressionParser::call(const std::string& name) {
    ScalarType type;
    if (name == "ramp" || name == "broadcast")
        return vector_call(name);
    // bits(f16, 0x3c00) is a constant, bits(x) takes x's bits.
    if (name == "bits" && peek(1).kind == Token::Kind::Name && peek(2).text == ",")
        return bits_call();
    if (name == "from_bits")
        return from_bits_call();
    expect("(");
    std::vector<Value> args;
    do
        args.push_back(parse(0));
    while (accept(","));
    expect(")");
    auto need = [&](std::size_t count) {
        if (args.size() != count)
            fail(name + " takes " + std::to_string(count) + " arguments");
    };
    if (name == "select") {
        need(3);
        std::vector<Value> arms{args[1], args[2]};
        unify(arms);
        return {select(args[0].e, arms[0].e, arms[1].e), false};
    }
    unify(args);
    if (parse_scalar_type(name, type))
        return need(1), Value{cast(type, args[0].e), false};
    if (name == "fma")
        return need(3), Value{fma(args[0].e, args[1].e, args[2].e), false};
    for (const auto& f : kUnaryFunctions)
        if (name == f.name)
            return need(1), Value{unary(f.op, args[0].e), false};
    for (const auto& f : kBinaryFunctions)
        if (name == f.name)
            return need(2), Value{binary(f.op, args[0].e, args[1].e), false};
    if (name == "bits")
        return need(1), Value{bits_of(args[0].e), false};
    if (is_prelude_function(name)) {
        need(static_cast<std::size_t>(prelude_parameters(name)));
        if (!is_float(args[0].e->type))
            fail(name + " of " + loopscope::name(args[0].e->type));
        std::vector<ExprPtr> values;
        for (const auto& a : args)
            values.push_back(a.e);
        return {loopscope::call(name, std::move(values)), false};
    }
    fail("unknown function '" + name + "'");
}

// ramp(base, stride, lanes), broadcast(scalar, lanes); a literal one stays a literal.
ExpressionParser::Value ExpressionParser::vector_call(const std::string& name) {
    expect("(");
    std::vector<Value> args{parse(0)};
    expect(",");
    if (name == "ramp") {
        args.push_back(parse(0));
        expect(",");
    }
    auto lanes = take_integer("a number of lanes");
    if (lanes < 1 || lanes > std::numeric_limits<std::uint16_t>::max())
        fail("a vector of " + std::to_string(lanes) + " lanes");
    expect(")");
    bool literal = true;
    for (const auto& a : args)
        literal = literal && a.literal;
    if (!literal)
        unify(args);
    else if (args.size() == 2 && args[0].e->type != args[1].e->type)
        unify(args), literal = false;
    auto e = name == "ramp" ? ramp(args[0].e, args[1].e, static_cast<int>(lanes))
                            : broadcast(args[0].e, static_cast<int>(lanes));
    return {e, literal};
}

ExpressionParser::Value ExpressionParser::bits_call() {
    expect("(");
    auto type = take_type();
    expect(",");
    auto text = take().text;
    std::uint64_t value = 0;
    auto begin = text.data() + (text.compare(0, 2, "0x") == 0 ? 2 : 0);
    if (std::from_chars(begin, text.data() + text.size(), value, 16).ec != std::errc())
        fail("expected a bit pattern such as 0x3f800000");
    expect(")");
    return {constant_bits(type, value), false};
}

// The unsigned type with the bits of a float.
ExprPtr ExpressionParser::bits_of(const ExprPtr& e) {
    if (!is_float(e->type))
        fail(std::string("bits of ") + name(e->type));
    return reinterpret(bits(e->type) == 64   ? ScalarType::U64
                       : bits(e->type) == 32 ? ScalarType::U32
                                             : ScalarType::U16,
                       e);
}

ExpressionParser::Value ExpressionParser::from_bits_call() {
    expect("(");
    auto type = take_type();
    expect(",");
    auto value = settled(parse(0));
    expect(")");
    if (!is_float(type) || !is_unsigned(value->type) || bits(type) != bits(value->type))
        fail(std::string("no ") + name(type) + " has the bits of " + name(value->type));
    return {reinterpret(type, value), false};
}

// inf, nan, inff64, nanf16.
bool ExpressionParser::is_special(const std::string& name) {
    auto suffix =
        name.substr(0, 3) == "inf" || name.substr(0, 3) == "nan" ? name.substr(3) : "none";
    ScalarType type;
    return suffix.empty() || (parse_scalar_type(suffix, type) && is_float(type));
}

ExpressionParser::Value ExpressionParser::named_constant(const std::string& name) {
    if (name == "true" || name == "false")
        return {constant_bool(name == "true"), false};
    double value = name[0] == 'i' ? std::numeric_limits<double>::infinity()
                                  : std::numeric_limits<double>::quiet_NaN();
    bool literal = name.size() == 3;
    auto type = ScalarType::F64;
    if (!literal)
        parse_scalar_type(name.substr(3), type);
    return {constant_float(type, value), literal};
}

ExpressionParser::Value ExpressionParser::reference(const std::string& name) {
    if (auto found = variables.find(name); found != variables.end()) {
        auto [type, lanes] = found->second;
        return {lanes > 1 ? vector_variable(name, type, lanes) : variable(name, type), false};
    }
    if (auto found = buffers.find(name); found != buffers.end()) {
        int component = accept("#") ? static_cast<int>(take_integer("a component")) : 0;
        ExprPtr mask;
        auto where = indices(mask);
        if (!mask)
            return {load(name, found->second, std::move(where), component), false};
        return {masked_load(name, found->second, std::move(where), mask), false};
    }
    if (name == "true" || name == "false" || is_special(name))
        return named_constant(name);
    fail("unknown name '" + name + "'");
}

} // namespace loopscope::lower
