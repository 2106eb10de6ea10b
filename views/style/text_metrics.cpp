#include "views/style/text_metrics.h"

#include <QFontMetricsF>
#include <QGuiApplication>
#include <QHash>
#include <QScreen>

#include <vector>

namespace loopscope::views {

namespace {

constexpr std::size_t kMostFonts = 16; // in use at once there are five
constexpr qsizetype kMostTexts = 20'000;

double dots_per_inch() {
    const QScreen* screen = QGuiApplication::primaryScreen();
    return screen ? screen->logicalDotsPerInch() : 0;
}

} // namespace

struct TextMetrics::Known {
    QFont font;
    double dots_per_inch;
    QFontMetricsF metrics;
    QHash<QString, double> widths;
};

std::shared_ptr<TextMetrics::Known> TextMetrics::known(const QFont& font) {
    thread_local std::vector<std::shared_ptr<Known>> all;
    const double dots = dots_per_inch();
    for (const auto& each : all)
        if (each->font == font && each->dots_per_inch == dots)
            return each;
    if (all.size() >= kMostFonts) // of themes and sizes long past
        all.clear();
    all.push_back(std::make_shared<Known>(Known{font, dots, QFontMetricsF(font), {}}));
    return all.back();
}

TextMetrics::TextMetrics(const QFont& font) : known_(known(font)) {}

double TextMetrics::width(const QString& text) const {
    auto& widths = known_->widths;
    if (const auto found = widths.constFind(text); found != widths.constEnd())
        return *found;
    if (widths.size() >= kMostTexts)
        widths.clear();
    return *widths.insert(text, known_->metrics.horizontalAdvance(text));
}

double TextMetrics::height() const { return known_->metrics.height(); }

QString TextMetrics::elided(const QString& text, Qt::TextElideMode mode, double room) const {
    return width(text) <= room ? text : known_->metrics.elidedText(text, mode, room);
}

} // namespace loopscope::views
