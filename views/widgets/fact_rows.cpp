#include "views/widgets/fact_rows.h"

#include "views/style/fonts.h"
#include "views/widgets/paint.h"

#include <QHelpEvent>
#include <QToolTip>

#include <algorithm>

namespace loopscope::views {

namespace {
constexpr double kLeastBar = 24; // shorter ones say nothing

QColor change_colour(const Theme& t, int sign) {
    return sign < 0 ? t.ink(Meaning::Vector) : sign > 0 ? t.ink(Meaning::Pipelined) : t.faint;
}
} // namespace

FactRows::FactRows(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void FactRows::set_rows(std::vector<FactRow> rows) {
    rows_ = std::move(rows);
    QString text;
    for (const FactRow& row : rows_)
        text += QString(row.name + ' ' + row.value + ' ' + row.change).trimmed() + ". ";
    setAccessibleDescription(text);
    updateGeometry();
    update();
}

int FactRows::row_height() const { return std::max(22, fontMetrics().height() + 6); }

QSize FactRows::sizeHint() const { return {260, static_cast<int>(rows_.size()) * row_height()}; }
QSize FactRows::minimumSizeHint() const {
    return {140, static_cast<int>(rows_.size()) * row_height()};
}

void FactRows::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& t = theme_of(*this);
    const QFontMetricsF metrics(text_font());
    double names = 60;
    bool bars = false;
    for (const FactRow& row : rows_) {
        if (!row.heading)
            names = std::max(names, metrics.horizontalAdvance(row.name));
        bars = bars || row.bar;
    }
    names = std::min(names + 12, width() * 0.45);
    // Numbers come before bars: those take what large type leaves them, or nothing.
    double bar_width = bars ? std::min(104.0, width() * 0.28) : 0;
    for (const FactRow& row : rows_)
        if (row.bar) {
            const double change =
                row.change.isEmpty() ? 0 : metrics.horizontalAdvance(row.change) + 8;
            bar_width = std::min(bar_width, width() - names - metrics.horizontalAdvance(row.value) -
                                                change - 12);
        }
    if (bar_width < kLeastBar)
        bar_width = 0;
    const int height = row_height();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const FactRow& row = rows_[i];
        const QRectF line(0, static_cast<double>(i) * height, width(), height);
        if (row.heading) {
            const double used = paint_text(painter, line, row.name, bold_font(), t.text,
                                           Qt::AlignLeft | Qt::AlignVCenter);
            paint_text(painter, line.adjusted(used + 8, 0, 0, 0), row.change, text_font(),
                       change_colour(t, row.sign));
            continue;
        }
        paint_text(painter, line.adjusted(0, 0, names - 6 - width(), 0), row.name, text_font(),
                   t.text);
        QRectF value = line.adjusted(names, 0, row.bar && bar_width > 0 ? -bar_width - 8 : 0, 0);
        const double change = row.change.isEmpty() ? 0 : metrics.horizontalAdvance(row.change) + 8;
        const double used =
            paint_text(painter, value.adjusted(0, 0, -change, 0), row.value, text_font(), t.faint);
        if (change > 0)
            paint_text(painter, value.adjusted(used + 8, 0, 0, 0), row.change, text_font(),
                       change_colour(t, row.sign));
        if (row.bar && bar_width > 0)
            paint_bar(painter, QRectF(width() - bar_width, line.center().y() - 4, bar_width, 8),
                      *row.bar, *row.bar > 1 ? t.mark(Meaning::Pipelined) : row.colour, t.track);
    }
}

bool FactRows::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const int row = help->pos().y() / row_height();
        QToolTip::showText(help->globalPos(),
                           row >= 0 && row < static_cast<int>(rows_.size())
                               ? rows_[static_cast<std::size_t>(row)].tooltip
                               : QString(),
                           this);
        return true;
    }
    return QWidget::event(event);
}

void FactRows::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (is_theme_change(*event)) {
        updateGeometry();
        update();
    }
}

} // namespace loopscope::views
