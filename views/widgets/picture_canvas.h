#pragma once
// The part of a view that it paints itself: shown, pointed at, and exported as a file.

#include "core/base/result.h"

#include <QRectF>
#include <QString>
#include <QWidget>

#include <functional>

class QPainter;

namespace loopscope::views {

// What a picture is painted into.
struct PictureFrame {
    QSizeF size;
    QRectF exposed;         // what is outside of it need not be painted
    bool has_focus = false; // the keyboard's place in the picture is marked
};

class PictureCanvas : public QWidget {
    Q_OBJECT
public:
    using Paint = std::function<void(QPainter& painter, const PictureFrame& frame)>;
    using Tooltip = std::function<QString(const QPointF& position)>;
    PictureCanvas(Paint paint, Tooltip tooltip);

    // On the theme's surface; errors as export_picture's.
    Status export_to(const QString& path, const QSize& size, const QString& title) const;

signals:
    void exportRequested(); // by the context menu: whoever knows of files asks for a path

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    Paint paint_;
    Tooltip tooltip_;
};

} // namespace loopscope::views
