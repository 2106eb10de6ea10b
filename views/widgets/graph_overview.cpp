#include "views/widgets/graph_overview.h"

#include "views/style/theme.h"

#include <QContextMenuEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace loopscope::views {

namespace {
constexpr int kInside = 4;        // pixels between its edge and the graph
constexpr int kLeastSide = 36;    // pixels: of a chain, whose proportions would leave a line
constexpr double kLeastFrame = 6; // pixels
constexpr double kLeastMark = 5;  // pixels
constexpr int kFrameOpacity = 38; // of 255, of the ground within the frame
} // namespace

GraphOverview::GraphOverview(PaintGraph paint, QWidget* parent)
    : QWidget(parent), paint_(std::move(paint)) {
    setMouseTracking(true); // a move without a button tells of a release that went elsewhere
    setAccessibleName(tr("Overview of the graph"));
    setAccessibleDescription(
        tr("The whole graph, small, with a frame around the part that is in sight and marks on "
           "what is selected. A click or a drag moves that part; in the graph Ctrl with an arrow "
           "key, Page Up, Page Down, Home and End do."));
    setToolTip(tr("Click or drag to move what is in sight. The menu hides this overview."));
    setFocusPolicy(Qt::NoFocus); // the graph's own keys do all that it does
    setAttribute(Qt::WA_OpaquePaintEvent);
    setCursor(Qt::OpenHandCursor);
}

QSize GraphOverview::size_for(const Rectangle& bounds, const QSize& room) {
    const double scale = std::min((room.width() - 2 * kInside) / bounds.width,
                                  (room.height() - 2 * kInside) / bounds.height);
    const auto side = [scale](double length) {
        return std::max(kLeastSide, static_cast<int>(std::ceil(length * scale)) + 2 * kInside);
    };
    return {side(bounds.width), side(bounds.height)};
}

void GraphOverview::show_part(const Rectangle& bounds, const Rectangle& seen) {
    if (bounds_ == bounds && seen_ == seen)
        return;
    if (!(bounds_ == bounds))
        renew();
    bounds_ = bounds;
    seen_ = seen;
    update();
}

void GraphOverview::show_selected(std::vector<Rectangle> nodes) {
    if (selected_ == nodes)
        return;
    selected_ = std::move(nodes);
    update();
}

void GraphOverview::renew() {
    picture_ = {};
    update();
}

double GraphOverview::scale() const {
    if (bounds_.width <= 0 || bounds_.height <= 0)
        return 1;
    return std::min((width() - 2 * kInside) / bounds_.width,
                    (height() - 2 * kInside) / bounds_.height);
}

QPointF GraphOverview::origin() const {
    const Point centre = bounds_.centre();
    return QPointF(width() / 2.0, height() / 2.0) - QPointF(centre.x, centre.y) * scale();
}

QRectF GraphOverview::seen_rectangle(const Rectangle& in_graph, double least_side) const {
    QRectF whole(place_of({in_graph.x, in_graph.y}),
                 QSizeF(in_graph.width, in_graph.height) * scale());
    const double wider = std::max(0.0, least_side - whole.width()) / 2,
                 higher = std::max(0.0, least_side - whole.height()) / 2;
    whole.adjust(-wider, -higher, wider, higher);
    return whole.intersected(QRectF(rect()).adjusted(1, 1, -1, -1));
}

QRectF GraphOverview::frame() const { return seen_rectangle(seen_, kLeastFrame); }

std::vector<QRectF> GraphOverview::marks() const {
    std::vector<QRectF> marks;
    for (const Rectangle& node : selected_)
        marks.push_back(seen_rectangle(node, kLeastMark));
    return marks;
}

void GraphOverview::draw() {
    picture_ = QPixmap(size() * devicePixelRatio());
    picture_.setDevicePixelRatio(devicePixelRatio());
    picture_.fill(theme_of(*this).window);
    QPainter painter(&picture_);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(origin());
    painter.scale(scale(), scale());
    paint_(painter, 1 / scale());
}

void GraphOverview::paintEvent(QPaintEvent*) {
    if (picture_.isNull() || picture_.size() != size() * devicePixelRatio())
        draw();
    const Theme& t = theme_of(*this);
    QPainter painter(this);
    painter.drawPixmap(0, 0, picture_);
    QColor ground = t.accent;
    ground.setAlpha(kFrameOpacity);
    painter.setPen(QPen(t.accent, 1));
    painter.setBrush(ground);
    painter.drawRect(frame().adjusted(0.5, 0.5, -0.5, -0.5));
    painter.setPen(QPen(t.window, 1)); // they are told from the frame where they touch it
    painter.setBrush(t.accent);
    for (const QRectF& mark : marks())
        painter.drawRect(mark.adjusted(-0.5, -0.5, 0.5, 0.5));
    painter.setPen(t.line);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void GraphOverview::want(const QPointF& middle) {
    emit centreWanted((middle - origin()) / scale());
}

// The frame is taken where the pointer is on it; elsewhere it comes to the pointer.
void GraphOverview::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    const QPointF at = event->position();
    held_ = true;
    grip_ = frame().contains(at) ? at - frame().center() : QPointF();
    setCursor(Qt::ClosedHandCursor);
    if (grip_.isNull())
        want(at);
}

void GraphOverview::mouseMoveEvent(QMouseEvent* event) {
    if (held_ && !(event->buttons() & Qt::LeftButton)) // its release went elsewhere
        let_go();
    if (held_)
        want(event->position() - grip_);
}

void GraphOverview::let_go() {
    held_ = false;
    setCursor(Qt::OpenHandCursor);
}

void GraphOverview::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton)
        let_go();
}

void GraphOverview::hideEvent(QHideEvent* event) {
    held_ = false;
    QWidget::hideEvent(event);
}

void GraphOverview::contextMenuEvent(QContextMenuEvent* event) {
    emit menuWanted(event->globalPos());
}

} // namespace loopscope::views
