// Every bundled program under its default and its shipped schedule, compiled, against the reference interpreter and
// against code that shares nothing with this project; bit for bit. Sizes are small and awkward on purpose: tails in
// every dimension, and sizes below one tile.

#include "compiler/run/compare.h"
#include "tests/programs/independent.h"
#include "tests/programs/program_fixture.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>

using namespace loopscope;
using namespace loopscope::test;

namespace {

struct Case {
    std::string program;
    Params params;
    // Outputs by name, as bytes, from the independent code. `fused`: the shipped schedule contracts.
    std::function<std::map<std::string, std::vector<std::byte>>(const Buffers&, bool fused)>
        independent;
};

template <typename T> std::vector<std::byte> raw(const std::vector<T>& from) {
    std::vector<std::byte> out(from.size() * sizeof(T));
    std::memcpy(out.data(), from.data(), out.size());
    return out;
}

Case image_case(const std::string& name, int h, int w) {
    Case c{name, {{"H", h}, {"W", w}}, {}};
    if (name == "copy")
        c.independent = [=](const Buffers& in, bool) {
            return std::map<std::string, std::vector<std::byte>>{
                {"out", raw(independent::copy(h, w, values<float>(in.begin()->second)))}};
        };
    else if (name == "blur")
        c.independent = [=](const Buffers& in, bool) {
            return std::map<std::string, std::vector<std::byte>>{
                {"out", raw(independent::blur(h, w, values<std::uint16_t>(in.at("img"))))}};
        };
    else if (name == "harris")
        c.independent = [=](const Buffers& in, bool) {
            auto r = independent::harris(h, w, values<std::uint8_t>(in.at("img")));
            return std::map<std::string, std::vector<std::byte>>{{"out", raw(r.out)},
                                                                 {"corners", raw(r.corners)}};
        };
    else
        c.independent = [=](const Buffers& in, bool) {
            auto f = name == "unsharp"              ? independent::unsharp
                     : name == "histogram_equalise" ? independent::histogram_equalise
                                                    : independent::iir_blur;
            return std::map<std::string, std::vector<std::byte>>{
                {"out", raw(f(h, w, values<std::uint8_t>(in.at("img"))))}};
        };
    return c;
}

std::vector<Case> cases() {
    std::vector<Case> out;
    for (auto name : {"copy", "blur", "unsharp", "harris", "histogram_equalise", "iir_blur"})
        for (auto [h, w] : {std::pair{37, 53}, {1, 1}, {130, 70}, {64, 512}})
            out.push_back(image_case(name, h, w));
    for (auto [m, n, k] : {std::array{17, 70, 23}, {1, 1, 1}, {64, 64, 32}, {9, 33, 5}}) {
        Case c{"matmul", {{"M", m}, {"N", n}, {"K", k}}, {}};
        c.independent = [m = m, n = n, k = k](const Buffers& in, bool fused) {
            return std::map<std::string, std::vector<std::byte>>{
                {"C", raw(independent::matmul(m, n, k, values<float>(in.at("A")),
                                              values<float>(in.at("B")),
                                              fused ? independent::Accumulation::fused
                                                    : independent::Accumulation::separate))}};
        };
        out.push_back(c);
    }
    return out;
}

std::string label(const testing::TestParamInfo<Case>& info) {
    auto text = info.param.program;
    for (auto [name, value] : info.param.params)
        text += "_" + name + std::to_string(value);
    return text;
}

class Programs : public testing::TestWithParam<Case> {};

TEST_P(Programs, AgreeWithReferenceAndIndependentCode) {
    const auto& c = GetParam();
    for (const auto& variant : variants()) {
        SCOPED_TRACE(variant.text());
        auto program = load_bundled(c.program, c.params, variant);
        auto inputs = random_inputs(*program.pipeline, 7);
        auto expected = run_reference(program, inputs);
        bool fused = program.tree->find_stage(program.pipeline->outputs[0].stage)->contracted[0];
        auto independent = c.independent(inputs, fused);
        for (int threads : {1, 3}) {
            auto actual = run_compiled(program, inputs, threads);
            for (const auto& [name, buffer] : expected) {
                auto difference = compare(actual.at(name), buffer);
                EXPECT_TRUE(difference.equal) << name << " differs from the reference first at "
                                              << difference.first_difference;
            }
            for (const auto& [name, bytes] : independent) {
                const auto& got = actual.at(name);
                ASSERT_EQ(got.data.size(), bytes.size()) << name;
                EXPECT_EQ(std::memcmp(got.data.data(), bytes.data(), bytes.size()), 0)
                    << name << " differs from the independent code";
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Bundled, Programs, testing::ValuesIn(cases()), label);

TEST(ConvRelu, AgreesWithReferenceAndIndependentCode) {
    for (auto sizes : {independent::ConvSizes{1, 5, 7, 3, 4}, {2, 9, 18, 8, 33}, {1, 1, 1, 1, 1}})
        for (const auto& variant : variants()) {
            auto program = load_bundled("conv_relu",
                                        {{"N", sizes.n},
                                         {"H", sizes.h},
                                         {"W", sizes.w},
                                         {"CI", sizes.ci},
                                         {"CO", sizes.co}},
                                        variant);
            auto inputs = random_inputs(*program.pipeline, 11);
            auto expected = run_reference(program, inputs);
            auto actual = run_compiled(program, inputs, 2);
            const auto& name = program.pipeline->outputs[0].stage;
            EXPECT_TRUE(compare(actual.at(name), expected.at(name)).equal);
            bool fused = false;
            for (const auto& stage : program.tree->stages)
                fused = fused || stage.contracted[0];
            auto independent = independent::conv_relu(
                sizes, values<float>(inputs.at("src")), values<float>(inputs.at("filter")),
                values<float>(inputs.at("bias")),
                fused ? independent::Accumulation::fused : independent::Accumulation::separate);
            EXPECT_EQ(values<float>(actual.at(name)), independent);
        }
}

} // namespace
