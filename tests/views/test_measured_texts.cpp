// Texts that are measured once: what is remembered is what Qt says when it is asked.

#include "views/style/fonts.h"
#include "views/style/text_metrics.h"
#include "views/widgets/wrapped_label.h"

#include <gtest/gtest.h>

#include <QFontMetricsF>
#include <QImage>
#include <QLabel>

namespace loopscope::views::test {
namespace {

const QStringList kTexts = {
    QString(),
    QStringLiteral("x"),
    QStringLiteral("local_laplacian"),
    QStringLiteral("result{1..7}.split(y, yo, yi, 16)"),
    QStringLiteral("≈ 12.5 µs · 88 %"),
    QStringLiteral("a name of a stage that is far longer than the panel it is shown in"),
};

TEST(TextMetrics, AreThoseOfTheFont) {
    for (int round = 0; round < 2; ++round) // as measured, and as remembered
        for (const QFont& font : {text_font(), bold_font(), small_font(), code_font()}) {
            const TextMetrics remembered(font);
            const QFontMetricsF judge(font);
            EXPECT_EQ(remembered.height(), judge.height());
            for (const QString& text : kTexts) {
                const double width = judge.horizontalAdvance(text);
                EXPECT_EQ(remembered.width(text), width) << text.toStdString();
                for (const double room : {5.0, width - 1, width, width + 0.5, 300.0})
                    for (const auto mode : {Qt::ElideRight, Qt::ElideMiddle})
                        EXPECT_EQ(remembered.elided(text, mode, room),
                                  judge.elidedText(text, mode, room))
                            << text.toStdString() << " in " << room;
            }
        }
}

TEST(TextMetrics, HoldForMoreFontsThanAreKept) {
    const TextMetrics first(text_font());
    const double width = first.width(kTexts[2]);
    for (int i = 0; i < 40; ++i) {
        const QFont font = scaled(text_font(), 1 + 0.05 * i);
        EXPECT_EQ(TextMetrics(font).width(kTexts[2]),
                  QFontMetricsF(font).horizontalAdvance(kTexts[2]));
    }
    EXPECT_EQ(first.width(kTexts[3]), QFontMetricsF(text_font()).horizontalAdvance(kTexts[3]));
    EXPECT_EQ(TextMetrics(text_font()).width(kTexts[2]), width);
}

TEST(TextMetrics, HoldForMoreTextsThanAreKept) {
    const TextMetrics remembered(text_font());
    const QFontMetricsF judge(text_font());
    for (int round = 0; round < 2; ++round)
        for (int i = 0; i < 12'000; i += round == 0 ? 1 : 997) {
            const QString text = QStringLiteral("stage %1").arg(i);
            ASSERT_EQ(remembered.width(text), judge.horizontalAdvance(text));
            ASSERT_EQ(remembered.elided(text, Qt::ElideRight, 30),
                      judge.elidedText(text, Qt::ElideRight, 30));
        }
    const QString endless(5'000, QLatin1Char('m'));
    EXPECT_EQ(remembered.width(endless), judge.horizontalAdvance(endless));
    EXPECT_EQ(remembered.elided(endless, Qt::ElideMiddle, 80),
              judge.elidedText(endless, Qt::ElideMiddle, 80));
}

// Fonts that are equal as Qt compares them, resolved for screens of different resolution.
TEST(TextMetrics, AreThoseOfTheScreen) {
    class Device : public QImage {
    public:
        explicit Device(int dots) : QImage(1, 1, QImage::Format_RGB32) {
            setDotsPerMeterX(qRound(dots / 0.0254));
            setDotsPerMeterY(qRound(dots / 0.0254));
        }
    } coarse(96), fine(192);
    const QFont one(text_font(), &coarse), other(text_font(), &fine);
    ASSERT_EQ(one, other);
    ASSERT_NE(QFontMetricsF(one).height(), QFontMetricsF(other).height());
    for (const QFont& font : {one, other, one}) {
        EXPECT_EQ(TextMetrics(font).width(kTexts[2]),
                  QFontMetricsF(font).horizontalAdvance(kTexts[2]));
        EXPECT_EQ(TextMetrics(font).height(), QFontMetricsF(font).height());
    }
}

class WrappedLabels : public testing::Test {
protected:
    WrappedLabels() { judge_.setWordWrap(true); }
    void expect_same(const char* after) {
        for (const int width : {60, 120, 60, 400, 33, 120})
            EXPECT_EQ(remembers_.heightForWidth(width), judge_.heightForWidth(width))
                << width << " pixels, after another " << after;
    }
    template <typename Change> void both(const char* name, Change change) {
        change(static_cast<QLabel&>(remembers_));
        change(judge_);
        expect_same(name);
    }
    QLabel judge_;
    WrappedLabel remembers_;
};

TEST_F(WrappedLabels, AreAsHighAsLabelsThatAreAskedAnew) {
    EXPECT_TRUE(remembers_.wordWrap());
    both("text", [](QLabel& label) { label.setText(kTexts[5] + ' ' + kTexts[5]); });
    both("font", [](QLabel& label) { label.setFont(scaled(text_font(), 1.5)); });
    both("margin", [](QLabel& label) { label.setContentsMargins(9, 8, 9, 8); });
    both("margin of its own", [](QLabel& label) { label.setMargin(7); });
    both("indent", [](QLabel& label) { label.setIndent(20); });
    both("text", [](QLabel& label) { label.setText(QStringLiteral("<b>%1</b>").arg(kTexts[5])); });
    both("format", [](QLabel& label) { label.setTextFormat(Qt::PlainText); });
    both("format", [](QLabel& label) { label.setTextFormat(Qt::RichText); });
    both("alignment", [](QLabel& label) { label.setAlignment(Qt::AlignTop | Qt::AlignRight); });
    both("least width", [](QLabel& label) { label.setMinimumWidth(200); });
    both("least height", [](QLabel& label) { label.setMinimumHeight(300); });
    both("least size", [](QLabel& label) { label.setMinimumSize(0, 0); });
    both("frame", [](QLabel& label) { label.setFrameStyle(QFrame::Box | QFrame::Plain); });
    both("width of the frame", [](QLabel& label) { label.setLineWidth(6); });
    both("style", [](QLabel& label) { label.setStyleSheet("font-size: 30px; padding: 9px"); });
    both("style", [](QLabel& label) { label.setStyleSheet({}); });
    both("wrapping", [](QLabel& label) { label.setWordWrap(false); });
    both("wrapping", [](QLabel& label) { label.setWordWrap(true); });
    both("text", [](QLabel& label) { label.setText({}); });
}

// More widths than are kept, and a key that tells nothing apart would give the height of the first.
TEST_F(WrappedLabels, ForgetWidthsNotHeights) {
    both("text", [](QLabel& label) { label.setText(kTexts[5] + ' ' + kTexts[5]); });
    for (int round = 0; round < 2; ++round)
        for (int width = 30; width < 60; ++width)
            EXPECT_EQ(remembers_.heightForWidth(width), judge_.heightForWidth(width)) << width;
}

} // namespace
} // namespace loopscope::views::test
