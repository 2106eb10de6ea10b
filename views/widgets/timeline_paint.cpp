// How the timeline is painted, and what it says where it is pointed at.

#include "views/models/node_text.h"
#include "views/style/fonts.h"
#include "views/style/number_format.h"
#include "views/style/text_metrics.h"
#include "views/widgets/paint.h"
#include "views/widgets/picture_canvas.h"
#include "views/widgets/timeline_view.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace loopscope::views {

namespace {

using Kind = TimelineEvent::Kind;

constexpr double kThin = 0.4;   // pixels: thinner bars are not painted
constexpr double kTagRoom = 18; // of a tag around its text
constexpr double kTick = 3;     // pixels between the last row and what is said below it
constexpr double kAxisGap = 4;  // pixels above the axis
constexpr double kTickLine = 4; // pixels, of a tick of the axis
constexpr double kPhaseGap = 8; // pixels between the names of two phases
constexpr double kBreak = 8;    // pixels, of the break where iterations are left out

QString level_names(const PipelineLevel& level) {
    QStringList names;
    for (const std::string& stage : level.stages)
        names << to_qstring(stage);
    return names.join(QStringLiteral(", "));
}

QString badge(int copies) { return QStringLiteral("×%1").arg(copies); }

} // namespace

TimelineMetrics TimelineView::metrics(double width) const {
    const TextMetrics text(text_font()), small(small_font());
    TimelineMetrics m;
    m.row_height = std::max<double>(kRowHeight + 8, text.height() + small.height() + 6);
    m.bar_height = text.height() + 4;
    double names = text.width(chain()->work_name);
    for (const PipelineLevel& level : chain()->levels)
        names = std::max({names, text.width(level.name) + text.width(badge(8)) + kTagRoom + 12,
                          small.width(level_names(level)) + text.width(badge(8)) + kTagRoom + 12});
    m.name_width = std::min(names + 14, 0.4 * std::max(400.0, width));
    m.top = 2;
    return m;
}

TimelineLayout TimelineView::layout(double width, const TimeWindow& window) const {
    return layout_timeline(timeline_, chain()->levels.size(), width, metrics(width), window);
}

int TimelineView::level_at(double y) const {
    const auto at = layout(canvas_->width());
    for (std::size_t row = 0; row + 1 < at.rows.size(); ++row)
        if (y >= at.rows[row].y && y < at.rows[row].bottom())
            return static_cast<int>(row);
    return -1;
}

void TimelineView::paint(QPainter& painter, const PictureFrame& frame,
                         const TimeWindow& window) const {
    const Theme& t = frame.theme;
    painter.setRenderHint(QPainter::Antialiasing);
    const auto& size = frame.size;
    const auto at = layout(size.width(), window);
    for (std::size_t row = 0; row < at.rows.size(); ++row) {
        const Rectangle& r = at.rows[row];
        painter.fillRect(QRectF(at.left, r.bottom() - 1, r.right() - at.left, 1),
                         mix(t.surface, t.line, 0.6));
    }
    paint_phases(painter, at, t);
    paint_axis(painter, at, t);
    painter.save();
    painter.setClipRect(QRectF(at.left, 0, size.width() - at.left, size.height()));
    for (const TimelineBar& bar : at.bars)
        if (bar.where.width > kThin)
            paint_bar(painter, bar, t);
    paint_break(painter, at, t);
    painter.restore();
    paint_names(painter, at, t);
    if (frame.has_focus) {
        const Rectangle& r = at.rows[static_cast<std::size_t>(level_)];
        painter.setPen(QPen(t.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(0.5, r.y + 1.5, r.width - 1, r.height - 3), 4, 4);
    }
}

void TimelineView::paint_names(QPainter& painter, const TimelineLayout& at, const Theme& t) const {
    const TextMetrics text(text_font()), small(small_font());
    const auto& c = *chain();
    for (std::size_t row = 0; row < at.rows.size(); ++row) {
        const Rectangle& r = at.rows[row];
        const QRectF name(6, r.y, at.left - 12, r.height);
        if (row == c.levels.size()) {
            paint_text(painter, name, c.work_name, text_font(), t.text);
            continue;
        }
        const PipelineLevel& level = c.levels[row];
        const double whole = text.height() + small.height();
        const QRectF first(name.x(), r.y + (r.height - whole) / 2, name.width(), text.height());
        const int shown = copies(static_cast<int>(row));
        paint_text(painter, first, level.name, text_font(), t.text);
        const bool trying = pending_ && static_cast<int>(row) == level_;
        const double tag = text.width(badge(shown)) + kTagRoom;
        painter.setFont(text_font());
        paint_tag(painter, QRectF(at.left - tag - 8, r.y, tag, r.height), badge(shown),
                  shown > 1 || trying ? t.ink(Meaning::Pipelined) : t.faint);
        paint_text(painter, QRectF(name.x(), first.bottom(), name.width(), small.height()),
                   level_names(level), small_font(), t.faint);
    }
}

void TimelineView::paint_bar(QPainter& painter, const TimelineBar& bar, const Theme& t) const {
    const auto& c = *chain();
    const bool from_shared = bar.event.level > 0;
    QRectF where(bar.where.x, bar.where.y, bar.where.width, bar.where.height);
    // neighbours are told apart
    if (where.width() > 3)
        where.adjust(0, 0, -1, 0);
    const QColor load = t.mark(from_shared ? Meaning::Unrolled : Meaning::Pipelined);
    switch (bar.event.kind) {
    case Kind::Latency: {
        const double middle = where.center().y();
        painter.setPen(QPen(load, 1, Qt::DotLine));
        painter.drawLine(QPointF(where.left(), middle), QPointF(where.right() + 1, middle));
        return;
    }
    case Kind::Idle:
        painter.setPen(QPen(t.faint, 1, Qt::DotLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(where.adjusted(0.5, 0.5, -0.5, -0.5));
        break;
    case Kind::Load:
    case Kind::Work:
    case Kind::Store: {
        const QColor colour = bar.event.kind == Kind::Load   ? load
                              : bar.event.kind == Kind::Work ? t.mark(Meaning::Block)
                                                             : t.mark(Meaning::Vector);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        const double round = std::min(3.0, where.width() / 3);
        painter.drawRoundedRect(where, round, round);
        break;
    }
    }
    const TextMetrics small(small_font());
    const QString name =
        bar.event.kind == Kind::Idle    ? tr("idle")
        : bar.event.kind == Kind::Store ? tr("store")
        : bar.event.level == static_cast<int>(c.levels.size()) && c.levels.size() > 1
            ? QString()
            : item_name(bar.event);
    if (name.isEmpty() || small.width(name) + 6 > where.width())
        return;
    const QColor ground = bar.event.kind == Kind::Idle    ? t.surface
                          : bar.event.kind == Kind::Store ? t.mark(Meaning::Vector)
                          : bar.event.kind == Kind::Work  ? t.mark(Meaning::Block)
                                                          : load;
    paint_text(painter, where.adjusted(3, 0, -3, 0), name, small_font(),
               bar.event.kind == Kind::Idle ? t.faint : text_on(ground), Qt::AlignCenter);
}

// Two jagged lines where iterations are left out: the time makes a leap there.
void TimelineView::paint_break(QPainter& painter, const TimelineLayout& at, const Theme& t) const {
    const double x = at.left + (timeline_.break_at - at.first) * at.scale;
    if (timeline_.left_out == 0 || x < at.left || x > at.right)
        return;
    const double bottom = at.bottom + kTick;
    QPolygonF edge;
    for (double y = at.rows.front().y; y <= bottom; y += kBreak / 2)
        edge << QPointF(x - kBreak / 2 + (edge.size() % 2 ? 1.5 : -1.5), y);
    const QPolygonF other = edge.translated(kBreak, 0);
    QPolygonF band = edge;
    for (auto point = other.crbegin(); point != other.crend(); ++point)
        band << *point;
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.surface);
    painter.drawPolygon(band);
    painter.setPen(QPen(t.faint, 1));
    painter.drawPolyline(edge);
    painter.drawPolyline(other);
}

// Dashed lines where the phases part, and their names below: each in the middle of its phase, or
// beside it where that is narrow and there is room. Of each the longest text that leaves room for
// the next ones.
void TimelineView::paint_phases(QPainter& painter, const TimelineLayout& at, const Theme& t) const {
    const TextMetrics small(small_font());
    painter.setPen(QPen(t.line, 1, Qt::DashLine));
    for (double x : {at.prologue_x, at.steady_x})
        if (x >= at.left && x <= at.right)
            painter.drawLine(QPointF(x, at.rows.front().y), QPointF(x, at.bottom + kTick));
    const bool timed = chain()->timed;
    QStringList prologue{tr("prologue")}, steady{tr("steady state")};
    if (timed) {
        prologue.prepend(tr("prologue") + ' ' + format_seconds(timeline_.prologue));
        steady.prepend(tr("steady state · %1 an iteration").arg(format_seconds(timeline_.period)));
    }
    const std::tuple<double, double, QStringList> phases[] = {
        {at.left, at.prologue_x, prologue},
        {at.prologue_x, at.steady_x, steady},
        {at.steady_x, at.end_x, {tr("epilogue")}}};
    double rest = 0; // of the shortest texts
    for (const auto& [begin, end, texts] : phases)
        if (end > at.left && begin < at.right)
            rest += small.width(texts.back()) + kPhaseGap;
    double free_from = at.left;
    for (const auto& [begin, end, texts] : phases) {
        if (end <= at.left || begin >= at.right)
            continue;
        rest -= small.width(texts.back()) + kPhaseGap;
        const double middle = (std::max(begin, at.left) + std::min(end, at.right)) / 2;
        for (const QString& text : texts) {
            const double width = small.width(text) + 1;
            const double last = at.rows.front().right() - rest - width;
            const double x = std::min(std::max(free_from, middle - width / 2), last);
            if (x < free_from)
                continue;
            paint_text(painter, QRectF(x, at.bottom + kTick, width, small.height()), text,
                       small_font(), t.faint, Qt::AlignCenter);
            free_from = x + width + kPhaseGap;
            break;
        }
    }
}

// Time, below the names of the phases.
void TimelineView::paint_axis(QPainter& painter, const TimelineLayout& at, const Theme& t) const {
    const auto marks = ticks(at);
    if (marks.empty())
        return;
    const TextMetrics small(small_font());
    const double y = std::round(at.bottom + kTick + small.height() + kAxisGap);
    painter.fillRect(QRectF(at.left, y, at.right - at.left, 1), t.line);
    for (const TimelineTick& tick : marks) {
        painter.fillRect(QRectF(std::round(tick.x), y, 1, kTickLine), t.line);
        const double width = small.width(tick.text);
        if (tick.x + width / 2 <= at.rows.front().right())
            paint_text(painter,
                       QRectF(tick.x - width / 2, y + kTickLine, width + 1, small.height()),
                       tick.text, small_font(), t.faint);
    }
}

QString TimelineView::item_name(const TimelineEvent& event) const {
    const auto& levels = chain()->levels;
    const auto level =
        std::min<std::size_t>(static_cast<std::size_t>(event.level), levels.size() - 1);
    std::int64_t item = event.item;
    if (level == 0 && event.begin >= timeline_.break_at)
        item += timeline_.left_out;
    else if (level > 0)
        item %= std::max<std::int64_t>(1, levels[level].times.iterations);
    return to_qstring(levels[level].loop.name) + ' ' + QString::number(item);
}

QString TimelineView::tooltip_at(const QPointF& position) const {
    const auto at = layout(canvas_->width(), window_);
    const auto& c = *chain();
    const TimelineBar* found = nullptr;
    for (const TimelineBar& bar : at.bars)
        if (bar.where.contains({position.x(), position.y()}))
            found = &bar;
    if (!found) {
        const int row = level_at(position.y());
        if (row < 0)
            return {};
        const auto& level = c.levels[static_cast<std::size_t>(row)];
        return tr("%1: %2 in %3 copies of %4. Drag to the right, or press →, to load further "
                  "ahead.")
            .arg(level.name, level_names(level))
            .arg(copies(row))
            .arg(format_capacity(level.copy_bytes));
    }
    const TimelineEvent& e = found->event;
    const double begin = timeline_.whole_time(e.begin), length = e.end - e.begin;
    const QString times = c.timed ? tr(", %1, from %2 to %3")
                                        .arg(format_seconds(length), format_seconds(begin),
                                             format_seconds(begin + length))
                                  : QString();
    switch (e.kind) {
    case Kind::Load: {
        const auto& level = c.levels[static_cast<std::size_t>(e.level)];
        return tr("Loads %1 for %2%3.\n%4")
            .arg(level_names(level), item_name(e), times, level.transfer_formula);
    }
    case Kind::Latency: return tr("On its way for %1%2.").arg(item_name(e), times);
    case Kind::Work:
        return tr("%1 for %2%3.\n%4").arg(c.work_name, item_name(e), times, c.work_formula);
    case Kind::Store: return tr("The results are written%1.").arg(times);
    case Kind::Idle:
        return tr("Nothing to work on: %1 has not arrived%2.").arg(item_name(e), times);
    }
    return {};
}

} // namespace loopscope::views
