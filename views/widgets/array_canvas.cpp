#include "views/widgets/array_canvas.h"

#include "views/style/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace loopscope::views {

namespace {
constexpr double kLeastZoom = 1.0 / 64, kMostZoom = 64, kZoomStep = 1.25;
constexpr double kMostZoomed = 1 << 30; // of a side, zoomed
constexpr double kSmooth = 1;           // single pixels are seen from there on
constexpr double kRounding = 1e-6;      // of sizes: one that just fits needs no bar
} // namespace

ArrayCanvas::ArrayCanvas(QWidget* parent) : QAbstractScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
}

void ArrayCanvas::set_image(const QImage& image) {
    const bool same_size = image.size() == image_.size();
    image_ = image;
    if (!same_size)
        zoom_ = 0;
    set_ranges();
    viewport()->update();
}

void ArrayCanvas::zoom_to_fit() {
    zoom_ = 0;
    set_ranges();
    viewport()->update();
}

double ArrayCanvas::fitting_zoom() const {
    const QSizeF room = maximumViewportSize();
    return std::min(
        {room.width() / image_.width(), room.height() / image_.height(), double(kMostZoom)});
}

double ArrayCanvas::zoom() const {
    if (zoom_ > 0 || image_.isNull())
        return zoom_ > 0 ? zoom_ : 1;
    return fitting_zoom();
}

void ArrayCanvas::set_zoom(double zoom) { zoom_at(viewport()->rect().center(), zoom); }

// What lies under `place` stays there.
void ArrayCanvas::zoom_at(const QPoint& place, double zoom) {
    if (image_.isNull())
        return;
    const auto before = picture_rect();
    // Beside the picture its nearest edge stays.
    const QPointF at(std::clamp((place.x() - before.x()) / before.width(), 0.0, 1.0),
                     std::clamp((place.y() - before.y()) / before.height(), 0.0, 1.0));
    // Places in it are whole numbers of pixels. One that is fitted by less than the least zoom may
    // stay as small as that.
    const double greatest = kMostZoomed / std::max(image_.width(), image_.height());
    const double least = std::min(kLeastZoom, fitting_zoom());
    zoom_ = std::min(std::clamp(zoom, least, kMostZoom), greatest);
    set_ranges();
    horizontalScrollBar()->setValue(static_cast<int>(at.x() * image_.width() * zoom_ - place.x()));
    verticalScrollBar()->setValue(static_cast<int>(at.y() * image_.height() * zoom_ - place.y()));
    viewport()->update();
}

void ArrayCanvas::set_ranges() {
    const double factor = zoom();
    auto range = [](QScrollBar& bar, double size, int room) {
        bar.setRange(0, std::max(0, static_cast<int>(std::ceil(size - kRounding)) - room));
        bar.setPageStep(room);
        bar.setSingleStep(std::max(1, room / 16));
    };
    const bool fitted = zoom_ == 0 || image_.isNull();
    range(*horizontalScrollBar(), fitted ? 0 : image_.width() * factor, viewport()->width());
    range(*verticalScrollBar(), fitted ? 0 : image_.height() * factor, viewport()->height());
}

// A side of a long, flat picture is at least a pixel: it is seen, and can be pointed at.
QRectF ArrayCanvas::picture_rect() const {
    const QSizeF size = (QSizeF(image_.size()) * zoom()).expandedTo({1, 1});
    const double free_x = viewport()->width() - size.width(),
                 free_y = viewport()->height() - size.height();
    return {QPointF(free_x > 0 ? std::floor(free_x / 2) : -horizontalScrollBar()->value(),
                    free_y > 0 ? std::floor(free_y / 2) : -verticalScrollBar()->value()),
            size};
}

QPoint ArrayCanvas::pixel_at(const QPoint& place) const {
    const auto rect = picture_rect();
    if (image_.isNull() || !rect.contains(place))
        return {-1, -1};
    const double across = image_.width() / rect.width(), down = image_.height() / rect.height();
    return {std::min(image_.width() - 1, static_cast<int>((place.x() - rect.x()) * across)),
            std::min(image_.height() - 1, static_cast<int>((place.y() - rect.y()) * down))};
}

void ArrayCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), theme_of(*this).surface);
    if (image_.isNull())
        return;
    painter.setRenderHint(QPainter::SmoothPixmapTransform, zoom() < kSmooth);
    const auto whole = picture_rect();
    const auto seen = whole.intersected(viewport()->rect());
    const double across = image_.width() / whole.width(), down = image_.height() / whole.height();
    painter.drawImage(seen, image_,
                      QRectF((seen.x() - whole.x()) * across, (seen.y() - whole.y()) * down,
                             seen.width() * across, seen.height() * down));
}

void ArrayCanvas::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    set_ranges();
}

void ArrayCanvas::wheelEvent(QWheelEvent* event) {
    if (!(event->modifiers() & Qt::ControlModifier))
        return QAbstractScrollArea::wheelEvent(event);
    if (const int turned = event->angleDelta().y())
        zoom_at(event->position().toPoint(), zoom() * std::pow(kZoomStep, turned / 120.0));
    event->accept();
}

void ArrayCanvas::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Plus: return set_zoom(zoom() * kZoomStep);
    case Qt::Key_Minus: return set_zoom(zoom() / kZoomStep);
    case Qt::Key_0: return zoom_to_fit();
    default: QAbstractScrollArea::keyPressEvent(event);
    }
}

bool ArrayCanvas::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::MouseMove)
        emit pixelPointed(pixel_at(static_cast<QMouseEvent*>(event)->position().toPoint()));
    else if (event->type() == QEvent::Leave)
        emit pixelPointed({-1, -1});
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace loopscope::views
