#include "core/ir/extent.h"
#include "core/ir/type.h"

#include <gtest/gtest.h>

namespace loopscope {
namespace {

TEST(ScalarType, NamesRoundTrip) {
    for (int i = 0; i <= static_cast<int>(ScalarType::F64); ++i) {
        auto type = static_cast<ScalarType>(i), parsed = ScalarType::Bool;
        ASSERT_TRUE(parse_scalar_type(name(type), parsed)) << name(type);
        EXPECT_EQ(parsed, type);
    }
    ScalarType t = ScalarType::I8;
    EXPECT_FALSE(parse_scalar_type("int", t));
    EXPECT_EQ(t, ScalarType::I8);
}

TEST(ScalarType, HasItsRange) {
    EXPECT_EQ(least(ScalarType::I8), -128);
    EXPECT_EQ(greatest(ScalarType::I8), 127);
    EXPECT_EQ(greatest(ScalarType::U16), 65535);
    EXPECT_EQ(greatest(ScalarType::U32), 4294967295);
    EXPECT_EQ(least(ScalarType::I64), INT64_MIN);
    EXPECT_EQ(greatest(ScalarType::U64), INT64_MAX);
    EXPECT_EQ(greatest(ScalarType::Bool), 1);
    EXPECT_EQ(bytes(ScalarType::Bool), 1);
    EXPECT_EQ(bytes(ScalarType::BF16), 2);
}

TEST(Extent, IsAffineInSymbols) {
    auto l = Extent::symbol("L", 128);
    auto e = l * 2 + Extent(1) - Extent::symbol("M", 3);
    EXPECT_EQ(e.text(), "2*L - M + 1");
    EXPECT_EQ(e.hint(), 254);
    EXPECT_EQ(e.value({{"L", 10}, {"M", 1}}), 20);
    EXPECT_FALSE(e.is_constant());
    EXPECT_TRUE((l - l).is_constant());
    EXPECT_EQ((l - l).text(), "0");
    EXPECT_EQ((l * 0), Extent(0));
    EXPECT_EQ((l * -1 + Extent(4)).text(), "-L + 4");
    EXPECT_EQ((l + Extent(1)).hash(), (Extent(1) + l).hash());
    EXPECT_NE(l.hash(), Extent(128).hash());
}

} // namespace
} // namespace loopscope
