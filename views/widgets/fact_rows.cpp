#include "views/widgets/fact_rows.h"

#include "views/style/fonts.h"
#include "views/style/text_metrics.h"
#include "views/widgets/paint.h"
#include "views/widgets/row_copying.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>

namespace loopscope::views {

namespace {
constexpr double kMinBar = 24;   // shorter ones say nothing
constexpr double kNameGap = 12;  // between the names and the values
constexpr int kAboveHeading = 6; // what a heading names belongs together, and apart from the rest

QColor change_colour(const Theme& t, int sign) {
    return sign < 0 ? t.ink(Meaning::Vector) : sign > 0 ? t.ink(Meaning::Pipelined) : t.faint;
}

// With the gap before it; 0: there is none.
double change_width(const FactRow& row) {
    return row.change.isEmpty() ? 0 : TextMetrics(text_font()).width(row.change) + kGap;
}

// By the measure of paint_text.
bool is_whole(const QString& text, double room) {
    return TextMetrics(text_font()).width(text) <= room + 0.5;
}

QString value_in(const FactRow& row, double room) {
    if (is_whole(row.value, room) || row.shorter.isEmpty())
        return row.value;
    for (const QString& shorter : row.shorter)
        if (is_whole(shorter, room))
            return shorter;
    return row.shorter.back();
}
} // namespace

FactRows::FactRows(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setFocusPolicy(Qt::ClickFocus); // for Ctrl+C; Tab passes what cannot be changed
    const auto texts_from = [this](std::size_t first, std::size_t end) {
        QList<QStringList> texts;
        for (auto i = first; i < end; ++i)
            texts << QStringList{rows_[i].name, rows_[i].value, rows_[i].change};
        return texts;
    };
    const auto all = [this, texts_from] { return texts_from(0, rows_.size()); };
    const auto selected = [this, texts_from, all] {
        const auto row = static_cast<std::size_t>(std::max(chosen_, 0));
        return chosen_ < 0 ? all() : texts_from(row, row + 1);
    };
    new RowCopying(this, {selected, all}, RowCopying::Menu::Own);
}

void FactRows::set_rows(std::vector<FactRow> rows) {
    const int before = whole_height();
    rows_ = std::move(rows);
    if (chosen_ >= static_cast<int>(rows_.size()))
        chosen_ = -1;
    QString text;
    for (const FactRow& row : rows_)
        text += QString(row.name + ' ' + row.value + ' ' + row.change).trimmed() + ". ";
    setAccessibleDescription(text);
    if (whole_height() != before)
        updateGeometry();
    update();
}

int FactRows::row_height() const { return std::max(22, fontMetrics().height() + 6); }

double FactRows::top_of(std::size_t row) const {
    double y = 0;
    for (std::size_t i = 0; i <= row && i < rows_.size(); ++i) {
        if (i > 0)
            y += row_height();
        if (i > 0 && rows_[i].heading)
            y += kAboveHeading;
    }
    return y;
}

int FactRows::row_at(double y) const {
    for (std::size_t i = rows_.size(); i-- > 0;)
        if (y >= top_of(i))
            return y < top_of(i) + row_height() ? static_cast<int>(i) : -1;
    return -1;
}

int FactRows::whole_height() const {
    return rows_.empty() ? 0 : static_cast<int>(top_of(rows_.size() - 1)) + row_height();
}

QSize FactRows::sizeHint() const { return {260, whole_height()}; }
QSize FactRows::minimumSizeHint() const { return {140, whole_height()}; }

// Names give way only where values, shown whole, leave them less than they take.
double FactRows::name_width() const {
    const TextMetrics metrics(text_font());
    double names = least_names_, values = 0;
    for (const FactRow& row : rows_) {
        if (row.heading)
            continue;
        names = std::max(names, metrics.width(row.name) + kNameGap);
        const QString& least = row.shorter.isEmpty() ? row.value : row.shorter.back();
        values =
            std::max(values, metrics.width(least) +
                                 (row.change.isEmpty() ? 0 : metrics.width(row.change) + kGap));
    }
    return std::min(names, std::max(width() * 0.5, width() - values));
}

// Numbers come before bars: those take what the numbers leave them, or nothing, and are as long as
// each other.
double FactRows::bar_width_from(std::size_t first) const {
    const TextMetrics metrics(text_font());
    const double names = name_width();
    double wide = std::min(104.0, width() * 0.28);
    for (std::size_t i = first; i < rows_.size() && (i == first || !rows_[i].heading); ++i)
        if (const FactRow& row = rows_[i]; row.bar)
            wide =
                std::min(wide, width() - names - metrics.width(row.value) - change_width(row) - 12);
    return wide < kMinBar ? 0 : wide;
}

double FactRows::value_room(const FactRow& row, double bar_width) const {
    return width() - name_width() - (row.bar && bar_width > 0 ? bar_width + kGap : 0) -
           change_width(row);
}

QString FactRows::tooltip_of(std::size_t row) const {
    const FactRow& of = rows_[row];
    QString tip = of.tooltip;
    if (!of.change.isEmpty())
        tip += (tip.isEmpty() ? "" : "\n") + tr("%1 against the baseline").arg(of.change);
    std::size_t first = row;
    while (first > 0 && !rows_[first].heading)
        --first;
    if (of.heading || is_whole(of.value, value_room(of, bar_width_from(first))))
        return tip;
    return tip.isEmpty() ? of.value : of.value + '\n' + tip;
}

void FactRows::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& t = theme_of(*this);
    const double names = name_width();
    double bar_width = bar_width_from(0);
    const int height = row_height();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const FactRow& row = rows_[i];
        const QRectF line(0, top_of(i), width(), height);
        if (static_cast<int>(i) == chosen_)
            painter.fillRect(line, t.selection);
        if (row.heading) {
            bar_width = bar_width_from(i);
            const double used = paint_text(painter, line, row.name, bold_font(), t.text,
                                           Qt::AlignLeft | Qt::AlignVCenter);
            paint_text(painter, line.adjusted(used + 8, 0, 0, 0), row.change, text_font(),
                       change_colour(t, row.sign));
            continue;
        }
        paint_text(painter, line.adjusted(0, 0, names - 6 - width(), 0), row.name, text_font(),
                   t.text);
        const QRectF value(names, line.y(), value_room(row, bar_width), height);
        const double used =
            paint_text(painter, value, value_in(row, value.width()), text_font(), t.faint);
        if (!row.change.isEmpty())
            paint_text(painter, value.adjusted(used + kGap, 0, change_width(row), 0), row.change,
                       text_font(), change_colour(t, row.sign));
        if (row.bar && bar_width > 0)
            paint_bar(painter, QRectF(width() - bar_width, line.center().y() - 4, bar_width, 8),
                      *row.bar, *row.bar > 1 ? t.mark(Meaning::Pipelined) : row.colour, t.track);
        const QRectF above(width() - bar_width, line.y(), bar_width, height);
        if (!row.bars_are.isEmpty() && names + used + change_width(row) + kGap <= above.x() &&
            TextMetrics(small_font()).width(row.bars_are) <= above.width())
            paint_text(painter, above, row.bars_are, small_font(), t.faint);
    }
}

void FactRows::choose(int row) {
    chosen_ = row;
    update();
}

void FactRows::mousePressEvent(QMouseEvent* event) {
    choose(row_at(event->position().y()));
    QWidget::mousePressEvent(event);
}

// A menu of its own does not take the choice away that it is about.
void FactRows::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    if (event->reason() != Qt::PopupFocusReason)
        choose(-1);
}

bool FactRows::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const int row = row_at(help->pos().y());
        QToolTip::showText(help->globalPos(),
                           row >= 0 ? tooltip_of(static_cast<std::size_t>(row)) : QString(), this);
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
