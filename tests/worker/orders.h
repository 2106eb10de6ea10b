#pragma once
// Pipelines whose sums are evaluated in many orders, and held to the ends that one of these gives.

#include "compiler/run/float_values.h"
#include "compiler/run/pipeline_inputs.h"
#include "compiler/run/reference/reference.h"
#include "compiler/worker/tolerance.h"
#include "tests/worker/programs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace loopscope::test {

using namespace worker;

inline std::string pipeline_text(const std::string& type, const std::string& stages) {
    return "pipeline p\ninput a[i, k]: " + type + "[24, 40]\ninput b[x]: " + type + "[24]\n" +
           stages;
}

inline Buffers random_inputs(const Pipeline& pipeline, std::uint64_t seed, bool hostile_b = false) {
    return random_inputs(pipeline,
                         [&](const Stage& input) {
                             const bool hostile = hostile_b && input.name == "b";
                             return RandomInput{seed++,
                                                hostile ? RandomMode::Hostile : RandomMode::Reals};
                         })
        .value();
}

// Another order: the terms of each row, and with them their sum's order, are shuffled.
inline Buffers shuffled(Buffers inputs, std::uint64_t seed) {
    auto& a = inputs.at("a");
    const auto element = a.data.size() / static_cast<std::size_t>(a.count());
    const auto row = static_cast<std::size_t>(a.extents[1]) * element;
    for (std::size_t start = 0; start < a.data.size(); start += row)
        for (std::size_t k = row / element; k-- > 1;) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            auto other = (seed >> 33) % (k + 1);
            for (std::size_t b = 0; b < element; ++b)
                std::swap(a.data[start + k * element + b], a.data[start + other * element + b]);
        }
    return inputs;
}

struct Found {
    std::int64_t elements = 0, different = 0, unbounded = 0;
    double widest = 0; // in units of max|ref|
};

// Do all orders stay within the ends that one of them gives?
inline Found compare_orders(const std::string& text, const std::string& output,
                            const DefinitionSet& reassociated, const DefinitionSet& contracted = {},
                            bool hostile_b = false) {
    const auto pipeline = test::load(text).pipeline;
    Tolerance tolerance(*pipeline, Marks{contracted, reassociated, {}}, std::nullopt);
    const auto& enclosed = tolerance.enclosed();
    Found found;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        auto inputs = random_inputs(*pipeline, seed, hostile_b);
        ReferenceOptions options;
        options.contracted = enclosed.contracted;
        auto evaluated = evaluate(*enclosed.pipeline, inputs, options).value();
        const auto& reference = evaluated.at(output);
        for (std::uint64_t order = 0; order < 6; ++order) {
            options.contracted = contracted;
            auto other = order == 0 ? inputs : shuffled(inputs, 100 * seed + order);
            auto actual = evaluate(*pipeline, other, options).value();
            auto judged = tolerance.judge(output, actual.at(output), evaluated);
            EXPECT_TRUE(judged) << text;
            if (!judged)
                return found;
            EXPECT_EQ(judged->beyond, 0) << text << ", seed " << seed << ", order " << order
                                         << ", element " << judged->first;
            found.elements += reference.count();
            found.unbounded += judged->unbounded;
            if (double greatest = greatest_magnitude(reference); greatest > 0)
                found.widest = std::max(found.widest, judged->allowed / greatest);
            for (std::int64_t i = 0; i < reference.count(); ++i)
                found.different +=
                    element_value(actual.at(output), i) != element_value(reference, i);
        }
    }
    return found;
}

} // namespace loopscope::test
