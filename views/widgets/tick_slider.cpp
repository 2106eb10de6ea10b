#include "views/widgets/tick_slider.h"

#include "views/style/fonts.h"
#include "views/style/theme.h"

#include <QFontMetricsF>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace loopscope::views {

namespace {
constexpr double kRadius = 7, kMargin = 22; // the margin holds half a label
constexpr double kTrack = 10;               // the track's distance from the top
constexpr int kLines = 2; // of labels: the second takes those for which the first has no room
} // namespace

TickSlider::TickSlider(QWidget* parent) : QSlider(Qt::Horizontal, parent) {
    setPageStep(1);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(this, &QSlider::valueChanged, this, [this](int value) {
        // the number alone would say nothing
        if (value < labels_.size())
            setAccessibleDescription(labels_[value]);
        update();
    });
}

void TickSlider::set_labels(const QStringList& labels, int present) {
    const QSignalBlocker quiet(this);
    labels_ = labels;
    available_.assign(static_cast<std::size_t>(labels.size()), true);
    present_ = present;
    setRange(0, std::max(0, static_cast<int>(labels.size()) - 1));
    setValue(std::max(0, present));
    if (!labels.isEmpty())
        setAccessibleDescription(labels[value()]);
    update();
}

void TickSlider::set_available(int value, bool available) {
    if (value >= 0 && value < static_cast<int>(available_.size()))
        available_[static_cast<std::size_t>(value)] = available;
    update();
}

QSize TickSlider::sizeHint() const {
    const double line = QFontMetricsF(small_font()).height();
    return {260, static_cast<int>(kTrack + kRadius + 4 + kLines * line + 2)};
}

double TickSlider::position_of(int value) const {
    const double span = width() - 2 * kMargin;
    return maximum() == minimum() ? kMargin : kMargin + span * value / (maximum() - minimum());
}

int TickSlider::value_at(double x) const {
    const double span = std::max(1.0, width() - 2 * kMargin);
    const double at = (x - kMargin) / span * (maximum() - minimum());
    return std::clamp(static_cast<int>(std::lround(at)), minimum(), maximum());
}

void TickSlider::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    setSliderDown(true);
    setValue(value_at(event->position().x()));
}

void TickSlider::mouseMoveEvent(QMouseEvent* event) {
    if (isSliderDown() && !(event->buttons() & Qt::LeftButton)) // its release went elsewhere
        return setSliderDown(false);
    if (isSliderDown())
        setValue(value_at(event->position().x()));
}

void TickSlider::mouseReleaseEvent(QMouseEvent* event) {
    // says sliderReleased
    if (event->button() == Qt::LeftButton && isSliderDown())
        setSliderDown(false);
}

void TickSlider::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& t = theme_of(*this);
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.track);
    painter.drawRoundedRect(QRectF(kMargin - 4, kTrack - 2, width() - 2 * kMargin + 8, 4), 2, 2);
    painter.setFont(small_font());
    const QFontMetricsF metrics(small_font());
    const double baseline = kTrack + kRadius + 2 + metrics.ascent();
    // The chosen and the present value are always named, others where there is room.
    std::vector<int> order{value()};
    if (present_ >= 0)
        order.push_back(present_);
    for (int v = 0; v < static_cast<int>(labels_.size()); ++v)
        order.push_back(v);
    std::vector<std::pair<double, double>> taken[kLines];
    std::vector<bool> named(static_cast<std::size_t>(labels_.size()), false);
    for (int v : order) {
        if (named[static_cast<std::size_t>(v)])
            continue;
        const double x = position_of(v);
        const bool now = v == present_, known = available_.at(static_cast<std::size_t>(v));
        painter.setPen(QPen(now ? t.accent : t.faint, now ? 2 : 1));
        painter.drawLine(QPointF(x, kTrack - (now ? 6 : 3)), QPointF(x, kTrack + (now ? 6 : 3)));
        const QFont font = now ? scaled(bold_font(), 0.85) : small_font();
        const double half = QFontMetricsF(font).horizontalAdvance(labels_[v]) / 2;
        const double middle = std::clamp(x, half, std::max(half, width() - half));
        int line = 0;
        while (line < kLines && std::any_of(
                                    taken[line].begin(), taken[line].end(),
                                    [&](auto& other) {
                                        return middle - half < other.second + 4 &&
                                               other.first - 4 < middle + half;
                                    }))
            ++line;
        if (line == kLines)
            continue;
        taken[line].emplace_back(middle - half, middle + half);
        named[static_cast<std::size_t>(v)] = true;
        const double y = baseline + line * metrics.height();
        painter.setFont(font);
        painter.setPen(!known ? t.disabled : now ? t.text : t.faint);
        painter.drawText(QPointF(middle - half, y), labels_[v]);
        if (!known) // not by colour alone
            painter.drawLine(QPointF(middle - half, y - metrics.ascent() * 0.35),
                             QPointF(middle + half, y - metrics.ascent() * 0.35));
    }
    if (labels_.isEmpty())
        return;
    const QPointF centre(position_of(value()), kTrack);
    const bool empty = present_ < 0 && !isSliderDown() && !hasFocus(); // nothing is chosen yet
    painter.setPen(QPen(t.accent, 1.5));
    painter.setBrush(empty ? t.surface : t.accent);
    painter.drawEllipse(centre, kRadius, kRadius);
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.accent, 1));
        painter.drawEllipse(centre, kRadius + 2.5, kRadius + 2.5);
    }
}

} // namespace loopscope::views
