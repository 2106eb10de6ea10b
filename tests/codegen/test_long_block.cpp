// Copies of a long body in one block of instructions: what all of them use is kept, and code does
// not grow faster than they do.
#include "tests/codegen/host_support.h"

#include <algorithm>

namespace loopscope::test {
namespace test_long_block {
namespace {

constexpr int kTerms = 20;

// out[c] = a[c]*0.5 + a[c + 1]*1.5 + …, of so many copies.
lower::Program copies_of_sums(int copies) {
    std::vector<lower::StatementPtr> stores;
    for (int c = 0; c < copies; ++c) {
        ExprPtr sum;
        for (int t = 0; t < kTerms; ++t) {
            const auto term =
                get("a", ScalarType::F64, number(c + t)) * constant_float(ScalarType::F64, t + 0.5);
            sum = sum ? sum + term : term;
        }
        stores.push_back(put("out", number(c), sum));
    }
    return program({in("a", ScalarType::F64, copies + kTerms), out("out", ScalarType::F64, copies)},
                   lower::block(std::move(stores)));
}

std::size_t count(const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++found;
    return found;
}

TEST(LongBlocks, TakeNoMoreCodeForACopyThanShortOnes) {
    auto lines_per_copy = [](int copies) {
        const auto host = compiled(copies_of_sums(copies), true);
        const auto text = host ? host->assembly().text : "";
        // Constants are read where they are: none has its address, or itself, in a register
        // throughout.
        EXPECT_EQ(count(text, "movabs"), 0u);
        EXPECT_LE(count(text, "Reload"), static_cast<std::size_t>(copies));
        return static_cast<double>(count(text, "\n")) / copies;
    };
    const auto short_block = lines_per_copy(100);
    EXPECT_LT(lines_per_copy(600), 1.1 * short_block);
}

TEST(LongBlocks, GiveTheSameBits) {
    constexpr int kCopies = 500;
    Array<double> a(kCopies + kTerms), result(kCopies);
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = 1.0 / (3.0 + static_cast<double>(i));
    run(copies_of_sums(kCopies), {a.data(), result.data()});
    for (std::size_t c = 0; c < kCopies; ++c) {
        double sum = a[c] * 0.5;
        for (int t = 1; t < kTerms; ++t)
            sum += a[c + static_cast<std::size_t>(t)] * (t + 0.5);
        ASSERT_TRUE(same_bits(result[c], sum)) << c;
    }
    EXPECT_TRUE(result.intact());
}

} // namespace
} // namespace test_long_block
} // namespace loopscope::test
