#include "views/widgets/link_list.h"

#include "views/style/fonts.h"
#include "views/style/text_metrics.h"
#include "views/style/theme.h"
#include "views/widgets/paint.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>
#include <cmath>

namespace loopscope::views {

namespace {

constexpr int kMargin = 10;        // left and right in a row, and between its columns
constexpr double kMaxNames = 0.35; // of the width
constexpr int kDetailRole = Qt::UserRole, kFactsRole = Qt::UserRole + 1,
              kPathRole = Qt::UserRole + 2, kCutRole = Qt::UserRole + 3;

class LinkDelegate : public QStyledItemDelegate {
public:
    explicit LinkDelegate(LinkList* list) : QStyledItemDelegate(list), list_(*list) {}

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
        const bool heading = index.data(kPathRole).toString().isEmpty();
        return {0, list_.row_height() + (heading && index.row() > 0 ? kGap : 0)};
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        painter->save();
        const QString name = index.data(Qt::DisplayRole).toString();
        const QRectF row = QRectF(option.rect).adjusted(kMargin, 0, -kMargin, 0);
        if (index.data(kPathRole).toString().isEmpty()) {
            const QRectF lower(row.x(), row.bottom() - list_.row_height(), row.width(),
                               list_.row_height());
            paint_text(*painter, lower, name, bold_font(), theme_of(list_).text);
        } else {
            paint_mark_of(*painter, option, index);
            paint_link(*painter, row, index, name);
        }
        painter->restore();
    }

    double shown_names(double row) const { return std::min(name_width, row * kMaxNames); }

    double name_width = 0;
    std::vector<double> fact_widths;

private:
    void paint_mark_of(QPainter& painter, const QStyleOptionViewItem& option,
                       const QModelIndex& index) const {
        const Theme& t = theme_of(list_);
        const bool chosen = index == list_.currentIndex();
        if (!chosen && !(option.state & QStyle::State_MouseOver))
            return;
        const bool keyboard = chosen && list_.hasFocus();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(keyboard ? QPen(t.accent) : QPen(Qt::NoPen));
        painter.setBrush(chosen ? t.selection : t.hover);
        painter.drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
    }
    void paint_link(QPainter& painter, const QRectF& row, const QModelIndex& index,
                    const QString& name) const {
        const Theme& t = theme_of(list_);
        const double names = shown_names(row.width()), room = list_.room_for_detail();
        paint_text(painter, QRectF(row.x(), row.y(), names, row.height()), name, bold_font(),
                   t.accent);
        const auto cut = static_cast<Qt::TextElideMode>(index.data(kCutRole).toInt());
        const QString detail =
            TextMetrics(text_font()).elided(index.data(kDetailRole).toString(), cut, room);
        const QRectF middle(row.x() + names + kMargin, row.y(), room, row.height());
        paint_text(painter, middle, detail, text_font(), t.faint);
        double left = middle.right() + kMargin;
        const QStringList facts = index.data(kFactsRole).toStringList();
        for (std::size_t i = 0; i < fact_widths.size(); ++i) {
            paint_text(painter, QRectF(left, row.y(), fact_widths[i], row.height()),
                       facts.value(static_cast<int>(i)), text_font(), t.faint,
                       Qt::AlignRight | Qt::AlignVCenter);
            left += fact_widths[i] + kMargin;
        }
    }

    LinkList& list_;
};

LinkDelegate& delegate_of(const LinkList& list) {
    return *static_cast<LinkDelegate*>(list.itemDelegate());
}

} // namespace

LinkList::LinkList(QWidget* parent) : QListWidget(parent) {
    setItemDelegate(new LinkDelegate(this));
    setSelectionMode(QAbstractItemView::NoSelection);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setMouseTracking(true);
    // By hand, as a style may count a click as activation, and what opens twice opens wrongly.
    connect(this, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) {
        if (opens(row(item)))
            emit openRequested(item->data(kPathRole).toString());
    });
}

void LinkList::set_links(const std::vector<Link>& links) {
    links_ = links;
    clear();
    for (const Link& link : links_) {
        auto* item = new QListWidgetItem(link.name, this);
        item->setData(kPathRole, link.path);
        item->setData(kDetailRole, link.detail);
        item->setData(kFactsRole, link.facts);
        item->setData(kCutRole, static_cast<int>(link.cut));
        item->setData(Qt::AccessibleTextRole, link.name);
        item->setToolTip(link.tip);
        QStringList said = link.facts;
        said.prepend(link.detail);
        said.removeAll(QString());
        item->setData(Qt::AccessibleDescriptionRole, said.join(QStringLiteral(", ")));
        if (link.path.isEmpty())
            item->setFlags(Qt::NoItemFlags);
    }
    setCurrentRow(-1);
    measure();
}

void LinkList::measure() {
    const TextMetrics metrics(text_font());
    auto& widths = delegate_of(*this).fact_widths;
    widths.clear();
    for (const Link& link : links_)
        for (int i = 0; i < link.facts.size(); ++i) {
            const auto column = static_cast<std::size_t>(i);
            if (widths.size() <= column)
                widths.resize(column + 1);
            widths[column] = std::max(widths[column], std::ceil(metrics.width(link.facts[i])) + 1);
        }
    scheduleDelayedItemsLayout();
    viewport()->update();
}

double LinkList::widest_name() const {
    const TextMetrics metrics(bold_font());
    double widest = 0;
    for (const Link& link : links_)
        if (!link.path.isEmpty())
            widest = std::max(widest, std::ceil(metrics.width(link.name)) + 1);
    return widest;
}

// Names and facts have what they need; what the detail lacks is cut.
double LinkList::room_for_detail() const {
    const LinkDelegate& delegate = delegate_of(*this);
    const double row = viewport()->width() - 2 * kMargin;
    double room = row - delegate.shown_names(row) - kMargin;
    for (const double width : delegate.fact_widths)
        room -= width + kMargin;
    return std::max(0.0, room);
}

void LinkList::set_name_width(double width) {
    delegate_of(*this).name_width = width;
    viewport()->update();
}

int LinkList::row_height() const {
    return std::max(kRowHeight, static_cast<int>(std::ceil(TextMetrics(text_font()).height())) + 8);
}

bool LinkList::opens(int row) const {
    return row >= 0 && row < count() && !item(row)->data(kPathRole).toString().isEmpty();
}

int LinkList::next_that_opens(int row, int step) const {
    for (row += step; row >= 0 && row < count(); row += step)
        if (opens(row))
            return row;
    return -1;
}

void LinkList::choose_first() {
    setCurrentRow(next_that_opens(-1, 1));
    scrollToTop();
}

void LinkList::open_chosen() {
    if (opens(currentRow()))
        emit openRequested(item(currentRow())->data(kPathRole).toString());
}

void LinkList::keyPressEvent(QKeyEvent* event) {
    const int key = event->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter)
        return open_chosen();
    if (key != Qt::Key_Down && key != Qt::Key_Up)
        return QListWidget::keyPressEvent(event);
    const int row = next_that_opens(currentRow(), key == Qt::Key_Down ? 1 : -1);
    if (row >= 0)
        setCurrentRow(row);
    else if (key == Qt::Key_Up)
        emit leftAbove();
    // the heading of the first row is seen with it
    if (next_that_opens(currentRow(), -1) < 0)
        scrollToTop();
}

void LinkList::mouseMoveEvent(QMouseEvent* event) {
    QListWidget::mouseMoveEvent(event);
    const auto index = indexAt(event->position().toPoint());
    viewport()->setCursor(opens(index.row()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void LinkList::changeEvent(QEvent* event) {
    QListWidget::changeEvent(event);
    if (is_theme_change(*event) && itemDelegate())
        measure();
}

} // namespace loopscope::views
