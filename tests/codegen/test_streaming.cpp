// Streaming stores and prefetches: the instructions that they become, and that they change no
// value.
#include "compiler/codegen/host/host_info.h"
#include "tests/codegen/host_support.h"

#include <algorithm>
#include <numeric>

namespace loopscope::test {
namespace test_streaming {

lower::StatementPtr streaming(const lower::StatementPtr& store) {
    auto copy = *store;
    copy.access->streaming = true;
    return std::make_shared<const lower::Statement>(copy);
}

std::size_t count(const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++found;
    return found;
}

#if defined(__x86_64__)
constexpr bool kX86 = true;
#else
constexpr bool kX86 = false;
#endif

// out[at + lane] = a[lane], of rows with this many elements.
lower::Program copy_of(ScalarType type, int lanes, std::int64_t row, std::int64_t offset,
                       bool threads = false) {
    auto start = var("y") * number(row) + var("x") * number(lanes) + number(offset);
    auto from = var("y") * number(row) + var("x") * number(lanes);
    auto store = lanes == 1 ? put("out", start, get("a", type, from))
                            : put("out", ramp(start, number(1), lanes),
                                  load("a", type, {ramp(from, number(1), lanes)}));
    auto columns = serial("x", row / lanes, streaming(store));
    return program({in("a", type, 4 * row), out("out", type, 4 * row + offset)},
                   threads ? parallel("y", 4, columns) : serial("y", 4, columns));
}

template <typename T> void expect_copied(const lower::Program& p, std::int64_t offset) {
    auto size = static_cast<std::size_t>(p.arguments[0].extents[0].constant());
    Array<T> a(size), result(size + static_cast<std::size_t>(offset));
    for (std::size_t i = 0; i < size; ++i)
        a[i] = static_cast<T>(i * 7 + 1);
    run(p, {a.data(), result.data()}, 2);
    for (std::size_t i = 0; i < size; ++i)
        ASSERT_EQ(result[i + static_cast<std::size_t>(offset)], a[i]) << i;
    EXPECT_TRUE(result.intact());
}

std::string assembly(const lower::Program& p) {
    auto host = compiled(p, true);
    return host ? host->assembly().text : "";
}

TEST(Streaming, WholeVectorsWhereTheirAlignmentIsKnown) {
    if (!kX86)
        GTEST_SKIP() << "only x86 has streaming stores of vectors";
    auto p = copy_of(ScalarType::F32, 8, 64, 0);
    auto text = assembly(p);
    EXPECT_NE(text.find("movntps"), std::string::npos) << text;
    EXPECT_EQ(count(text, "movnti"), 0u) << text;
    EXPECT_EQ(count(text, "sfence"), 1u) << text;
    expect_copied<float>(p, 0);
}

// One element beyond: pieces of 4 or 8 bytes, the same values.
TEST(Streaming, PiecesWhereItIsNot) {
    if (!kX86)
        GTEST_SKIP() << "only x86 has streaming stores of single elements";
    for (auto [row, offset] : {std::pair<std::int64_t, std::int64_t>{64, 1}, {72, 3}}) {
        auto p = copy_of(ScalarType::F32, 8, row, offset);
        auto text = assembly(p);
        // SSE4A has the latter
        EXPECT_GE(count(text, "movnti") + count(text, "movntsd"), 1u) << text;
        EXPECT_EQ(count(text, "movntps"), 0u) << text;
        expect_copied<float>(p, offset);
    }
}

TEST(Streaming, Scalars) {
    if (!kX86)
        GTEST_SKIP() << "only x86 has streaming stores of single elements";
    for (auto type : {ScalarType::F32, ScalarType::F64, ScalarType::I32, ScalarType::I64}) {
        auto text = assembly(copy_of(type, 1, 16, 0));
        EXPECT_NE(text.find("movnti"), std::string::npos) << name(type) << text;
    }
    expect_copied<float>(copy_of(ScalarType::F32, 1, 16, 0), 0);
    expect_copied<double>(copy_of(ScalarType::F64, 1, 16, 2), 2);
    expect_copied<std::int64_t>(copy_of(ScalarType::I64, 1, 16, 1), 1);
}

// There is no streaming store of 1 or 2 bytes: plain ones, and no fence.
TEST(Streaming, SmallElementsStreamAsWholeVectorsAlone) {
    if (!kX86)
        GTEST_SKIP() << "only x86 has streaming stores of vectors";
    for (auto p : {copy_of(ScalarType::U8, 1, 64, 0), copy_of(ScalarType::I16, 8, 64, 1),
                   copy_of(ScalarType::U8, 8, 64, 0)}) {
        auto text = assembly(p);
        EXPECT_EQ(count(text, "movnt"), 0u) << text;
        EXPECT_EQ(count(text, "sfence"), 0u) << text;
    }
    auto wide = copy_of(ScalarType::U8, 32, 64, 0);
    EXPECT_GE(count(assembly(wide), "movnt"), 1u);
    expect_copied<std::uint8_t>(wide, 0);
    expect_copied<std::uint8_t>(copy_of(ScalarType::U8, 8, 64, 0), 0);
    expect_copied<std::int16_t>(copy_of(ScalarType::I16, 8, 64, 1), 1);
}

TEST(Streaming, MaskedStoresArePlain) {
    auto at = ramp(number(0), number(1), 8);
    auto store = lower::store({}, "out", {at}, load("a", ScalarType::F32, {at}),
                              at < broadcast(number(5), 8));
    auto p =
        program({in("a", ScalarType::F32, 8), out("out", ScalarType::F32, 8)}, streaming(store));
    EXPECT_EQ(count(assembly(p), "movnt"), 0u);
}

// Each function fences its own; before a parallel loop begins too, for its threads read what was
// stored.
TEST(Streaming, ThreadsSeeWhatStreams) {
    if (!kX86)
        GTEST_SKIP() << "only x86 needs a fence";
    auto text = assembly(copy_of(ScalarType::F32, 8, 64, 0, true));
    EXPECT_EQ(count(text, "sfence"), 1u) << "in the loop's body alone" << text;
    expect_copied<float>(copy_of(ScalarType::F32, 8, 64, 0, true), 0);

    auto lanes = ramp(var("i") * number(8), number(1), 8);
    auto first = serial("i", 8, streaming(put("b", lanes, load("a", ScalarType::F32, {lanes}))));
    auto second = parallel("j", 64, put("c", var("j"), get("b", ScalarType::F32, var("j"))));
    auto both = program({in("a", ScalarType::F32, 64), out("b", ScalarType::F32, 64),
                         out("c", ScalarType::F32, 64)},
                        lower::block({first, second}));
    auto fenced = assembly(both);
    EXPECT_EQ(count(fenced, "sfence"), 2u) << fenced;
    EXPECT_LT(fenced.find("sfence"), fenced.find("call")) << fenced;
}

// A tile's least point, min(t*32, 96), and a let of it: multiples of 32 both.
TEST(Streaming, AlignmentIsFollowedThroughMinimaAndLets) {
    if (!kX86)
        GTEST_SKIP() << "only x86 has streaming stores of vectors";
    auto start = binary(Op::Min, var("t") * number(32), number(96));
    auto at = ramp(var("m") + var("x") * number(16), number(1), 16);
    auto body = lower::let_statement(
        {}, "m", start,
        serial("x", 2, streaming(put("out", at, load("a", ScalarType::F32, {at})))));
    auto p = program({in("a", ScalarType::F32, 128), out("out", ScalarType::F32, 128)},
                     parallel("t", 4, body));
    auto text = assembly(p);
    EXPECT_NE(text.find("movntps"), std::string::npos) << text;
    EXPECT_EQ(count(text, "movnti"), 0u) << text;
    expect_copied<float>(p, 0);
}

// Vectors of any number of lanes, at places that only the run knows.
TEST(Streaming, AnyWidthAndPlaceGivesTheValues) {
    for (int lanes : {2, 3, 4, 5, 7, 8, 12, 16, 17, 23, 32})
        for (std::int64_t offset : {0, 1, 2, 4, 5}) {
            auto row = static_cast<std::int64_t>(lanes) * 3;
            expect_copied<float>(copy_of(ScalarType::F32, lanes, row, offset), offset);
            expect_copied<double>(copy_of(ScalarType::F64, lanes, row, offset), offset);
            expect_copied<std::uint8_t>(copy_of(ScalarType::U8, lanes, row, offset), offset);
            expect_copied<std::int16_t>(copy_of(ScalarType::I16, lanes, row, offset), offset);
        }
}

TEST(Streaming, PrefetchesBecomeInstructions) {
    auto ahead = binary(Op::Min, var("i") + number(16), number(63));
    auto body = lower::block({lower::prefetch({}, "a", {ahead}),
                              put("out", var("i"), get("a", ScalarType::F32, var("i")))});
    auto p = program({in("a", ScalarType::F32, 64), out("out", ScalarType::F32, 64)},
                     parallel("i", 64, body));
    auto host = compiled(p, true);
    ASSERT_TRUE(host);
    EXPECT_NE(host->ir_optimized().text.find("call void @llvm.prefetch.p0("), std::string::npos);
    if (kX86) {
        EXPECT_NE(host->assembly().text.find("prefetcht0"), std::string::npos)
            << host->assembly().text;
    }
    expect_copied<float>(p, 0);
}

} // namespace test_streaming
} // namespace loopscope::test
