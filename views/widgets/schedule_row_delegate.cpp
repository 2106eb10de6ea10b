#include "views/widgets/schedule_row_delegate.h"

#include "views/models/schedule_tree_model.h"
#include "views/style/fonts.h"
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

void paint_what(QPainter& painter, QRectF where, const QModelIndex& index, const Theme& t) {
    const TreeNode& node = *static_cast<const ScheduleTreeModel*>(index.model())->item(index);
    where.adjust(2, 0, -4, 0);
    if (index.data(ScheduleTreeModel::MatchRole).toBool())
        painter.fillRect(where.adjusted(-2, 3, 0, -3),
                         mix(t.surface, t.mark(Meaning::Unrolled), 0.35));
    if (!index.data(ScheduleTreeModel::FindingRole).toString().isEmpty())
        where.setLeft(where.left() +
                      paint_text(painter, where, QStringLiteral("⚠"), bold_font(), t.error) + 5);
    const bool thing = node.kind == TreeKind::Stage || node.kind == TreeKind::Loop;
    const QString mark = node.kind == TreeKind::Storage   ? QString(QChar(0x25a4))
                         : node.kind == TreeKind::Compute ? QString(QChar(0x25aa))
                                                          : QString();
    const auto look = index.data(ScheduleTreeModel::LookRole).toInt();
    if (look != ScheduleTreeModel::Plain)
        where.setLeft(where.left() + paint_look(painter, where, look, thing, t) + 5);
    else if (!mark.isEmpty())
        where.setLeft(where.left() + paint_text(painter, where, mark, text_font(), t.faint) + 5);
    const QString name = index.data(ScheduleTreeModel::NameRole).toString();
    const QFont font = thing ? bold_font() : text_font();
    where.setLeft(where.left() + paint_text(painter, where, name, font, t.text) + 6);
    paint_text(painter, where, index.data(ScheduleTreeModel::DetailRole).toString(), text_font(),
               t.faint);
}

void paint_how(QPainter& painter, QRectF where, const QModelIndex& index, const Theme& t) {
    const TreeNode& node = *static_cast<const ScheduleTreeModel*>(index.model())->item(index);
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

QSize ScheduleRowDelegate::sizeHint(const QStyleOptionViewItem& option,
                                    const QModelIndex& index) const {
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.setHeight(std::max(kRowHeight, option.fontMetrics.height() + 8));
    return size;
}

void ScheduleRowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                                const QModelIndex& index) const {
    const Theme& t = option.widget ? theme_of(*option.widget) : theme(ThemeKind::Light);
    painter->save();
    // The row's background is drawn by the view, whole; here only what stands on it.
    QRectF where = option.rect;
    const QVariant share = index.data(ScheduleTreeModel::ShareRole);
    switch (index.column()) {
    case ScheduleTreeModel::What:
        // A row that says nothing in the next column has its room.
        if (const auto* view = qobject_cast<const QTreeView*>(option.widget);
            view && index.siblingAtColumn(ScheduleTreeModel::Tag).data().toString().isEmpty())
            where.setWidth(where.width() + view->columnWidth(ScheduleTreeModel::Tag));
        paint_what(*painter, where, index, t);
        break;
    case ScheduleTreeModel::Tag: paint_how(*painter, where, index, t); break;
    case ScheduleTreeModel::Cost:
        if (share.isValid())
            paint_bar(*painter,
                      QRectF(where.left() + 4, where.center().y() - 3.5, where.width() - 8, 8),
                      share.toDouble(), t.mark(Meaning::Pipelined), t.track);
        break;
    case ScheduleTreeModel::Share:
        paint_text(*painter, where.adjusted(0, 0, -10, 0), index.data().toString(), text_font(),
                   t.faint, Qt::AlignRight | Qt::AlignVCenter);
        break;
    case ScheduleTreeModel::Change: {
        const int sign = index.data(ScheduleTreeModel::SignRole).toInt();
        paint_text(*painter, where.adjusted(0, 0, -10, 0), index.data().toString(), text_font(),
                   sign < 0   ? t.ink(Meaning::Vector)
                   : sign > 0 ? t.ink(Meaning::Pipelined)
                              : t.faint,
                   Qt::AlignRight | Qt::AlignVCenter);
        break;
    }
    default: break;
    }
    painter->restore();
}

} // namespace loopscope::views
