#include "views/widgets/wrapped_label.h"

namespace loopscope::views {

namespace {
constexpr std::size_t kMaxWidths = 8; // one layout asks for two or three
}

WrappedLabel::WrappedLabel(QWidget* parent) : WrappedLabel(QString(), parent) {}

WrappedLabel::WrappedLabel(const QString& text, QWidget* parent) : QLabel(text, parent) {
    setWordWrap(true);
}

WrappedLabel::Asked WrappedLabel::asked_now() const {
    return {text(),      font(),       contentsMargins(),      minimumSize(),
            alignment(), textFormat(), textInteractionFlags(), margin(),
            indent(),    frameWidth(), logicalDpiY(),          wordWrap()};
}

int WrappedLabel::heightForWidth(int width) const {
    if (Asked now = asked_now(); !(now == asked_)) {
        heights_.clear();
        asked_ = std::move(now);
    }
    for (const auto& [asked, height] : heights_)
        if (asked == width)
            return height;
    if (heights_.size() >= kMaxWidths)
        heights_.clear();
    heights_.emplace_back(width, QLabel::heightForWidth(width));
    return heights_.back().second;
}

} // namespace loopscope::views
