// What core/ir says of the prelude without seeing it.
#include "core/ir/functions.h"
#include "core/language/prelude.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace loopscope {
namespace {

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

} // namespace
} // namespace loopscope
