// The units that a person prefers, for all numbers; and the size of code.
#include "views/style/fonts.h"
#include "views/style/number_format.h"

#include <gtest/gtest.h>

#include <QApplication>

#include <limits>

namespace loopscope::views::test {
namespace test_units {

const QString kThinSpace = QString(QChar(0x202f));

class UnitsSet : public testing::Test {
protected:
    void TearDown() override { set_units({}); }
};

TEST_F(UnitsSet, TimesAreWrittenInOneUnit) {
    EXPECT_EQ(format_seconds(1.96e-3), "1.96" + kThinSpace + "ms");
    set_units({TimeUnit::Microseconds, MemoryUnit::Usual});
    EXPECT_EQ(format_seconds(1.96e-3), "1960" + kThinSpace + "µs");
    EXPECT_EQ(format_seconds(31e-9), "0.031" + kThinSpace + "µs");
    set_units({TimeUnit::Milliseconds, MemoryUnit::Usual});
    EXPECT_EQ(format_seconds(196e-6), "0.196" + kThinSpace + "ms");
    EXPECT_EQ(format_seconds(2), "2000" + kThinSpace + "ms");
    EXPECT_EQ(format_seconds(std::numeric_limits<double>::infinity()), kNone);
}

TEST_F(UnitsSet, MemoryIsBinaryOrDecimalThroughout) {
    EXPECT_EQ(format_bytes(48000), "48" + kThinSpace + "KB");
    EXPECT_EQ(format_capacity(49152), "48" + kThinSpace + "KiB");
    set_units({TimeUnit::Automatic, MemoryUnit::Binary});
    EXPECT_EQ(format_bytes(49152), "48" + kThinSpace + "KiB");
    EXPECT_EQ(format_capacity(49152), "48" + kThinSpace + "KiB");
    set_units({TimeUnit::Automatic, MemoryUnit::Decimal});
    EXPECT_EQ(format_bytes(48000), "48" + kThinSpace + "KB");
    EXPECT_EQ(format_capacity(48000), "48" + kThinSpace + "KB");
}

TEST(CodeFont, HasASizeOfItsOwnOrFollowsTheText) {
    const QFont before = QApplication::font();
    QFont text = before;
    text.setPointSize(12);
    set_fonts(*qApp, text, 0);
    EXPECT_NEAR(code_font().pointSizeF(), 11.4, 0.01);
    set_fonts(*qApp, text, 12);
    EXPECT_NEAR(code_font().pointSizeF(), 12, 0.01) << "the text's size is one of its own, too";
    set_fonts(*qApp, text, 15);
    EXPECT_NEAR(code_font().pointSizeF(), 15, 0.01);
    EXPECT_EQ(text_font().pointSize(), 12);
    set_fonts(*qApp, before, 0);
    EXPECT_EQ(text_font(), before);
}

} // namespace test_units
} // namespace loopscope::views::test
