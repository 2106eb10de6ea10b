#include "views/widgets/breakdown_bar.h"

#include "views/geometry/log_axes.h"
#include "views/style/fonts.h"
#include "views/style/number_format.h"
#include "views/style/theme.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <cmath>

namespace loopscope::views {

namespace {
constexpr int kBarHeight = 13, kSwatch = 9;
} // namespace

BreakdownBar::BreakdownBar(QWidget* parent) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(tr("Breakdown of the time"));
}

void BreakdownBar::set_segments(std::vector<BreakdownSegment> segments) {
    segments_ = std::move(segments);
    QString text;
    for (const BreakdownSegment& s : segments_)
        text += s.label + ' ' + format_share(s.share) + ". ";
    setAccessibleDescription(text);
    updateGeometry();
    update();
}

std::vector<BreakdownBar::LegendEntry> BreakdownBar::legend(int width) const {
    const QFontMetricsF metrics(small_font());
    const double height = metrics.height() + 5;
    std::vector<LegendEntry> entries;
    double x = 0, y = kBarHeight + 6;
    for (const BreakdownSegment& s : segments_) {
        const QString share = ' ' + format_share(s.share);
        const double room = std::max(20.0, width - kSwatch - 5 - metrics.horizontalAdvance(share));
        const QString text = metrics.elidedText(s.label, Qt::ElideMiddle, room) + share;
        const double wide = kSwatch + 5 + metrics.horizontalAdvance(text);
        if (x > 0 && x + wide > width) {
            x = 0;
            y += height;
        }
        entries.push_back({QRectF(x, y, wide, height), text});
        x += wide + 12;
    }
    return entries;
}

int BreakdownBar::heightForWidth(int width) const {
    const auto entries = legend(width);
    return entries.empty() ? kBarHeight : static_cast<int>(std::ceil(entries.back().box.bottom()));
}

QSize BreakdownBar::sizeHint() const { return {260, heightForWidth(260)}; }
QSize BreakdownBar::minimumSizeHint() const { return {80, kBarHeight}; }

void BreakdownBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& t = theme_of(*this);
    QPainterPath clip;
    clip.addRoundedRect(QRectF(0, 0, width(), kBarHeight), 4, 4);
    painter.save();
    painter.setClipPath(clip);
    painter.fillRect(0, 0, width(), kBarHeight, t.track);
    std::vector<double> shares;
    for (const BreakdownSegment& s : segments_)
        shares.push_back(s.share);
    const std::vector<int> widths = stacked_widths(shares, width());
    int x = 0;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        painter.fillRect(x, 0, widths[i], kBarHeight, segments_[i].colour);
        if (segments_[i].marked)
            painter.fillRect(x, kBarHeight - 3, widths[i], 3, t.text);
        x += widths[i];
        if (i + 1 < segments_.size() && widths[i] > 2)
            painter.fillRect(x - 1, 0, 1, kBarHeight, t.surface);
    }
    painter.restore();
    painter.setFont(small_font());
    const auto entries = legend(width());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const QRectF& box = entries[i].box;
        painter.setPen(Qt::NoPen);
        painter.setBrush(segments_[i].colour);
        painter.drawRoundedRect(QRectF(box.x(), box.center().y() - kSwatch / 2.0, kSwatch, kSwatch),
                                2, 2);
        painter.setPen(segments_[i].marked ? t.text : t.faint);
        painter.drawText(box.adjusted(kSwatch + 5, 0, 2, 0), Qt::AlignVCenter | Qt::TextSingleLine,
                         entries[i].text);
    }
}

int BreakdownBar::segment_at(const QPointF& position) const {
    if (position.y() <= kBarHeight) {
        std::vector<double> shares;
        for (const BreakdownSegment& s : segments_)
            shares.push_back(s.share);
        int x = 0, i = 0;
        for (int wide : stacked_widths(shares, width())) {
            x += wide;
            if (position.x() < x)
                return i;
            ++i;
        }
        return -1;
    }
    const auto entries = legend(width());
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (entries[i].box.contains(position))
            return static_cast<int>(i);
    return -1;
}

void BreakdownBar::mousePressEvent(QMouseEvent* event) {
    if (const int segment = segment_at(event->position());
        segment >= 0 && event->button() == Qt::LeftButton)
        emit segmentClicked(segment);
}

bool BreakdownBar::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const int segment = segment_at(help->pos());
        QToolTip::showText(
            help->globalPos(),
            segment < 0 ? QString() : segments_[static_cast<std::size_t>(segment)].tooltip, this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace loopscope::views
