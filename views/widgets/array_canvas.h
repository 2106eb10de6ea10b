#pragma once
// A picture of an array: fitted into the view, or enlarged so that single pixels are seen.

#include "views/models/array_picture.h"

#include <QAbstractScrollArea>
#include <QPoint>

namespace loopscope::views {

class ArrayCanvas : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit ArrayCanvas(QWidget* parent = nullptr);

    void set_image(const QImage& image); // null: nothing is drawn
    const QImage& image() const { return image_; }
    void zoom_to_fit();
    void set_zoom(double zoom);           // screen pixels a pixel
    double zoom() const;                  // fitted or chosen
    QRectF picture_rect() const;          // in the viewport
    QPoint pixel_at(const QPoint&) const; // of the picture, by a place in the viewport; (-1, -1)

signals:
    void pixelPointed(const QPoint& pixel); // (-1, -1): the pointer has left

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    double fitting_zoom() const;
    void zoom_at(const QPoint& place, double zoom);
    void set_ranges();

    QImage image_;
    double zoom_ = 0; // 0: fitted
};

} // namespace loopscope::views
