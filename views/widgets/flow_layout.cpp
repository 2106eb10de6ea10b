#include "views/widgets/flow_layout.h"

#include <utility>

namespace loopscope::views {

FlowLayout::FlowLayout(int gap, QWidget* parent) : QLayout(parent) {
    setContentsMargins(0, 0, 0, 0);
    setSpacing(gap);
}

FlowLayout::~FlowLayout() {
    for (QLayoutItem* item : items_)
        delete item;
}

void FlowLayout::addItem(QLayoutItem* item) { items_.push_back(item); }

QLayoutItem* FlowLayout::itemAt(int index) const {
    return index >= 0 && index < count() ? items_[static_cast<std::size_t>(index)] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
    QLayoutItem* item = itemAt(index);
    if (item)
        items_.erase(items_.begin() + index);
    return item;
}

QSize FlowLayout::minimumSize() const {
    QSize size;
    for (QLayoutItem* item : items_)
        size = size.expandedTo(item->minimumSize());
    return size;
}

void FlowLayout::setGeometry(const QRect& rectangle) {
    QLayout::setGeometry(rectangle);
    arrange(rectangle, true);
}

int FlowLayout::arrange(const QRect& rectangle, bool place) const {
    int x = rectangle.x(), y = rectangle.y(), line = 0;
    std::vector<std::pair<QLayoutItem*, QRect>> row; // in the middle of their line, one by one
    auto end_line = [&] {
        for (const auto& [item, where] : row)
            item->setGeometry(where.translated(0, (line - where.height()) / 2));
        row.clear();
    };
    for (QLayoutItem* item : items_) {
        if (item->isEmpty())
            continue;
        const QSize size = item->sizeHint();
        if (line > 0 && x + size.width() > rectangle.right() + 1) {
            end_line();
            x = rectangle.x();
            y += line + spacing();
            line = 0;
        }
        if (place)
            row.emplace_back(item, QRect(QPoint(x, y), size));
        x += size.width() + spacing();
        line = std::max(line, size.height());
    }
    end_line();
    return y + line - rectangle.y();
}

} // namespace loopscope::views
