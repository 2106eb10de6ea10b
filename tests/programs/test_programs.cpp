// Every bundled program under its default and its shipped schedule, compiled, against the reference
// interpreter and against code that shares nothing with this project; bit for bit. Sizes are small
// and awkward on purpose: tails in every dimension, and sizes below one tile.

#include "tests/programs/independent.h"
#include "tests/programs/runs.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>

using namespace loopscope;
using namespace loopscope::test;

namespace test_programs {

struct Case {
    std::string program;
    Params params;
    // Outputs by name, as bytes, from the independent code. `fused`: the shipped schedule
    // contracts.
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
    for (const auto& run : runs_of(c.program, c.params))
        for (const auto& [name, bytes] : c.independent(run.inputs, run.contracted)) {
            const auto& got = run.actual.at(name);
            ASSERT_EQ(got.data.size(), bytes.size()) << name;
            EXPECT_EQ(std::memcmp(got.data.data(), bytes.data(), bytes.size()), 0)
                << name << " differs from the independent code";
        }
}

INSTANTIATE_TEST_SUITE_P(Bundled, Programs, testing::ValuesIn(cases()), label);

TEST(ConvRelu, AgreesWithReferenceAndIndependentCode) {
    for (auto s : {independent::ConvSizes{1, 5, 7, 3, 4}, {2, 9, 18, 8, 33}, {1, 1, 1, 1, 1}})
        for (const auto& run :
             runs_of("conv_relu", {{"N", s.n}, {"H", s.h}, {"W", s.w}, {"CI", s.ci}, {"CO", s.co}}))
            same(run.actual.at("out"),
                 independent::conv_relu(s, values<float>(run.inputs.at("src")),
                                        values<float>(run.inputs.at("filter")),
                                        values<float>(run.inputs.at("bias")),
                                        run.contracted ? independent::Accumulation::fused
                                                       : independent::Accumulation::separate));
}

} // namespace test_programs
