#include "views/widgets/picture_canvas.h"

#include "views/style/theme.h"
#include "views/widgets/picture_export.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QPaintEvent>
#include <QPainter>
#include <QToolTip>

namespace loopscope::views {

PictureCanvas::PictureCanvas(Paint paint, Tooltip tooltip)
    : paint_(std::move(paint)), tooltip_(std::move(tooltip)) {}

Status PictureCanvas::export_to(const QString& path, const QSize& size,
                                const QString& title) const {
    return export_picture(path, size, title, [&](QPainter& painter) {
        const QRectF all(QPointF(0, 0), size);
        painter.fillRect(all, theme_of(*this).surface);
        paint_(painter, {size, all});
    });
}

bool PictureCanvas::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), tooltip_(help->pos()), this);
    return true;
}

void PictureCanvas::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    paint_(painter, {size(), event->rect(), hasFocus()});
}

void PictureCanvas::contextMenuEvent(QContextMenuEvent* event) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Export…"), this, &PictureCanvas::exportRequested);
    menu->popup(event->globalPos());
}

} // namespace loopscope::views
