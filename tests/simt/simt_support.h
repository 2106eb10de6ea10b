#pragma once
// Loop programs in text, run by the SIMT interpreter.

#include "compiler/lower/pass.h"
#include "compiler/lower/program_parser.h"
#include "compiler/run/random_inputs.h"
#include "compiler/run/simt_interpreter/simt_interpreter.h"
#include "tests/support/program_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace loopscope::test {

using T = ScalarType;
using Kind = SimtFinding::Kind;

// What the verifier refuses can be run all the same: that is how divergence is tested.
inline lower::Program parsed(const std::string& text, bool right = true) {
    auto program = lower::parse_program(text);
    if (!program) {
        ADD_FAILURE() << format(program.errors());
        return {};
    }
    auto errors = lower::verify(*program);
    EXPECT_EQ(errors.empty(), right) << format(errors);
    return *program;
}

inline SimtRun run(const lower::Program& program, const std::map<std::string, Buffer>& inputs,
                   const SimtOptions& options = {}) {
    auto result = run_simt_program(program, inputs, options);
    if (!result) {
        ADD_FAILURE() << format(result.errors());
        return {};
    }
    return *result;
}

// Under several seeds, which must agree in the kinds of what they find, and in the outputs where
// they find nothing.
inline SimtRun run(const std::string& text, const std::map<std::string, Buffer>& inputs = {},
                   bool right = true) {
    auto program = parsed(text, right);
    auto kinds = [](const SimtRun& r) {
        std::set<Kind> out;
        for (const auto& f : r.findings)
            out.insert(f.kind);
        return out;
    };
    SimtRun first;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        SimtOptions options;
        options.seed = seed;
        auto result = run(program, inputs, options);
        if (seed == 1)
            first = result;
        EXPECT_EQ(kinds(result), kinds(first)) << "seed 1:\n"
                                               << format(first.findings) << "seed " << seed << ":\n"
                                               << format(result.findings);
        for (const auto& [name, buffer] : first.outputs) {
            EXPECT_TRUE(!first.findings.empty() || result.outputs.at(name).data == buffer.data)
                << name << " is not the same under seed " << seed;
        }
    }
    return first;
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

inline Buffer random(T type, std::vector<std::int64_t> extents, std::uint64_t seed = 1,
                     RandomMode mode = RandomMode::SmallWhole) {
    return random_buffer(type, std::move(extents), seed, mode).value();
}

template <typename V> Buffer filled(T type, std::vector<std::int64_t> extents,
                                    const std::vector<V>& values) {
    auto buffer = make_buffer(type, std::move(extents)).value();
    EXPECT_EQ(static_cast<std::size_t>(buffer.count()), values.size());
    std::copy(values.begin(), values.end(), buffer.template as<V>());
    return buffer;
}

template <typename V> std::vector<V> values(const SimtRun& r, const std::string& output) {
    auto found = r.outputs.find(output);
    if (found == r.outputs.end())
        return {};
    const auto& b = found->second;
    return {b.as<V>(), b.as<V>() + b.count()};
}

// The only finding: its kind, "origin other", and a message that has the given text.
inline void expect_only(const SimtRun& r, Kind kind, const std::string& origins,
                        const std::string& message) {
    ASSERT_EQ(r.findings.size(), 1u) << format(r.findings);
    const auto& f = r.findings[0];
    EXPECT_EQ(f.kind, kind) << format(r.findings);
    auto other = f.other.text();
    EXPECT_EQ(f.origin.text() + (other.empty() ? "" : " " + other), origins) << f.message;
    EXPECT_NE(f.message.find(message), std::string::npos) << f.message;
}

inline bool has(const SimtRun& r, Kind kind, const std::string& origins) {
    return std::any_of(r.findings.begin(), r.findings.end(), [&](const SimtFinding& f) {
        return f.kind == kind && f.origin.text() + " " + f.other.text() == origins;
    });
}

inline const SimtCounts& counts_of(const SimtRun& r, const std::string& origin) {
    NodeId id;
    EXPECT_TRUE(NodeId::parse(origin, id));
    return r.launches.at(0).by_origin.at(id);
}

} // namespace loopscope::test
