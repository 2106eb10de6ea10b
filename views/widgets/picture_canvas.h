#pragma once
// The part of a view that it paints itself: shown and pointed at, and a picture to be saved.

#include <QRectF>
#include <QString>
#include <QWidget>

#include <functional>

class QMenu;
class QPainter;

namespace loopscope::views {

struct Theme;

// What a picture is painted into.
struct PictureFrame {
    const Theme& theme;
    QSizeF size;
    QRectF exposed;         // what is outside of it need not be painted
    bool has_focus = false; // the keyboard's place in the picture is marked
};

class PictureCanvas : public QWidget {
    Q_OBJECT
public:
    using Paint = std::function<void(QPainter& painter, const PictureFrame& frame)>;
    using Tooltip = std::function<QString(const QPointF& position)>;
    using FillMenu = std::function<void(QMenu& menu)>; // the context menu
    PictureCanvas(Paint paint, Tooltip tooltip, FillMenu fill_menu);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    Paint paint_;
    Tooltip tooltip_;
    FillMenu fill_menu_;
};

} // namespace loopscope::views
