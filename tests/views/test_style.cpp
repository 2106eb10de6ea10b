#include "tests/views/fixtures.h"
#include "views/style/fonts.h"
#include "views/style/number_format.h"
#include "views/style/text_metrics.h"
#include "views/style/theme.h"

#include <gtest/gtest.h>

#include <QLocale>
#include <QTextDocument>

#include <QFontDatabase>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QLabel>
#include <QLineEdit>

#include <cmath>
#include <limits>
#include <set>

namespace loopscope::views::test {

namespace {
const QString thin = QString(QChar(0x202f));
} // namespace

// Numbers in narrow cells, as the banks of shared memory have: whole, or not at all.
TEST(Style, AFontFitsAllTextsOrNone) {
    const QFont font = small_font();
    const double wide = TextMetrics(font).width("31");
    const auto whole = font_that_fits({"7", "31"}, font, wide);
    ASSERT_TRUE(whole);
    EXPECT_EQ(*whole, scaled(font, 1));
    const auto smaller = font_that_fits({"7", "31"}, font, wide * 0.9);
    ASSERT_TRUE(smaller);
    EXPECT_LE(TextMetrics(*smaller).width("31"), wide * 0.9);
    EXPECT_FALSE(font_that_fits({"7", "31"}, font, wide * 0.5)) << "though 7 alone has room";
    EXPECT_TRUE(font_that_fits({}, font, 1));
}

TEST(Style, ContrastRatioIsThatOfTheStandard) {
    EXPECT_NEAR(contrast_ratio(Qt::black, Qt::white), 21, 1e-6);
    EXPECT_NEAR(contrast_ratio(Qt::white, Qt::white), 1, 1e-6);
    EXPECT_NEAR(contrast_ratio(QColor("#777777"), Qt::white), 4.48,
                0.01); // WCAG's well-known near miss
}

TEST(Style, APlaceholderIsReadable) {
    for (bool dark : {false, true}) {
        use_theme(dark);
        QLineEdit field;
        field.ensurePolished();
        const Theme& t = theme(dark ? ThemeKind::Dark : ThemeKind::Light);
        EXPECT_EQ(field.palette().color(QPalette::PlaceholderText), t.faint);
        EXPECT_EQ(field.palette().color(QPalette::Text), t.text);
    }
    use_theme(false);
}

TEST(Style, TextIsReadableOnEveryBackgroundInBothThemes) {
    for (ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
        const Theme& t = theme(kind);
        for (const QColor& background : {t.window, t.surface, t.raised, t.selection, t.hover}) {
            EXPECT_GE(contrast_ratio(t.text, background), 7) << background.name().toStdString();
            EXPECT_GE(contrast_ratio(t.faint, background), 4.5) << background.name().toStdString();
            EXPECT_GE(contrast_ratio(t.error, background), 4.4) << background.name().toStdString();
        }
        for (int m = 0; m < kMeaningCount; ++m)
            for (const QColor& background : {t.surface, t.raised, t.selection, t.hover})
                EXPECT_GE(contrast_ratio(t.ink(static_cast<Meaning>(m)), background), 4.5)
                    << m << " on " << background.name().toStdString();
        EXPECT_GE(contrast_ratio(t.accent_text, t.accent), 4.5);
        EXPECT_GE(contrast_ratio(t.accent, t.surface), 4.5);
        EXPECT_GE(contrast_ratio(t.disabled, t.surface), 2.9);
        EXPECT_GE(contrast_ratio(t.line_number(), t.surface), 4.5);
        for (double share : {0.0, 0.01, 0.3, 0.7, 1.0})
            EXPECT_GE(contrast_ratio(readable_on(t.text, t.heat(share)), t.heat(share)), 4.5)
                << share;
    }
}

TEST(Style, MarksCanBeSeenAndToldApart) {
    std::set<QString> names;
    for (int m = 0; m < kMeaningCount; ++m) {
        EXPECT_GE(contrast_ratio(theme(ThemeKind::Dark).mark(static_cast<Meaning>(m)),
                                 theme(ThemeKind::Dark).surface),
                  3.0);
        names.insert(theme(ThemeKind::Light).mark(static_cast<Meaning>(m)).name());
    }
    EXPECT_EQ(names.size(), static_cast<std::size_t>(kMeaningCount));
    EXPECT_EQ(theme(ThemeKind::Light).mark(Meaning::Block).name(), "#0072b2");
}

TEST(Style, HeatGrowsWithTheShare) {
    const Theme& t = theme(ThemeKind::Light);
    double last = 1;
    for (double share : {0.05, 0.2, 0.5, 1.0}) {
        const double distance = contrast_ratio(t.heat(share), t.surface);
        EXPECT_GT(distance, last);
        last = distance;
    }
    EXPECT_EQ(t.heat(0), t.surface);
    EXPECT_EQ(t.heat(std::numeric_limits<double>::quiet_NaN()), t.surface);
}

TEST(Style, AWidgetsThemeFollowsTheApplicationsPalette) {
    QLabel label;
    use_theme(true);
    EXPECT_EQ(theme_of(label).kind, ThemeKind::Dark);
    use_theme(false);
    EXPECT_EQ(theme_of(label).kind, ThemeKind::Light);
}

TEST(Style, FontsExist) {
    EXPECT_FALSE(QFontDatabase::families().isEmpty()) << "without a font every letter is a box";
    EXPECT_FALSE(QFontInfo(text_font()).family().isEmpty());
    // Some that are of one width, such as Noto Sans Mono, do not say so: they have wide signs, too.
    const QFontMetricsF code(code_font());
    EXPECT_DOUBLE_EQ(code.horizontalAdvance("iiii"), code.horizontalAdvance("WWWW"));
    EXPECT_GT(QFontInfo(big_number_font()).pixelSize(), 1.8 * QFontInfo(text_font()).pixelSize());
}

TEST(NumberFormat, TwoToThreeSignificantDigits) {
    EXPECT_EQ(format_significant(0.19634), "0.196");
    EXPECT_EQ(format_significant(4.10), "4.1");
    EXPECT_EQ(format_significant(412.4), "412");
    EXPECT_EQ(format_significant(41249), "41200");
    EXPECT_EQ(format_significant(0), "0");
    EXPECT_EQ(format_significant(-2.5), QString(QChar(0x2212)) + "2.5");
    EXPECT_EQ(format_significant(std::numeric_limits<double>::infinity()), QStringLiteral("–"));
}

TEST(NumberFormat, ATimeOfDayIsSaidAsPeopleSayIt) {
    const QDateTime now(QDate(2026, 11, 21), QTime(9, 5));
    EXPECT_EQ(format_when(now.addSecs(-60), now), "today, 9:04");
    EXPECT_EQ(format_when(now.addDays(-1), now), "yesterday, 9:05");
    const QString older = format_when(now.addDays(-2), now);
    EXPECT_TRUE(older.startsWith(QLocale().toString(QDate(2026, 11, 19), QLocale::ShortFormat)));
    EXPECT_TRUE(older.endsWith(", 9:05")) << "no seconds: " << older.toStdString();
    EXPECT_EQ(format_when(QDateTime(), now), "");
}

TEST(NumberFormat, RichTextKeepsTheNarrowSpaces) {
    const QString said = format_seconds(0.0345) + " < " + format_bytes(2e9);
    QTextDocument document;
    document.setHtml(html_text(said));
    EXPECT_EQ(document.toRawText(), said);
}

TEST(NumberFormat, SecondsChooseTheirUnitAfterRounding) {
    EXPECT_EQ(format_seconds(0.196e-3), "196" + thin + "µs");
    EXPECT_EQ(format_seconds(1.964e-3), "1.96" + thin + "ms");
    EXPECT_EQ(format_seconds(999.9e-6), "1" + thin + "ms");
    EXPECT_EQ(format_seconds(31e-9), "31" + thin + "ns");
    EXPECT_EQ(format_seconds(3.52e-12), "<0.1" + thin + "ns");
    EXPECT_EQ(format_seconds(0), "0" + thin + "ns");
    EXPECT_EQ(format_seconds(72), "72" + thin + "s");
    EXPECT_EQ(format_seconds(std::nan("")), QStringLiteral("–"));
}

TEST(NumberFormat, TrafficIsDecimalAndCapacityIsBinary) {
    EXPECT_EQ(format_bytes(33.5e6), "33.5" + thin + "MB");
    EXPECT_EQ(format_capacity(32 << 10), "32" + thin + "KiB");
    EXPECT_EQ(format_capacity(1 << 20), "1" + thin + "MiB");
    EXPECT_EQ(format_capacity(1000 << 10), "1000" + thin + "KiB");
    EXPECT_EQ(format_capacity(1.5 * (1 << 20)), "1.5" + thin + "MiB");
    EXPECT_EQ(format_flops_per_second(701e12), "701" + thin + "TFLOP/s");
    EXPECT_EQ(format_bytes_per_second(18.14e9), "18.1" + thin + "GB/s");
}

TEST(NumberFormat, SharesFactorsAndCounts) {
    EXPECT_EQ(format_share(0.713), "71" + thin + "%");
    EXPECT_EQ(format_share(0.0042), "0.4" + thin + "%");
    EXPECT_EQ(format_share(0.00001), "<0.1" + thin + "%");
    EXPECT_EQ(format_share(1), "100" + thin + "%");
    EXPECT_EQ(format_factor(2.63), QStringLiteral("2.6×"));
    EXPECT_EQ(format_count(4096), "4" + thin + "096");
    EXPECT_EQ(format_count(17.2e6), "17.2" + thin + "M");
}

TEST(NumberFormat, ChangesCarryAnArrow) {
    EXPECT_EQ(format_change(1, 0.82), QStringLiteral("▾ 18") + thin + "%");
    EXPECT_EQ(format_change(1, 1.03), QStringLiteral("▴ 3") + thin + "%");
    EXPECT_EQ(format_change(1, 1.0001), "= 0" + thin + "%");
    EXPECT_EQ(format_change(1, 4), QStringLiteral("▴ 4×"));
    EXPECT_EQ(format_change(0, 4), QStringLiteral("–"));
}

} // namespace loopscope::views::test
