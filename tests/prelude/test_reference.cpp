// The page of the help on the prelude: its figures are the code's, its examples load.
#include "core/ir/functions.h"
#include "core/language/loop_parser.h"
#include "tests/prelude/documented.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace loopscope {
namespace {

using namespace prelude_test;

std::uint64_t total(const Cost& cost) { return cost.flops + cost.integer_operations; }

TEST(FunctionsPage, HasEveryFunctionInBothTypes) {
    auto rows = documented();
    EXPECT_EQ(rows.size(), 2 * prelude_names().size());
    for (const auto& name : prelude_names())
        for (auto type : {ScalarType::F32, ScalarType::F64})
            EXPECT_EQ(
                std::count_if(rows.begin(), rows.end(),
                              [&](const Row& r) { return r.function == name && r.type == type; }),
                1)
                << name;
}

// The column `error` is what test_accuracy.cpp holds the functions to.
TEST(FunctionsPage, FiguresAreTheCodes) {
    for (const auto& row : documented()) {
        auto fast = approximation_of(row.function);
        EXPECT_LE(row.error, prelude_error_ulp(row.function, row.type)) << row.function;
        EXPECT_EQ(row.operations, total(prelude_cost(row.function, row.type))) << row.function;
        EXPECT_EQ(row.fast_error, prelude_error_ulp(fast, row.type)) << row.function;
        EXPECT_EQ(row.fast_operations, total(prelude_cost(fast, row.type))) << row.function;
    }
}

TEST(FunctionsPage, ExamplesLoad) {
    const std::string fence = "```loop\n";
    auto page = functions_page();
    int examples = 0;
    for (std::size_t at = 0; (at = page.find(fence, at)) != std::string::npos; ++examples) {
        at += fence.size();
        auto text = page.substr(at, page.find("```", at) - at);
        auto loaded = load_pipeline(std::make_shared<SourceFile>("functions.md", text));
        EXPECT_TRUE(loaded) << (loaded ? "" : format(loaded.errors()));
    }
    EXPECT_GE(examples, 1);
}

} // namespace
} // namespace loopscope
