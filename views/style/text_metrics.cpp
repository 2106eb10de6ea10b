#include "views/style/text_metrics.h"

#include "views/style/fonts.h"

#include <QFontInfo>
#include <QFontMetricsF>
#include <QHash>

#include <algorithm>
#include <utility>
#include <vector>

namespace loopscope::views {

namespace {

constexpr std::size_t kMaxFonts = 16; // in use at once there are five
constexpr qsizetype kMaxTexts = 10'000;
constexpr qsizetype kMaxCharacters = 300; // characters: a longer text is rare, and is measured anew

template <typename Key, typename Value, typename Make>
Value remembered(QHash<Key, Value>& all, const Key& key, const Make& make) {
    if (const auto found = all.constFind(key); found != all.constEnd())
        return *found;
    if (all.size() >= kMaxTexts) // those of edits long past are measured again if they come back
        all.clear();
    return *all.insert(key, make());
}

} // namespace

struct TextMetrics::Known {
    QFont font;
    int pixels; // fonts are equal that screens of different resolution show in different sizes
    QFontMetricsF metrics;
    QHash<QString, double> widths;
    QHash<std::pair<QString, std::pair<int, double>>, QString> elided; // by text, mode and room
};

std::shared_ptr<TextMetrics::Known> TextMetrics::known(const QFont& font) {
    thread_local std::vector<std::shared_ptr<Known>> all;
    const int pixels = QFontInfo(font).pixelSize();
    for (const auto& each : all)
        if (each->pixels == pixels && each->font == font)
            return each;
    if (all.size() >= kMaxFonts) // of themes and sizes long past
        all.clear();
    all.push_back(std::make_shared<Known>(Known{font, pixels, QFontMetricsF(font), {}, {}}));
    return all.back();
}

TextMetrics::TextMetrics(const QFont& font) : known_(known(font)) {}

double TextMetrics::width(const QString& text) const {
    if (text.size() > kMaxCharacters)
        return known_->metrics.horizontalAdvance(text);
    return remembered(known_->widths, text,
                      [&] { return known_->metrics.horizontalAdvance(text); });
}

double TextMetrics::height() const { return known_->metrics.height(); }

QString TextMetrics::elided(const QString& text, Qt::TextElideMode mode, double room) const {
    if (text.size() > kMaxCharacters)
        return known_->metrics.elidedText(text, mode, room);
    if (width(text) <= room)
        return text;
    return remembered(known_->elided, {text, {static_cast<int>(mode), room}},
                      [&] { return known_->metrics.elidedText(text, mode, room); });
}

std::optional<QFont> font_that_fits(const QStringList& texts, const QFont& font, double room) {
    for (const double factor : {1.0, 0.9, 0.8}) { // smaller ones cannot be read
        const QFont tried = scaled(font, factor);
        const TextMetrics metrics(tried);
        if (std::all_of(texts.begin(), texts.end(),
                        [&](const QString& text) { return metrics.width(text) <= room; }))
            return tried;
    }
    return std::nullopt;
}

QString key_text(const QKeySequence& key) { return key.toString(QKeySequence::NativeText); }

} // namespace loopscope::views
