// What core/ir says of the prelude without seeing it, and the expansion of calls.
#include "core/ir/functions.h"
#include "core/language/prelude.h"
#include "tests/prelude/evaluator.h"
#include "tests/prelude/judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <thread>

namespace loopscope {
namespace {

using namespace prelude_test;

constexpr ScalarType kFloats[] = {ScalarType::F16, ScalarType::BF16, ScalarType::F32,
                                  ScalarType::F64};

std::vector<std::string> all_names() {
    std::vector<std::string> out;
    for (const auto& name : prelude_names()) {
        out.push_back(name);
        out.push_back(approximation_of(name));
    }
    return out;
}

TEST(PreludeDefinitions, AreOfTheirTypeAndWithoutCallsOrLoads) {
    for (const auto& name : all_names())
        for (auto type : kFloats) {
            const auto& f = prelude_function(name, type);
            EXPECT_EQ(f.body->type, type) << name;
            EXPECT_EQ(static_cast<int>(f.parameters.size()), prelude_parameters(name));
            std::set<std::string> free(f.parameters.begin(), f.parameters.end()), bound;
            visit(f.body, [&](const Expr& e) {
                EXPECT_NE(e.kind, ExprKind::Call) << name;
                EXPECT_NE(e.kind, ExprKind::Load) << name;
                if (e.kind == ExprKind::Let) {
                    EXPECT_TRUE(bound.insert(e.name).second)
                        << name << ": two lets named " << e.name;
                    EXPECT_FALSE(free.count(e.name))
                        << name << ": a let hides the parameter " << e.name;
                }
                return true;
            });
            visit(f.body, [&](const Expr& e) {
                if (e.kind == ExprKind::Variable) {
                    EXPECT_TRUE(free.count(e.name) || bound.count(e.name))
                        << name << ": " << e.name;
                }
                return true;
            });
        }
}

TEST(PreludeDefinitions, HaveTheDeclaredCost) {
    for (const auto& name : all_names())
        for (auto type : kFloats) {
            auto real = cost_of(prelude_function(name, type).body),
                 declared = prelude_cost(name, type);
            EXPECT_EQ(declared, real) << "{\"" << name << "\", " << loopscope::name(type) << "}: {"
                                      << real.flops << ", " << real.integer_operations << "}";
        }
}

TEST(PreludeDefinitions, AreParsedOnceByHoweverManyThreads) {
    std::vector<const PreludeFunction*> seen(8);
    {
        std::vector<std::jthread> threads;
        for (auto& s : seen)
            threads.emplace_back([&s] { s = &prelude_function("fast_pow", ScalarType::BF16); });
    }
    for (const auto* s : seen)
        EXPECT_EQ(s, seen[0]);
}

TEST(PreludeDefinitions, OtherNamesAreRefused) {
    EXPECT_THROW(prelude_function("sqrt", ScalarType::F32), std::logic_error);
    EXPECT_THROW(prelude_function("exp", ScalarType::I32), std::logic_error);
    EXPECT_THROW(prelude_cost("log2", ScalarType::F32), std::logic_error);
    EXPECT_FALSE(is_prelude_function("fast_sqrt"));
    EXPECT_EQ(prelude_parameters("log2"), 0);
}

ExprPtr x_f32() { return variable("x", ScalarType::F32); }

TEST(ExpandPrelude, GivesTheDefinitionsBits) {
    auto e = call("exp", {binary(Op::Multiply, x_f32(), x_f32())});
    Evaluator expanded(expand_prelude(e), {"x"});
    const auto& exp = prelude_function("exp", ScalarType::F32);
    Evaluator definition(exp.body, exp.parameters);
    for (float x : {0.0f, 0.3f, -2.5f, 9.4f, 30.0f})
        EXPECT_EQ(expanded(bits_of(ScalarType::F32, x)),
                  definition(bits_of(ScalarType::F32, x * x)));
}

// An argument that is called x, or like a let of the definition, is not captured.
TEST(ExpandPrelude, CapturesNoNames) {
    const auto& f = prelude_function("pow", ScalarType::F32);
    Evaluator definition(f.body, f.parameters);
    std::set<std::string> lets;
    visit(f.body, [&](const Expr& e) {
        if (e.kind == ExprKind::Let)
            lets.insert(e.name);
        return true;
    });
    ASSERT_FALSE(lets.empty());
    for (const auto& name : lets) {
        // pow(y, name) with the parameters' own names in the other places
        Evaluator swapped(expand_prelude(call("pow", {variable("y", ScalarType::F32),
                                                      variable(name, ScalarType::F32)})),
                          {"y", name});
        auto a = bits_of(ScalarType::F32, 1.7), b = bits_of(ScalarType::F32, -3.3);
        EXPECT_EQ(swapped(a, b), definition(a, b)) << name;
    }
}

TEST(ExpandPrelude, NestedAndRepeatedCallsHaveLetsOfTheirOwn) {
    auto inner = call("log", {x_f32()});
    auto e = binary(Op::Add, call("exp", {binary(Op::Add, inner, call("log", {x_f32()}))}),
                    let("exp1_t", inner, call("exp", {variable("exp1_t", ScalarType::F32)})));
    auto expanded = expand_prelude(e);
    std::map<std::string, int> lets;
    visit(expanded, [&](const Expr& node) {
        EXPECT_NE(node.kind, ExprKind::Call);
        if (node.kind == ExprKind::Let)
            ++lets[node.name];
        return true;
    });
    for (const auto& [name, count] : lets)
        EXPECT_EQ(count, 1) << name;
    Evaluator run(expanded, {"x"});
    double got = value_of(ScalarType::F32, run(bits_of(ScalarType::F32, 1.5)));
    EXPECT_NEAR(got, 1.5 * 1.5 + 1.5, 1e-5);
}

// How often a let stands in the expression when it is written as a text.
void count_lets(const ExprPtr& e, std::map<std::string, int>& lets, int& calls) {
    if (e->kind == ExprKind::Let)
        ++lets[e->name];
    calls += e->kind == ExprKind::Call;
    for (const auto& a : e->args)
        count_lets(a, lets, calls);
}

// A def that uses its argument twice makes one call of two places: it is computed once, and its lets stand once.
TEST(ExpandPrelude, ARepeatedCallIsBoundOnce) {
    auto exp = call("exp", {x_f32()});
    auto squared = binary(Op::Multiply, exp, exp);
    auto outer = call("log", {binary(Op::Add, squared, call("exp", {x_f32()}))});
    auto e = binary(Op::Add, binary(Op::Add, outer, outer), exp);
    auto expanded = expand_prelude(e);
    std::map<std::string, int> lets;
    int calls = 0;
    count_lets(expanded, lets, calls);
    EXPECT_EQ(calls, 0);
    for (const auto& [name, count] : lets)
        EXPECT_EQ(count, 1) << name;
    auto cost = [](const char* f) { return prelude_cost(f, ScalarType::F32).flops; };
    EXPECT_EQ(cost_of(expanded).flops, cost("exp") + cost("log") + 4);
    Evaluator run(expanded, {"x"});
    double y = std::exp(1.25);
    EXPECT_NEAR(value_of(ScalarType::F32, run(bits_of(ScalarType::F32, 1.25))),
                2 * std::log(y * y + y) + y, 1e-5);
}

// One that depends on a let is bound inside it.
TEST(ExpandPrelude, ARepeatedCallStaysInsideTheLetItReads) {
    auto t = variable("t", ScalarType::F32), u = variable("u", ScalarType::F32);
    auto exp = call("exp", {t});
    auto body = let("u", binary(Op::Add, exp, exp),
                    binary(Op::Multiply, call("tanh", {u}), call("tanh", {u})));
    auto e = let("t", binary(Op::Add, x_f32(), x_f32()), body);
    auto expanded = expand_prelude(e);
    std::map<std::string, int> lets;
    int calls = 0;
    count_lets(expanded, lets, calls);
    for (const auto& [name, count] : lets)
        EXPECT_EQ(count, 1) << name;
    Evaluator run(expanded, {"x"});
    double y = std::tanh(2 * std::exp(-1.0));
    EXPECT_NEAR(value_of(ScalarType::F32, run(bits_of(ScalarType::F32, -0.5))), y * y, 1e-6);
}

// Inlining a stage twice makes lets of one name with two values.
TEST(ExpandPrelude, LetsOfOneNameKeepTheirOwnCalls) {
    auto t = variable("t", ScalarType::F32);
    auto body = binary(Op::Multiply, call("exp", {t}), binary(Op::Add, call("exp", {t}), t));
    auto e = binary(Op::Subtract, let("t", binary(Op::Add, x_f32(), x_f32()), body),
                    let("t", binary(Op::Multiply, x_f32(), x_f32()), body));
    auto expanded = expand_prelude(e);
    std::map<std::string, int> lets;
    int calls = 0;
    count_lets(expanded, lets, calls);
    EXPECT_EQ(calls, 0);
    for (const auto& [name, count] : lets)
        EXPECT_EQ(count, 1) << name;
    Evaluator run(expanded, {"x"});
    auto value = [](double v) { return std::exp(v) * (std::exp(v) + v); };
    EXPECT_NEAR(value_of(ScalarType::F32, run(bits_of(ScalarType::F32, 0.75))),
                value(1.5) - value(0.5625), 1e-4);
}

TEST(ExpandPrelude, LeavesOtherExpressionsAlone) {
    auto e = binary(Op::Add, x_f32(), constant_float(ScalarType::F32, 1));
    EXPECT_EQ(expand_prelude(e), e);
}

TEST(ExpandPrelude, PlacesEveryNodeAtTheCall) {
    auto source = std::make_shared<SourceFile>("p.loop", "exp(x)");
    SourceRange at{source, 0, 6};
    visit(expand_prelude(call("exp", {variable("x", ScalarType::F32, at)}, at)),
          [&](const Expr& e) {
              EXPECT_EQ(e.where.file, source);
              return true;
          });
}

} // namespace
} // namespace loopscope
