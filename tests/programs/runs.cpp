#include "tests/programs/runs.h"

#include "compiler/run/compare.h"
#include "tests/programs/compared.h"
#include "tests/programs/independent_operators.h"

namespace loopscope::test {

std::vector<Runs> runs_of(const std::string& name, const Params& params, const Buffers& given) {
    std::vector<Runs> out;
    note_compared(name + ".loop");
    References references; // inputs depend on the pipeline alone
    for (const auto& variant : variants(name)) {
        if (variant.shipped)
            note_compared(variant.gpu ? gpu_schedule(name) : shipped_schedule(name));
        auto program = load_bundled(name, params, variant);
        auto inputs = given.empty() ? random_inputs(*program.pipeline, 7) : given;
        const auto& expected = references.of(program, inputs);
        bool contracted = false;
        for (const auto& stage : program.tree->stages)
            contracted = contracted || stage.contracted[0];
        for (auto& actual : run_compiled(program, inputs, std::vector<int>{1, 3})) {
            if (!program.tree->reassociates()) {
                for (const auto& [output, buffer] : expected)
                    EXPECT_TRUE(compare(actual.at(output), buffer).equal)
                        << name << ", " << variant.text() << ": " << output;
            }
            out.push_back({inputs, std::move(actual), contracted, variant.shipped});
        }
    }
    return out;
}

namespace {

template <typename T>
void near(const std::vector<float>& got, const std::vector<T>& expected, double bound) {
    ASSERT_EQ(got.size(), expected.size());
    double greatest = 0;
    for (double e : expected)
        greatest = std::max(greatest, std::fabs(e));
    for (std::size_t n = 0; n < got.size(); ++n)
        ASSERT_NEAR(got[n], expected[n], bound * greatest) << "element " << n;
}

} // namespace

void close(const Buffer& actual, const std::vector<double>& expected, double bound) {
    near(values<float>(actual), expected, bound);
}

void halves_near(const Buffer& actual, const Buffer& expected, double bound) {
    near(independent::half_values(values<std::uint16_t>(actual)),
         independent::half_values(values<std::uint16_t>(expected)), bound);
}

} // namespace loopscope::test
