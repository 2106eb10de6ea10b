#include "views/widgets/picture_canvas.h"

#include "views/style/theme.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QPaintEvent>
#include <QPainter>
#include <QToolTip>

namespace loopscope::views {

PictureCanvas::PictureCanvas(Paint paint, Tooltip tooltip, FillMenu fill_menu)
    : paint_(std::move(paint)), tooltip_(std::move(tooltip)), fill_menu_(std::move(fill_menu)) {}

bool PictureCanvas::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), tooltip_(help->pos()), this);
    return true;
}

void PictureCanvas::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    paint_(painter, {theme_of(*this), size(), event->rect(), hasFocus()});
}

void PictureCanvas::contextMenuEvent(QContextMenuEvent* event) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fill_menu_(*menu);
    if (menu->isEmpty())
        menu->deleteLater();
    else
        menu->popup(event->globalPos());
}

} // namespace loopscope::views
