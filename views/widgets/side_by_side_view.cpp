#include "views/widgets/side_by_side_view.h"

#include "views/style/fonts.h"
#include "views/style/theme.h"
#include "views/widgets/code_editor.h"
#include "views/widgets/focus_line.h"
#include "views/widgets/paint.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

namespace loopscope::views {

namespace {

constexpr int kSideInset = 10;       // before the number and after the figure
constexpr int kSideIndentation = 14; // a level of the tree
constexpr int kScriptRow = 21, kTreeRow = 24;

QColor code_colour(const Theme& t, int style) {
    switch (static_cast<CodeStyle>(style)) {
    case CodeStyle::Comment:
    case CodeStyle::Type:
    case CodeStyle::Text: return t.faint;
    case CodeStyle::Keyword:
    case CodeStyle::Verb: return t.ink(Meaning::Block);
    case CodeStyle::Name: return mix(t.text, t.faint, 0.4);
    default:
        return style >= static_cast<int>(CodeStyle::FirstMeaning)
                   ? t.ink(static_cast<Meaning>(style - static_cast<int>(CodeStyle::FirstMeaning)))
                   : t.text;
    }
}

// What a side's colour says: the left one has what goes, the right one what comes.
Meaning side_meaning(bool left) { return left ? Meaning::Pipelined : Meaning::Vector; }

class SideDelegate : public QStyledItemDelegate {
public:
    SideDelegate(SideBySideView::Kind kind, QObject* parent)
        : QStyledItemDelegate(parent), kind_(kind) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Theme& t = theme_of(*option.widget);
        const auto& model = *static_cast<const SideBySideModel*>(index.model());
        const bool left = index.column() == SideBySideModel::Left;
        const bool selected = option.state & QStyle::State_Selected;
        painter->save();
        painter->setClipRect(option.rect);
        const SideRow* row = model.row_at(index.row());
        if (!row) {
            painter->fillRect(option.rect, selected ? t.selection : t.raised);
            if (left)
                paint_text(*painter, QRectF(option.rect).adjusted(kSideInset, 0, 0, 0),
                           index.data().toString(), small_font(), t.faint);
        } else {
            const SideCell& cell = left ? row->left : row->right;
            painter->fillRect(option.rect, background(t, *row, cell, left, selected));
            if (cell.present)
                paint_cell(*painter, option.rect, *row, cell, left, t);
        }
        if (!left) { // the line between the sides
            painter->setPen(t.line);
            painter->drawLine(option.rect.topLeft(), option.rect.bottomLeft());
        }
        painter->restore();
    }

private:
    static QColor background(const Theme& t, const SideRow& row, const SideCell& cell, bool left,
                             bool selected) {
        QColor colour = t.surface;
        // nothing is here
        if (!cell.present)
            colour = t.raised;
        else if (row.change == SideChange::Moved)
            colour = mix(t.surface, t.mark(Meaning::Serial), 0.14);
        else if (row.change != SideChange::Same)
            colour = mix(t.surface, t.mark(side_meaning(left)), 0.14);
        return selected ? mix(colour, t.selection, row.change == SideChange::Same ? 1 : 0.6)
                        : colour;
    }

    void paint_cell(QPainter& painter, QRectF where, const SideRow& row, const SideCell& cell,
                    bool left, const Theme& t) const {
        const QFontMetricsF metrics(code_font());
        const QString sign = side_sign(row, left);
        const QColor ink = row.change == SideChange::Moved ? t.faint : t.ink(side_meaning(left));
        where.adjust(kSideInset, 0, -kSideInset, 0);
        if (kind_ == SideBySideView::Kind::Script) {
            const double numbers = metrics.horizontalAdvance(QStringLiteral("0000"));
            paint_text(painter, QRectF(where.left(), where.top(), numbers, where.height()),
                       QString::number(cell.number), code_font(), t.line_number(),
                       Qt::AlignRight | Qt::AlignVCenter);
            where.setLeft(where.left() + numbers + kGap);
        }
        paint_text(painter, where, sign, code_font(), ink);
        where.setLeft(where.left() + metrics.horizontalAdvance(QStringLiteral("~ ")));
        if (kind_ == SideBySideView::Kind::Script)
            paint_line(painter, where, row, cell, left, t);
        else
            paint_node(painter, where, cell, t);
    }

    // A line in the colours of its words; where what differs would lie beyond the rim, it begins
    // later.
    static void paint_line(QPainter& painter, QRectF where, const SideRow& row,
                           const SideCell& cell, bool left, const Theme& t) {
        const QFont font = code_font();
        const QFontMetricsF metrics(font);
        painter.setFont(font);
        const bool changed = row.change == SideChange::Changed && cell.part_end > cell.part_begin;
        double shift = 0;
        if (changed) {
            const double end = metrics.horizontalAdvance(cell.text.left(cell.part_end));
            if (end > where.width())
                shift = std::min(end - where.width() / 2,
                                 metrics.horizontalAdvance(cell.text) - where.width() / 2);
        }
        const double width = metrics.horizontalAdvance(cell.text) - shift;
        const double rim =
            width > where.width() ? metrics.horizontalAdvance(QStringLiteral("…")) : 0;
        painter.save();
        painter.setClipRect(where.adjusted(0, 0, -rim, 0), Qt::IntersectClip);
        const double begin = where.left() - shift;
        if (changed) {
            QColor part = t.mark(side_meaning(left));
            part.setAlphaF(0.3F);
            const double x = metrics.horizontalAdvance(cell.text.left(cell.part_begin)),
                         end = metrics.horizontalAdvance(cell.text.left(cell.part_end));
            painter.fillRect(QRectF(begin + x, where.top() + 2, end - x, where.height() - 4), part);
        }
        const QByteArray bytes = cell.text.toUtf8();
        auto piece = [&](int from, int to, const QColor& colour) {
            const QString before = QString::fromUtf8(bytes.left(from));
            painter.setPen(colour);
            painter.drawText(QRectF(begin + metrics.horizontalAdvance(before), where.top(),
                                    where.width() + shift, where.height()),
                             Qt::AlignLeft | Qt::AlignVCenter,
                             QString::fromUtf8(bytes.mid(from, to - from)));
        };
        int done = 0;
        for (const CodeToken& token : tokenize_schedule(bytes)) {
            if (token.begin > done)
                piece(done, token.begin, t.text);
            piece(token.begin, token.end, code_colour(t, token.style));
            done = token.end;
        }
        if (done < bytes.size())
            piece(done, static_cast<int>(bytes.size()), t.text);
        painter.restore();
        if (rim > 0)
            paint_text(painter, QRectF(where.right() - rim, where.top(), rim, where.height()),
                       QStringLiteral("…"), font, t.faint);
    }

    static void paint_node(QPainter& painter, QRectF where, const SideCell& cell, const Theme& t) {
        where.setLeft(where.left() + kSideIndentation * cell.depth);
        if (!cell.figure.isEmpty()) {
            paint_text(painter, where, cell.figure, text_font(), t.faint,
                       Qt::AlignRight | Qt::AlignVCenter);
            where.setRight(where.right() - kGap -
                           QFontMetricsF(text_font()).horizontalAdvance(cell.figure));
        }
        const bool thing =
            cell.node.name == "@stage" || cell.node.name.empty() || cell.node.name.front() != '@';
        where.setLeft(
            where.left() +
            paint_text(painter, where, cell.text, thing ? bold_font() : text_font(), t.text) + 6);
        if (!cell.detail.isEmpty())
            where.setLeft(where.left() +
                          paint_text(painter, where, cell.detail, text_font(), t.faint) + kGap);
        if (cell.tag.isEmpty() ||
            where.width() < QFontMetricsF(text_font()).horizontalAdvance(cell.tag) + 2 * kGap)
            return; // a part of it says nothing
        painter.setFont(text_font());
        if (cell.meaning == Meaning::Serial)
            paint_text(painter, where, cell.tag, text_font(), t.faint);
        else
            paint_tag(painter, where, cell.tag, t.ink(cell.meaning));
    }

    SideBySideView::Kind kind_;
};

} // namespace

SideBySideView::SideBySideView(Kind kind, QWidget* parent)
    : QTableView(parent), model_(new SideBySideModel(this)) {
    setModel(model_);
    setItemDelegate(new SideDelegate(kind, this));
    new FocusLine(this);
    setProperty("tree", kind == Kind::Tree);
    setAccessibleName(kind == Kind::Script ? tr("Scripts side by side") : tr("Trees side by side"));
    horizontalHeader()->hide();
    horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    horizontalHeader()->setMinimumSectionSize(0);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setWordWrap(false);
    setCornerButtonEnabled(false);
    setTabKeyNavigation(false);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    fit_rows();
    connect(this, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (model_->run_length(index.row()) > 0) {
            unfold(index);
        } else if (const SideRow* row = model_->row_at(index.row())) {
            const SideCell& cell = row->right.present ? row->right : row->left;
            if (!cell.node.stage.empty())
                emit nodeSelected(cell.node);
        }
    });
}

void SideBySideView::fit_rows() {
    const bool tree = property("tree").toBool();
    verticalHeader()->setDefaultSectionSize(
        tree ? std::max(kTreeRow, QFontMetrics(text_font()).height() + 6)
             : std::max(kScriptRow, QFontMetrics(code_font()).height() + 4));
}

void SideBySideView::unfold(const QModelIndex& index) {
    const int row = index.row();
    model_->unfold(row);
    setCurrentIndex(model_->index(row, SideBySideModel::Left));
}

bool SideBySideView::go_to_difference(bool forward) {
    const int at = currentIndex().isValid() ? currentIndex().row() : -1;
    int row = model_->next_difference(at, forward);
    if (row < 0)
        row = model_->next_difference(forward ? -1 : model_->rowCount(), forward);
    if (row < 0)
        return false;
    setCurrentIndex(model_->index(row, SideBySideModel::Left));
    scrollTo(currentIndex(), QAbstractItemView::PositionAtCenter);
    setFocus();
    return true;
}

void SideBySideView::show_first_difference() {
    const int row = model_->next_difference(-1, true);
    if (row >= 0)
        scrollTo(model_->index(row, SideBySideModel::Left), QAbstractItemView::EnsureVisible);
}

void SideBySideView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        QStringList lines;
        auto rows = selectionModel()->selectedRows();
        std::sort(rows.begin(), rows.end());
        for (const QModelIndex& index : rows)
            lines << model_->text(index.row());
        QApplication::clipboard()->setText(lines.join('\n'));
        return;
    }
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) &&
        model_->run_length(currentIndex().row()) > 0) {
        unfold(currentIndex());
        return;
    }
    QTableView::keyPressEvent(event);
}

void SideBySideView::changeEvent(QEvent* event) {
    QTableView::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fit_rows();
    if (is_theme_change(*event))
        viewport()->update();
}

} // namespace loopscope::views
