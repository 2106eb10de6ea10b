// The functions of the prelude against MPFR: within 4 ulp, and within what
// resources/help/functions.md says.
#include "tests/prelude/trial.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <thread>

namespace loopscope {
namespace {

using namespace prelude_test;

constexpr std::size_t kChunk = 1 << 16;

// Patterns begin, begin + stride, … below end, all of them judged.
void sweep_f32(Trial& trial, std::uint64_t begin, std::uint64_t end, std::uint64_t stride,
               std::size_t sample) {
    Patterns x;
    for (auto at = begin; at < end;) {
        x.clear();
        for (; x.size() < kChunk && at < end; at += stride)
            x.push_back(at);
        trial.run({x}, sample);
    }
}

std::vector<std::string> of_one_argument() {
    auto names = prelude_names();
    std::erase(names, "pow");
    return names;
}

class OneArgument : public testing::TestWithParam<std::string> {};

TEST_P(OneArgument, F32) {
    Trial trial(GetParam(), ScalarType::F32);
    trial.run({special_points(GetParam(), ScalarType::F32)}, 1);
    sweep_f32(trial, 0, 1ull << 32, 1009, 997);
    trial.report(std::min(4.0, documented_error(trial.definition.name, trial.definition.type)));
}

// All 2^32 arguments: hours of one core, therefore only where LOOPSCOPE_EXHAUSTIVE is set.
TEST_P(OneArgument, F32Exhaustive) {
    if (!std::getenv("LOOPSCOPE_EXHAUSTIVE"))
        GTEST_SKIP() << "set LOOPSCOPE_EXHAUSTIVE to try all 2^32 arguments";
    Trial all(GetParam(), ScalarType::F32);
    std::uint64_t parts = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::unique_ptr<Trial>> trials;
    for (std::uint64_t i = 0; i < parts; ++i)
        trials.push_back(std::make_unique<Trial>(GetParam(), ScalarType::F32));
    {
        std::vector<std::jthread> threads;
        for (std::uint64_t i = 0; i < parts; ++i)
            threads.emplace_back([&, i] {
                sweep_f32(*trials[i], i * (1ull << 32) / parts, (i + 1) * (1ull << 32) / parts, 1,
                          100'003);
            });
    }
    for (const auto& t : trials)
        all.judge.add(t->judge.worst());
    std::cout << "    all: " << all.judge.worst().text(GetParam(), ScalarType::F32) << "\n";
    EXPECT_LE(all.judge.worst().error, documented_error(GetParam(), ScalarType::F32));
}

TEST_P(OneArgument, F64) {
    Trial trial(GetParam(), ScalarType::F64);
    trial.run({special_points(GetParam(), ScalarType::F64)}, 4);
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
        trial.run({random_f64(GetParam(), 100'000, seed)}, 199);
    trial.report(std::min(4.0, documented_error(trial.definition.name, trial.definition.type)));
}

// f16 and bf16 are the f32 function rounded once: every argument, within half an ulp and what f32
// lacks.
TEST_P(OneArgument, EveryHalf) {
    for (auto type : {ScalarType::F16, ScalarType::BF16}) {
        Trial trial(GetParam(), type);
        Patterns x;
        for (std::uint64_t b = 0; b < 65536; ++b)
            x.push_back(b);
        trial.run({x}, 16);
        trial.report(0.502);
    }
}

INSTANTIATE_TEST_SUITE_P(Prelude, OneArgument, testing::ValuesIn(of_one_argument()),
                         [](const auto& info) { return info.param; });

TEST(Pow, F32) {
    Trial trial("pow", ScalarType::F32);
    trial.run(special_pairs(ScalarType::F32), 1);
    for (std::uint64_t seed = 1; seed <= 16; ++seed)
        trial.run(random_pairs(ScalarType::F32, 100'000, seed), 997);
    trial.report(std::min(4.0, documented_error(trial.definition.name, trial.definition.type)));
}

TEST(Pow, F64) {
    Trial trial("pow", ScalarType::F64);
    trial.run(special_pairs(ScalarType::F64), 1);
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
        trial.run(random_pairs(ScalarType::F64, 100'000, seed), 199);
    trial.report(std::min(4.0, documented_error(trial.definition.name, trial.definition.type)));
}

TEST(Pow, Half) {
    for (auto type : {ScalarType::F16, ScalarType::BF16}) {
        Trial trial("pow", type);
        trial.run(special_pairs(type), 1);
        trial.run(random_pairs(type, 200'000, 3), 97);
        trial.report(0.502);
    }
}

// As the base of whole powers pow is exact where the result is a small whole number.
TEST(Pow, SmallWholeNumbersAreExact) {
    Trial wide("pow", ScalarType::F64), narrow("pow", ScalarType::F32);
    for (int x = -12; x <= 12; ++x)
        for (int y = 0; y <= 5; ++y) {
            double real = 1;
            for (int i = 0; i < y; ++i)
                real *= x;
            EXPECT_EQ(narrow.evaluate(bits_of(ScalarType::F32, x), bits_of(ScalarType::F32, y)),
                      bits_of(ScalarType::F32, real))
                << x << "**" << y;
            EXPECT_EQ(wide.evaluate(bits_of(ScalarType::F64, x), bits_of(ScalarType::F64, y)),
                      bits_of(ScalarType::F64, real))
                << x << "**" << y;
        }
}

} // namespace
} // namespace loopscope
