#include "views/widgets/shown_texts.h"

#include <QFontMetricsF>

namespace loopscope::views {

namespace {
constexpr qsizetype kMostKept = 20'000; // those of edits long past are made again if they come back
} // namespace

const ShownTexts::Shown& ShownTexts::of(const QString& text, const QFont& font, double widest) {
    if (const auto found = known_.constFind(text); found != known_.constEnd())
        return *found;
    if (known_.size() >= kMostKept)
        known_.clear();
    const QFontMetricsF metrics(font);
    Shown shown{metrics.elidedText(text, Qt::ElideMiddle, widest), 0};
    shown.width = metrics.horizontalAdvance(shown.text);
    return *known_.insert(text, std::move(shown));
}

} // namespace loopscope::views
