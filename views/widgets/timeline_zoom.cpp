// Which part of the time the timeline shows: what the wheel, drags beside the rows and keys do to
// it, and the ticks of its axis.

#include "views/geometry/round_ticks.h"
#include "views/style/fonts.h"
#include "views/style/number_format.h"
#include "views/style/text_metrics.h"
#include "views/widgets/picture_canvas.h"
#include "views/widgets/timeline_view.h"

#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace loopscope::views {

namespace {
constexpr double kTickGap = 16;       // pixels between the texts of two ticks, at least
constexpr double kKeyZoom = 1.5;      // of one key
constexpr double kKeyPan = 0.25;      // of what is shown
constexpr double kWheelZoom = 1.0015; // of one unit of the wheel, of which a notch has 120
constexpr double kWheelPan = 1.0 / 960;
} // namespace

void TimelineView::show_window(const TimeWindow& window) {
    if (window == window_)
        return;
    window_ = window;
    QToolTip::hideText(); // it is of what was there before
    if (chain())          // a menu may outlive it
        describe();
    canvas_->update();
}

// Around the middle.
void TimelineView::zoom_by(double factor) { show_window(zoomed(window_, factor, 0.5)); }

void TimelineView::add_zoom_entry(QMenu& menu) {
    if (!window_.whole())
        menu.addAction(tr("Show the whole time\t0"), this, [this] { show_window({}); });
}

// Where the pointer is, as a share of what is shown.
double TimelineView::share_at(double x) const {
    const auto at = layout(canvas_->width(), window_);
    return at.right > at.left ? std::clamp((x - at.left) / (at.right - at.left), 0.0, 1.0) : 0;
}

void TimelineView::turn_wheel(const QWheelEvent& event) {
    const QPoint turned = event.angleDelta();
    const bool sideways = turned.x() != 0 && turned.y() == 0;
    if (drag_ || pan_from_)
        return;
    if (sideways || event.modifiers() & Qt::ShiftModifier)
        show_window(moved(window_, -kWheelPan * (sideways ? turned.x() : turned.y())));
    else
        show_window(
            zoomed(window_, std::pow(kWheelZoom, turned.y()), share_at(event.position().x())));
}

bool TimelineView::begins_pan(const QMouseEvent& event) const {
    return !window_.whole() && !drag_ &&
           (event.button() == Qt::MiddleButton ||
            (event.button() == Qt::LeftButton && level_at(event.position().y()) < 0));
}

void TimelineView::pan_to(double x) {
    const auto at = layout(canvas_->width(), window_);
    show_window(moved(window_, (*pan_from_ - x) / std::max(1.0, at.right - at.left)));
    pan_from_ = x;
}

// A release may go elsewhere, as to a dialog or to another program, and is not heard here: what was
// begun ends and changes nothing.
void TimelineView::end_unheard(const QMouseEvent& move) {
    if (move.buttons() & (Qt::LeftButton | Qt::MiddleButton))
        return;
    if (pan_from_)
        canvas_->unsetCursor();
    pan_from_.reset();
    if (drag_)
        cancel_pending();
}

bool TimelineView::zoom_key(const QKeyEvent& event) {
    const bool ctrl = event.modifiers() & Qt::ControlModifier;
    if (event.modifiers() & (Qt::AltModifier | Qt::MetaModifier))
        return false;
    switch (event.key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (!ctrl)
            return false;
        show_window(moved(window_, event.key() == Qt::Key_Left ? -kKeyPan : kKeyPan));
        return true;
    default: break;
    }
    if (ctrl)
        return false;
    switch (event.key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom_by(kKeyZoom); return true;
    case Qt::Key_Minus: zoom_by(1 / kKeyZoom); return true;
    case Qt::Key_0: show_window({}); return true;
    case Qt::Key_Home: show_window({0, window_.length}); return true;
    case Qt::Key_End: show_window({1 - window_.length, window_.length}); return true;
    default: return false;
    }
}

// Whether the event moved what is shown.
bool TimelineView::zoom_event(QEvent& event) {
    switch (event.type()) {
    case QEvent::Wheel:
        turn_wheel(static_cast<QWheelEvent&>(event));
        event.accept();
        return true;
    case QEvent::MouseButtonDblClick:
        pan_from_.reset();
        if (static_cast<QMouseEvent&>(event).button() == Qt::LeftButton)
            show_window({});
        return true;
    case QEvent::MouseButtonPress:
        if (!begins_pan(static_cast<QMouseEvent&>(event)))
            return false;
        pan_from_ = static_cast<QMouseEvent&>(event).position().x();
        canvas_->setCursor(Qt::ClosedHandCursor);
        return true;
    case QEvent::MouseMove:
        end_unheard(static_cast<QMouseEvent&>(event));
        if (pan_from_)
            pan_to(static_cast<QMouseEvent&>(event).position().x());
        return pan_from_.has_value();
    case QEvent::MouseButtonRelease: {
        const bool panned = pan_from_.has_value();
        pan_from_.reset();
        if (panned)
            canvas_->unsetCursor();
        return panned;
    }
    case QEvent::KeyPress: return zoom_key(static_cast<QKeyEvent&>(event));
    default: return false;
    }
}

// As close as their texts have room, and none where lengths are no times. After the iterations that
// are left out the texts say when it really is.
std::vector<TimelineTick> TimelineView::ticks(const TimelineLayout& at) const {
    std::vector<TimelineTick> ticks;
    if (!chain() || !chain()->timed || at.scale <= 0)
        return ticks;
    const TextMetrics small(small_font());
    for (double step = round_step(kTickGap / at.scale); step > 0; step = round_step(1.5 * step)) {
        ticks.clear();
        double widest = 0;
        auto add = [&](double from, double to) {
            const double later = timeline_.whole_time(from) - from;
            for (const double seconds : round_ticks(from + later, to + later, step)) {
                const double drawn = seconds - later, x = at.left + (drawn - at.first) * at.scale;
                const QString text =
                    format_tick_seconds(seconds, step, timeline_.whole_time(at.last));
                widest = std::max(widest, small.width(text));
                // the steps begin anew behind the break
                if (later == 0 || ticks.empty() ||
                    x - ticks.back().x >= small.width(text) + kTickGap)
                    ticks.push_back({drawn, x, text});
            }
        };
        const double part = timeline_.left_out > 0 ? timeline_.break_at : at.last;
        if (at.first < part)
            add(at.first, std::min(at.last, part));
        if (part < at.last)
            add(std::max(at.first, part), at.last);
        if (widest + kTickGap <= step * at.scale || ticks.size() < 2)
            break;
    }
    return ticks;
}

std::vector<TimelineTick> TimelineView::ticks() const {
    return chain() ? ticks(layout(canvas_->width(), window_)) : std::vector<TimelineTick>();
}

} // namespace loopscope::views
