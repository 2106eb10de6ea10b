#include "views/widgets/breakdown_bar.h"

#include "views/geometry/log_axes.h"
#include "views/style/fonts.h"
#include "views/style/number_format.h"
#include "views/style/text_metrics.h"
#include "views/style/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace loopscope::views {

namespace {
constexpr int kBarHeight = 13, kSwatch = 9;
constexpr std::size_t kNamed = 8; // more names are no legend any more
} // namespace

BreakdownBar::BreakdownBar(QWidget* parent) : QWidget(parent) {
    // Not fixed: a narrow bar has more lines of names than the hint, which is of one width.
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(tr("Breakdown of the time"));
}

void BreakdownBar::set_segments(std::vector<BreakdownSegment> segments) {
    segments_ = std::move(segments);
    current_ = -1;
    for (std::size_t i = 0; i < segments_.size(); ++i)
        if (segments_[i].marked)
            current_ = static_cast<int>(i);
    QString text;
    for (const BreakdownSegment& s : segments_)
        text += s.label + ' ' + format_share(s.share) + ". ";
    setAccessibleDescription(segments_.empty() ? text : text + colours_are());
    updateGeometry();
    update();
}

QString BreakdownBar::colours_are() { return tr("A colour says what a kernel is bound by."); }

// Those with a name in the legend, in the bar's order.
std::vector<int> BreakdownBar::named_segments() const {
    std::vector<int> order(segments_.size());
    std::iota(order.begin(), order.end(), 0);
    if (order.size() <= kNamed)
        return order;
    auto of = [&](int i) -> const BreakdownSegment& {
        return segments_[static_cast<std::size_t>(i)];
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return of(a).marked != of(b).marked ? of(a).marked : of(a).share > of(b).share;
    });
    order.resize(kNamed - 1); // the last place is that of the others
    std::sort(order.begin(), order.end());
    return order;
}

std::vector<BreakdownBar::LegendEntry> BreakdownBar::legend(int width) const {
    const TextMetrics metrics(small_font());
    const double height = metrics.height() + 5;
    std::vector<LegendEntry> entries;
    double x = 0, y = kBarHeight + 6, named_share = 0, whole = 0;
    auto add = [&](const QString& label, double part, int segment) {
        const QString share = ' ' + format_share(part);
        const double room = std::max(20.0, width - kSwatch - 5 - metrics.width(share));
        const QString text = metrics.elided(label, Qt::ElideMiddle, room) + share;
        const double wide = kSwatch + 5 + metrics.width(text);
        if (x > 0 && x + wide > width) {
            x = 0;
            y += height;
        }
        entries.push_back({QRectF(x, y, wide, height), text, segment});
        x += wide + 12;
    };
    for (const BreakdownSegment& s : segments_)
        whole += s.share;
    for (int i : named_segments()) {
        const BreakdownSegment& s = segments_[static_cast<std::size_t>(i)];
        add(s.label, s.share, i);
        named_share += s.share;
    }
    if (const std::size_t others = segments_.size() - entries.size(); others > 0)
        add(tr("%1 others").arg(others), whole - named_share, -1);
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
    const std::vector<int> widths = stacked_widths(shares, width()), named = named_segments();
    const QColor others = t.mark(Meaning::Serial); // as beside their number in the legend
    int x = 0;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        const bool has_name = std::binary_search(named.begin(), named.end(), static_cast<int>(i));
        painter.fillRect(x, 0, widths[i], kBarHeight, has_name ? segments_[i].colour : others);
        if (segments_[i].marked)
            painter.fillRect(x, kBarHeight - 3, widths[i], 3, t.text);
        x += widths[i];
        if (i + 1 < segments_.size() && widths[i] > 2)
            painter.fillRect(x - 1, 0, 1, kBarHeight, t.surface);
    }
    painter.restore();
    painter.setFont(small_font());
    for (const LegendEntry& entry : legend(width())) {
        const BreakdownSegment* segment =
            entry.segment < 0 ? nullptr : &segments_[static_cast<std::size_t>(entry.segment)];
        painter.setPen(Qt::NoPen);
        painter.setBrush(segment ? segment->colour : others);
        painter.drawRoundedRect(
            QRectF(entry.box.x(), entry.box.center().y() - kSwatch / 2.0, kSwatch, kSwatch), 2, 2);
        painter.setPen(segment && segment->marked ? t.text : t.faint);
        painter.drawText(entry.box.adjusted(kSwatch + 5, 0, 2, 0),
                         Qt::AlignVCenter | Qt::TextSingleLine, entry.text);
    }
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.accent, 1));
        painter.drawRoundedRect(QRectF(0.5, 0.5, width() - 1, kBarHeight - 1), 4, 4);
    }
}

void BreakdownBar::keyPressEvent(QKeyEvent* event) {
    const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    const int next = current_ + step, count = static_cast<int>(segments_.size());
    if (step == 0 || next < 0 || next >= count) {
        QWidget::keyPressEvent(event);
        return;
    }
    current_ = next;
    emit segmentClicked(next);
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
    for (const LegendEntry& entry : legend(width()))
        if (entry.box.contains(position))
            return entry.segment;
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
        const QString of_segment =
            segment < 0 ? QString() : segments_[static_cast<std::size_t>(segment)].tooltip + '\n';
        QToolTip::showText(help->globalPos(), of_segment + colours_are(), this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace loopscope::views
