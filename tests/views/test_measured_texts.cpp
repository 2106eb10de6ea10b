// Texts that are measured once: what is remembered is what Qt says when it is asked.

#include "views/style/fonts.h"
#include "views/style/text_metrics.h"
#include "views/widgets/wrapped_label.h"

#include <gtest/gtest.h>

#include <QFontMetricsF>
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
    EXPECT_EQ(first.width(kTexts[2]), width);
    EXPECT_EQ(TextMetrics(text_font()).width(kTexts[2]), width);
}

class WrappedLabels : public testing::Test {
protected:
    WrappedLabels() { judge_.setWordWrap(true); }
    void expect_same(const char* after) {
        for (const int width : {60, 120, 60, 400, 33, 34, 35, 36, 37, 38, 120})
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
    both("frame", [](QLabel& label) { label.setMargin(7); });
    both("indent", [](QLabel& label) { label.setIndent(20); });
    both("text", [](QLabel& label) { label.setText(QStringLiteral("<b>%1</b>").arg(kTexts[5])); });
    both("format", [](QLabel& label) { label.setTextFormat(Qt::PlainText); });
    both("format", [](QLabel& label) { label.setTextFormat(Qt::RichText); });
    both("text", [](QLabel& label) { label.setText({}); });
}

} // namespace
} // namespace loopscope::views::test
