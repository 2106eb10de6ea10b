#include "views/widgets/schedule_row_delegate.h"

#include "views/models/schedule_tree_model.h"
#include "views/style/fonts.h"
#include "views/style/text_metrics.h"
#include "views/widgets/paint.h"

#include <QPainter>
#include <QTreeView>

namespace loopscope::views {

namespace {

constexpr int kTagInset = 8; // of the text in a tag: what stands without one is in line with it

// In the colours of what they are for: loads that become local, stores that stay, loads that run
// ahead.
qreal paint_look(QPainter& painter, const QRectF& where, int look, bool stage, const Theme& t) {
    switch (look) {
    case ScheduleTreeModel::Circular:
        return paint_mark(painter, where, RowMark::Circle, t.ink(Meaning::Vector));
    case ScheduleTreeModel::Rotating:
        return paint_mark(painter, where, RowMark::Sheets, t.ink(Meaning::Pipelined));
    default:
        return paint_mark(painter, where, RowMark::Copy,
                          stage ? t.ink(Meaning::Unrolled) : t.faint);
    }
}

const QString kFindingMark = QStringLiteral("⚠");
constexpr int kGapBehindMark = 5, kGapBehindName = 6;
constexpr qreal kBeforeText = 2, kBehindText = 4;

const TreeNode& node_of(const QModelIndex& index) {
    return *static_cast<const ScheduleTreeModel*>(index.model())->item(index);
}

// A loop or a stage has none.
QString mark_of(const TreeNode& node) {
    return node.kind == TreeKind::Storage   ? QString(QChar(0x25a4))
           : node.kind == TreeKind::Compute ? QString(QChar(0x25aa))
                                            : QString();
}

bool is_thing(const TreeNode& node) {
    return node.kind == TreeKind::Stage || node.kind == TreeKind::Loop;
}

void paint_what(QPainter& painter, QRectF where, const QModelIndex& index, const Theme& t,
                bool searched) {
    const TreeNode& node = node_of(index);
    where.adjust(kBeforeText, 0, -kBehindText, 0);
    if (searched && index.data(ScheduleTreeModel::MatchRole).toBool())
        painter.fillRect(where.adjusted(-kBeforeText, 3, 0, -3),
                         mix(t.surface, t.mark(Meaning::Unrolled), 0.35));
    if (!index.data(ScheduleTreeModel::FindingRole).toString().isEmpty())
        where.setLeft(where.left() +
                      paint_text(painter, where, kFindingMark, bold_font(), t.error) +
                      kGapBehindMark);
    const bool thing = is_thing(node);
    const QString mark = mark_of(node);
    const auto look = index.data(ScheduleTreeModel::LookRole).toInt();
    if (look != ScheduleTreeModel::Plain)
        where.setLeft(where.left() + paint_look(painter, where, look, thing, t) + kGapBehindMark);
    else if (!mark.isEmpty())
        where.setLeft(where.left() + paint_text(painter, where, mark, text_font(), t.faint) +
                      kGapBehindMark);
    const QString name = index.data(ScheduleTreeModel::NameRole).toString();
    const QFont font = thing ? bold_font() : text_font();
    where.setLeft(where.left() + paint_text(painter, where, name, font, t.text) + kGapBehindName);
    const QString detail = index.data(ScheduleTreeModel::DetailRole).toString();
    paint_text(painter, where,
               node.kind == TreeKind::Storage ? fitted_memory(detail, where.width()) : detail,
               text_font(), t.faint);
}

void paint_how(QPainter& painter, QRectF where, const QModelIndex& index, const Theme& t) {
    const TreeNode& node = node_of(index);
    where.adjust(4, 0, -4, 0);
    if (node.kind == TreeKind::Stage) {
        paint_text(painter, where.adjusted(kTagInset, 0, 0, 0), index.data().toString(),
                   text_font(), t.faint);
        return;
    }
    const QString tag = index.data(ScheduleTreeModel::TagRole).toString();
    if (tag.isEmpty())
        return;
    const auto meaning = static_cast<Meaning>(index.data(ScheduleTreeModel::MeaningRole).toInt());
    painter.setFont(text_font());
    if (node.kind == TreeKind::Loop &&
        meaning == Meaning::Serial) // what runs plainly needs no frame
        paint_text(painter, where.adjusted(kTagInset, 0, 0, 0), tag, text_font(), t.faint);
    else
        paint_tag(painter, where, tag, t.ink(meaning));
}

} // namespace

QString fitted_memory(const QString& detail, double room) {
    const TextMetrics metrics(text_font());
    const QString between = QStringLiteral(" · ");
    if (metrics.width(detail) <= room)
        return detail;
    const QStringList parts =
        QString(detail).remove(QStringLiteral("storage ")).split(between); // its mark says that
    if (parts.size() < 2)
        return detail;
    const QString type = parts.front().section(' ', 0, 0), rest = parts.mid(1).join(between);
    for (const QString& text :
         {parts.join(between), type + between + rest, rest, parts.front() + between + parts.back(),
          type + between + parts.back(), parts.back()})
        if (metrics.width(text) <= room)
            return text;
    return parts.front();
}

double tree_text_width(const QModelIndex& index) {
    const TreeNode& node = node_of(index);
    const TextMetrics text(text_font()), bold(bold_font());
    double width = kBeforeText + kBehindText;
    if (!index.data(ScheduleTreeModel::FindingRole).toString().isEmpty())
        width += bold.width(kFindingMark) + kGapBehindMark;
    if (index.data(ScheduleTreeModel::LookRole).toInt() != ScheduleTreeModel::Plain)
        width += kRowMarkSize + kGapBehindMark;
    else if (const QString mark = mark_of(node); !mark.isEmpty())
        width += text.width(mark) + kGapBehindMark;
    return width +
           (is_thing(node) ? bold : text)
               .width(index.data(ScheduleTreeModel::NameRole).toString()) +
           kGapBehindName + text.width(index.data(ScheduleTreeModel::DetailRole).toString());
}

int tree_row_height(const QFontMetrics& metrics) {
    return std::max(kRowHeight, metrics.height() + 8);
}

QSize ScheduleRowDelegate::sizeHint(const QStyleOptionViewItem& option,
                                    const QModelIndex& index) const {
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.setHeight(tree_row_height(option.fontMetrics));
    return size;
}

void ScheduleRowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
    // The row's background is drawn by the view, whole; here only what stands on it.
    QRectF where = option.rect;
    // A row that says nothing in the next column has its room.
    if (const auto* view = qobject_cast<const QTreeView*>(option.widget);
        view && index.column() == ScheduleTreeModel::What &&
        index.siblingAtColumn(ScheduleTreeModel::Tag).data().toString().isEmpty())
        where.setWidth(where.width() + view->columnWidth(ScheduleTreeModel::Tag));
    paint_tree_cell(*painter, where, index,
                    option.widget ? theme_of(*option.widget) : theme(ThemeKind::Light), true);
}

void paint_tree_cell(QPainter& painter, const QRectF& where, const QModelIndex& index,
                     const Theme& t, bool searched) {
    painter.save();
    const QVariant share = index.data(ScheduleTreeModel::ShareRole);
    const auto number = [&](const QColor& colour) {
        paint_text(painter, where.adjusted(0, 0, -10, 0), index.data().toString(), text_font(),
                   colour, Qt::AlignRight | Qt::AlignVCenter);
    };
    switch (index.column()) {
    case ScheduleTreeModel::What: paint_what(painter, where, index, t, searched); break;
    case ScheduleTreeModel::Tag: paint_how(painter, where, index, t); break;
    case ScheduleTreeModel::Cost:
        if (share.isValid())
            paint_bar(painter,
                      QRectF(where.left() + 4, where.center().y() - 3.5, where.width() - 8, 8),
                      share.toDouble(), t.mark(Meaning::Pipelined), t.track);
        break;
    case ScheduleTreeModel::Share: number(t.faint); break;
    case ScheduleTreeModel::Change: {
        const int sign = index.data(ScheduleTreeModel::SignRole).toInt();
        number(sign < 0 ? t.ink(Meaning::Vector) : sign > 0 ? t.ink(Meaning::Pipelined) : t.faint);
        break;
    }
    default: break;
    }
    painter.restore();
}

} // namespace loopscope::views
