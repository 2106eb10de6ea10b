#pragma once
// For the files of the inspector alone: taking everything out of a layout.

#include <QLayout>
#include <QWidget>

namespace loopscope::views {

inline void empty_layout(QLayout* layout) {
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        } else if (item->layout()) {
            empty_layout(item->layout());
        }
        delete item;
    }
}

} // namespace loopscope::views
