// Loads of lanes far apart that read neighbours in each lane: the values of single gathers, nothing
// read beyond what these read, and machine code of dense loads and a network of shuffles.
#include "compiler/codegen/host/host_info.h"
#include "tests/codegen/fenced_array.h"
#include "tests/codegen/host_support.h"
#include "tests/support/turns.h"

#include <bit>

namespace loopscope::test {
namespace test_transpose {

template <typename T> class Transposed : public ::testing::Test {};
using Types = ::testing::Types<float, std::uint8_t, std::int16_t, std::int64_t, bool>;
TYPED_TEST_SUITE(Transposed, Types);

struct Case {
    int columns, stride;
    bool masked; // the last lane is off, and lies outside of the array
    int on(int lanes) const { return masked ? lanes - 1 : lanes; }
    int span(int lanes) const { return columns + std::abs(stride) * (on(lanes) - 1); }
    // Where lane 0 lies if the lanes that are on fill an array of `size` up to its end, or from its
    // begin on.
    int first(int lanes, int size, bool behind) const {
        return (behind ? size - span(lanes) : 0) + (stride < 0 ? -stride * (on(lanes) - 1) : 0);
    }
};

std::vector<Case> cases() {
    std::vector<Case> out;
    for (int columns : {1, 2, 3, 6, 19})
        for (int stride : {5, -7})
            for (bool masked : {false, true})
                out.push_back({columns, stride, masked});
    return out;
}

TYPED_TEST(Transposed, TilesOfAnySizeGiveTheValuesOfGathers) {
    using T = std::conditional_t<std::is_same_v<TypeParam, bool>, std::uint8_t, TypeParam>;
    const auto type = scalar_type<TypeParam>();
    const int size = 512;
    for (int lanes : part_in_turn<int>({2, 3, 8, 16, 17}, 2))
        for (bool behind : {true, false})
            for (const auto& without : {std::vector<std::string>{}, {"avx512f"}, {"avx"}}) {
                if (!without.empty() && (lanes != 16 || !behind))
                    continue;
                std::vector<lower::StatementPtr> blocks;
                int written = 0;
                for (const auto& c : cases()) {
                    std::vector<lower::StatementPtr> stores;
                    const auto name = "i" + std::to_string(blocks.size()); // unique in a program
                    auto on =
                        ramp(number(0), number(1), lanes) < broadcast(number(c.on(lanes)), lanes);
                    for (int column = 0; column < c.columns; ++column, written += lanes) {
                        auto at = ramp(var(name) + number(c.first(lanes, size, behind) + column),
                                       number(c.stride), lanes);
                        stores.push_back(put("out", ramp(number(written), number(1), lanes),
                                             c.masked ? masked_load("a", type, {at}, on)
                                                      : load("a", type, {at})));
                    }
                    blocks.push_back(serial(name, 1, lower::block(stores)));
                }
                FencedArray<T> a(size, behind);
                Array<T> result(static_cast<std::size_t>(written));
                run(program({in("a", type, size), out("out", type, written)}, lower::block(blocks)),
                    {a.data(), result.data()}, 1, without);
                std::size_t place = 0;
                for (const auto& c : cases())
                    for (int column = 0; column < c.columns; ++column)
                        for (int lane = 0; lane < lanes; ++lane, ++place) {
                            auto from = c.first(lanes, size, behind) + column + c.stride * lane;
                            T wanted =
                                lane < c.on(lanes) ? a[static_cast<std::size_t>(from)] : T(0);
                            if (is_bool(type))
                                wanted = T(wanted != 0);
                            ASSERT_EQ(result[place], wanted)
                                << lanes << " lanes, " << c.columns << " columns, stride "
                                << c.stride << ", masked " << c.masked << ", lane " << lane;
                        }
                ASSERT_TRUE(result.intact());
            }
}

std::size_t count(const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++found;
    return found;
}

// out[x, y] = a[y, x], of squares as wide as a vector.
lower::Program squares(ScalarType type, int lanes) {
    std::vector<lower::StatementPtr> stores;
    for (int y = 0; y < lanes; ++y)
        stores.push_back(put(
            "out", ramp(var("i") * number(lanes) + number(y * 1024), number(1), lanes),
            load("a", type, {ramp(var("i") * number(lanes) + number(y), number(1024), lanes)})));
    return program({in("a", type, 1024 * lanes), out("out", type, 1024 * lanes)},
                   serial("i", 1024 / lanes, lower::block(stores)));
}

TEST(Transposed, SquaresTakeOneShuffleAStepAndVector) {
#if !defined(__x86_64__)
    GTEST_SKIP() << "counts instructions of x86";
#endif
    for (const auto& without : {std::vector<std::string>{}, {"avx512f"}, {"avx"}})
        for (auto type : {ScalarType::F32, ScalarType::I32, ScalarType::F64}) {
            codegen::HostOptions options;
            options.keep_text = true;
            options.without = without;
            const auto host = codegen::host_info_without(without);
            const int lanes = host.vector_bits / bits(type);
            auto compiled = codegen::HostProgram::compile(squares(type, lanes), options);
            ASSERT_TRUE(compiled.ok()) << format(compiled.errors());
            const auto text = (*compiled)->assembly().text;
            EXPECT_EQ(count(text, "gather"), 0u) << text;
            EXPECT_EQ(count(text, "pinsr") + count(text, "insertps"), 0u) << text;
            // two operands: copies are shuffles, too
            if (host.vector_bits < 256)
                continue;
            const auto steps =
                static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(lanes)));
            EXPECT_LE(count(text, "\tvunpck") + count(text, "\tvpunpck") + count(text, "\tvshuf") +
                          count(text, "\tvperm") + count(text, "\tvinsert") +
                          count(text, "\tvblend"),
                      steps * static_cast<std::size_t>(lanes))
                << text;
        }
}

// A store to eight elements, of eight that lie a stride apart.
struct Move {
    int to, from, stride;
    int on = 8; // lanes
    bool of_out = false;
};

// What lies apart, or is written meanwhile, is read as before.
TEST(Transposed, OthersKeepTheirOrder) {
    const int lanes = 8, size = 200;
    const std::vector<std::vector<Move>> lists{
        {{0, 0, 10}, {8, 1, 10}, {16, 1, 10}, {24, 0, 10}},               // columns twice
        {{0, 0, 10}, {8, 1, 11}, {16, 1, 10}},                            // another stride
        {{0, 0, 10}, {8, 50, 10}, {16, 100, 10}},                         // far from each other
        {{0, 0, 10}, {8, 2, 10}, {16, 5, 10}, {24, 7, 10}},               // with gaps
        {{0, 0, 10}, {8, 1, 10, 5}, {16, 2, 10, 5}, {24, 3, 10}},         // under other masks
        {{0, 0, 10, 8, true}, {3, 1, 10, 8, true}, {40, 2, 10, 8, true}}, // of what is written
        {{0, 5, 10}, {8, 6, 10}, {160, 1, 10, 8, true}, {16, 7, 10}},
    };
    for (std::size_t number_of_list = 0; number_of_list < lists.size(); ++number_of_list) {
        Array<float> a(size), result(size);
        std::vector<float> wanted(size);
        for (std::size_t i = 0; i < size; ++i) {
            a[i] = static_cast<float>(i);
            result[i] = wanted[i] = static_cast<float>(1000 + i);
        }
        std::vector<lower::StatementPtr> stores;
        for (const auto& move : lists[number_of_list]) {
            auto at = ramp(number(move.from), number(move.stride), lanes);
            auto mask = ramp(number(0), number(1), lanes) < broadcast(number(move.on), lanes);
            const char* buffer = move.of_out ? "out" : "a";
            stores.push_back(put("out", ramp(number(move.to), number(1), lanes),
                                 move.on < lanes ? masked_load(buffer, ScalarType::F32, {at}, mask)
                                                 : load(buffer, ScalarType::F32, {at})));
            std::vector<float> read;
            for (int lane = 0; lane < lanes; ++lane) {
                auto from = static_cast<std::size_t>(move.from + move.stride * lane);
                read.push_back(lane >= move.on ? 0.0f : move.of_out ? wanted[from] : a[from]);
            }
            for (int lane = 0; lane < lanes; ++lane)
                wanted[static_cast<std::size_t>(move.to + lane)] =
                    read[static_cast<std::size_t>(lane)];
        }
        run(program({in("a", ScalarType::F32, size), out("out", ScalarType::F32, size)},
                    lower::block(stores)),
            {a.data(), result.data()});
        for (std::size_t i = 0; i < size; ++i)
            ASSERT_EQ(result[i], wanted[i]) << "list " << number_of_list << ", element " << i;
    }
}

// A place, or a mask, that one store changes is another one for the next.
TEST(Transposed, PlacesAndMasksThatTheStoresChange) {
    const int lanes = 8, stride = 20;
    auto now = load("now", ScalarType::I32, {number(0)});
    auto on = ramp(number(0), number(1), lanes) < broadcast(now, lanes);
    auto first = [&](const ExprPtr& base, int column) {
        return ramp(base + number(column), number(stride), lanes);
    };
    std::vector<lower::StatementPtr> stores;
    for (int round = 0; round < 2; ++round) {
        for (int column = 0; column < 2; ++column) {
            const int to = (4 * round + 2 * column) * lanes;
            stores.push_back(put("out", ramp(number(to), number(1), lanes),
                                 load("a", ScalarType::F32, {first(now, column)})));
            stores.push_back(
                put("out", ramp(number(to + lanes), number(1), lanes),
                    masked_load("a", ScalarType::F32, {first(number(10), column)}, on)));
        }
        stores.push_back(put("now", number(0), now + number(3)));
    }
    Array<float> a(200), result(8 * lanes);
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = static_cast<float>(1 + i);
    Array<std::int32_t> place(1);
    place[0] = 2;
    run(program({in("a", ScalarType::F32, 200), out("out", ScalarType::F32, 8 * lanes),
                 out("now", ScalarType::I32, 1)},
                lower::block(stores)),
        {a.data(), result.data(), place.data()});
    for (int round = 0; round < 2; ++round)
        for (int column = 0; column < 2; ++column)
            for (int lane = 0; lane < lanes; ++lane) {
                const int at = (4 * round + 2 * column) * lanes + lane, known = 2 + 3 * round;
                const auto value = [&](int base) {
                    return a[static_cast<std::size_t>(base + column + stride * lane)];
                };
                EXPECT_EQ(result[static_cast<std::size_t>(at)], value(known));
                EXPECT_EQ(result[static_cast<std::size_t>(at + lanes)],
                          lane < known ? value(10) : 0.0f);
            }
    EXPECT_EQ(place[0], 8);
}

// A name in the index of a load is known where it is read alone.
TEST(Transposed, NamesInsideOfExpressions) {
    const int lanes = 8;
    std::vector<lower::StatementPtr> stores;
    for (int k = 0; k < 4; ++k) {
        auto at = ramp(var("p" + std::to_string(k)), number(20), lanes);
        stores.push_back(put(
            "out", ramp(number(k * lanes), number(1), lanes),
            let("p" + std::to_string(k), var("i") + number(k), load("a", ScalarType::F32, {at}))));
    }
    Array<float> a(200), result(4 * lanes);
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = static_cast<float>(i);
    run(program({in("a", ScalarType::F32, 200), out("out", ScalarType::F32, 4 * lanes)},
                serial("i", 1, lower::block(stores))),
        {a.data(), result.data()});
    for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t x = 0; x < lanes; ++x)
            ASSERT_EQ(result[k * lanes + x], static_cast<float>(20 * x + k));
}

} // namespace test_transpose
} // namespace loopscope::test
