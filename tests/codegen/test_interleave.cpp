// Stores side by side whose lanes lie 2 to 4 elements apart: dense stores of shuffled vectors where
// they fill what lies between, and always the values that the single stores would have left.
#include "tests/codegen/host_support.h"
#include "tests/support/turns.h"

#include <algorithm>

namespace loopscope::test {
namespace test_interleave {

ExprPtr lane_of(int lanes) { return ramp(number(0), number(1), lanes); }
ExprPtr element(ScalarType type, std::int64_t at, int lanes) {
    return load("a", type, {ramp(number(at), number(1), lanes)});
}

bool scatters(const lower::Program& p) {
    auto host = compiled(p, true);
    return host && host->ir_as_built().text.find("scatter") != std::string::npos;
}

template <typename T> class Interleaved : public ::testing::Test {};
using Types = ::testing::Types<float, double, std::uint8_t, std::int16_t, bool>;
TYPED_TEST_SUITE(Interleaved, Types);

// out[stride*x + r] = a[r*lanes + x] for each r, in an order that is not theirs.
TYPED_TEST(Interleaved, AllPlacesBecomeDenseStores) {
    using T = std::conditional_t<std::is_same_v<TypeParam, bool>, std::uint8_t, TypeParam>;
    auto type = scalar_type<TypeParam>();
    for (int lanes : part_in_turn<int>({2, 4, 7, 8, 16, 32}, 2))
        for (int stride : {2, 3, 4})
            for (int masked : {0, 1, 2}) // 2: each store in its own way
                for (const std::vector<std::string>& without :
                     {std::vector<std::string>{}, {"avx512f"}}) {
                    std::int64_t size = lanes * stride;
                    Array<T> a(static_cast<std::size_t>(size));
                    Array<T> result(static_cast<std::size_t>(size + 5), T(7));
                    for (std::size_t i = 0; i < a.size(); ++i)
                        a[i] = is_bool(type) ? T(i % 3 == 0) : T(i + 1);
                    auto on = [&](int r) { return masked == 2 ? lanes - r : lanes - 1; };
                    auto mask = [&](int r) {
                        return masked ? lane_of(lanes) < broadcast(number(on(r)), lanes) : nullptr;
                    };
                    std::vector<lower::StatementPtr> stores;
                    for (int k = 0; k < stride; ++k) {
                        int r = (k + 1) % stride;
                        stores.push_back(put("out", ramp(number(r + 3), number(stride), lanes),
                                             element(type, r * lanes, lanes), mask(r)));
                    }
                    auto p = program({in("a", type, size), out("out", type, size + 5)},
                                     lower::block(stores));
                    EXPECT_FALSE(scatters(p)) << lanes << " lanes, stride " << stride;
                    run(p, {a.data(), result.data()}, 1, without);
                    for (int i = 0; i < size + 5; ++i) {
                        int x = (i - 3) / stride, r = (i - 3) % stride;
                        bool written = i >= 3 && i < size + 3 && !(masked && x >= on(r));
                        ASSERT_EQ(result[static_cast<std::size_t>(i)],
                                  written ? a[static_cast<std::size_t>(r * lanes + x)] : T(7))
                            << lanes << " lanes, stride " << stride << ", element " << i;
                    }
                    ASSERT_TRUE(result.intact());
                }
}

// Two rows of pairs, stored in turn, as unrolled loops over both make them.
TEST(Interleaved, GroupsOfOneBlock) {
    const int lanes = 8;
    auto store = [&](std::int64_t at, std::int64_t from) {
        return put("out", ramp(var("i") * number(64) + number(at), number(2), lanes),
                   element(ScalarType::F32, from, lanes));
    };
    auto p = program(
        {in("a", ScalarType::F32, 32), out("out", ScalarType::F32, 128)},
        serial("i", 2, lower::block({store(0, 0), store(32, 8), store(1, 16), store(33, 24)})));
    EXPECT_FALSE(scatters(p));
    Array<float> a(32), result(128, -1.0f);
    for (std::size_t i = 0; i < 32; ++i)
        a[i] = static_cast<float>(i);
    run(p, {a.data(), result.data()});
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t x = 0; x < 64; ++x) {
            auto in_row = x % 32;
            float wanted = in_row >= 16
                               ? -1.0f
                               : static_cast<float>(x / 32 * 8 + in_row % 2 * 16 + in_row / 2);
            ASSERT_EQ(result[i * 64 + x], wanted) << i << ' ' << x;
        }
}

struct Apart {
    const char* why;
    std::vector<std::int64_t> places;
    bool reads_result = false;
    bool masks_differ = false;
    bool scattered = true;
};

// What cannot be written together stays as it is, in order.
TEST(Interleaved, OthersKeepTheirOrder) {
    const int lanes = 8;
    for (const auto& c :
         {Apart{"a place is missing", {0}}, Apart{"the same places twice", {0, 1, 0}},
          Apart{"places that overlap", {0, 1, 4}},
          Apart{"the later reads the earlier", {0, 1}, true},
          Apart{"other masks", {0, 1}, false, true},
          Apart{"one too many, elsewhere", {40, 0, 1}, false, false, true}}) {
        Array<float> a(64), result(96, -1.0f);
        for (std::size_t i = 0; i < 64; ++i)
            a[i] = static_cast<float>(i + 1);
        std::vector<float> wanted(96, -1.0f);
        std::vector<lower::StatementPtr> stores;
        for (std::size_t k = 0; k < c.places.size(); ++k) {
            auto from = static_cast<std::int64_t>(k) * lanes;
            auto value = element(ScalarType::F32, from, lanes);
            std::vector<float> lanes_read(lanes);
            for (int x = 0; x < lanes; ++x)
                lanes_read[static_cast<std::size_t>(x)] = a[static_cast<std::size_t>(from + x)];
            if (c.reads_result && k > 0) {
                value = value + load("out", ScalarType::F32, {ramp(number(0), number(1), lanes)});
                for (std::size_t x = 0; x < lanes; ++x)
                    lanes_read[x] += wanted[x];
            }
            int on = c.masks_differ && k > 0 ? 5 : lanes;
            auto mask = on < lanes ? lane_of(lanes) < broadcast(number(on), lanes) : nullptr;
            stores.push_back(put("out", ramp(number(c.places[k]), number(2), lanes), value, mask));
            for (int x = 0; x < on; ++x)
                wanted[static_cast<std::size_t>(c.places[k] + 2 * x)] =
                    lanes_read[static_cast<std::size_t>(x)];
        }
        auto p = program({in("a", ScalarType::F32, 64), out("out", ScalarType::F32, 96)},
                         lower::block(stores));
        EXPECT_EQ(scatters(p), c.scattered) << c.why;
        run(p, {a.data(), result.data()});
        for (std::size_t i = 0; i < 96; ++i)
            ASSERT_EQ(result[i], wanted[i]) << c.why << ", element " << i;
    }
}

} // namespace test_interleave
} // namespace loopscope::test
