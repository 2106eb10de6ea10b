#pragma once
// A function of the prelude, its evaluator and its judge.

#include "core/language/prelude.h"
#include "tests/prelude/documented.h"
#include "tests/prelude/evaluator.h"
#include "tests/prelude/inputs.h"
#include "tests/prelude/judge.h"

#include <gtest/gtest.h>

#include <iostream>

namespace loopscope::prelude_test {

struct Trial {
    Trial(const std::string& function, ScalarType type,
          Judge::Measure measure = Judge::Measure::Ulp)
        : definition(prelude_function(function, type)),
          evaluate(definition.body, definition.parameters),
          judge(function, type, measure) {}

    void run(const std::vector<Patterns>& arguments, std::size_t sample) {
        evaluate.run(arguments, results);
        judge.all(arguments, results, sample);
    }

    // Prints the greatest error, and holds it against what is allowed.
    void report(double allowed) const {
        const auto& worst = judge.worst();
        auto text = worst.text(definition.name, definition.type);
        auto cost = cost_of(definition.body);
        std::cout << "    " << text << "; " << cost.flops << " float and "
                  << cost.integer_operations << " integer operations\n";
        testing::Test::RecordProperty(definition.name + "_" + name(definition.type), text);
        EXPECT_LE(worst.error, allowed) << text;
        EXPECT_GT(judge.asked(), 1000u);
    }

    const PreludeFunction& definition;
    Evaluator evaluate;
    Judge judge;
    std::vector<std::uint64_t> results;
};

} // namespace loopscope::prelude_test
