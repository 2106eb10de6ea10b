#pragma once
// A small picture of a whole graph, with a frame around the part that is in sight, and marks on the
// nodes that are selected. Clicking and dragging in it move that part. The picture is drawn once,
// and again when the graph or its colours are others: to move the frame, or to select, draws
// nothing of the graph.

#include "views/geometry/shapes.h"

#include <QPixmap>
#include <QWidget>

#include <functional>
#include <vector>

class QPainter;

namespace loopscope::views {

class GraphOverview : public QWidget {
    Q_OBJECT
public:
    // Paints the whole graph in its own coordinates; `pixel` is one of the picture's in them.
    using PaintGraph = std::function<void(QPainter& painter, double pixel)>;
    explicit GraphOverview(PaintGraph paint, QWidget* parent = nullptr);

    // As large as `room` allows in the graph's proportions, and never too narrow to be seen.
    static QSize size_for(const Rectangle& bounds, const QSize& room);
    // The bounds of the graph and the part of it that is in sight, in its coordinates.
    void show_part(const Rectangle& bounds, const Rectangle& seen);
    // Places of the nodes that are selected, in the graph's coordinates.
    void show_selected(std::vector<Rectangle> nodes);
    void renew(); // the graph or its colours are others
    bool held() const { return held_; }
    // In the widget's coordinates: of the part that is in sight, and of what is selected; large
    // enough to be seen, however small the graph is drawn.
    QRectF frame() const;
    std::vector<QRectF> marks() const;
    // Where a place of the graph is in the widget.
    QPointF place_of(const QPointF& in_graph) const { return in_graph * scale() + origin(); }

signals:
    // A place of the graph is to be in the middle of what is in sight.
    void centreWanted(const QPointF& in_graph);
    void menuWanted(const QPoint& global);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    double scale() const;
    QPointF origin() const; // where the graph's (0, 0) is
    QRectF seen_rectangle(const Rectangle& in_graph, double least_side) const;
    void draw();
    void want(const QPointF& middle);
    void let_go();

    PaintGraph paint_;
    Rectangle bounds_, seen_;
    std::vector<Rectangle> selected_;
    QPixmap picture_; // null: to be drawn
    bool held_ = false;
    QPointF grip_; // from the frame's middle to the pointer
};

} // namespace loopscope::views
