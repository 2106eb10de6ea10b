// What the pointer and the keys do in the pipeline graph.

#include "views/models/directive_lines.h"
#include "views/widgets/pipeline_graph_view.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>

namespace loopscope::views {

void PipelineGraphView::wheelEvent(QWheelEvent* event) {
    if (event->angleDelta().y() != 0)
        zoom_by(std::pow(1.0015, event->angleDelta().y()));
    event->accept();
}

void PipelineGraphView::mousePressEvent(QMouseEvent* event) {
    catch_up();
    shown_since_press_ = false;
    pressed_ = event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton;
    press_ = event->position();
    panning_ = false;
    drag_.node =
        event->button() == Qt::LeftButton && mark_under(press_) < 0 ? node_under(press_) : -1;
    if (drag_.node >= 0 && (graph_.nodes[static_cast<std::size_t>(drag_.node)].is_input ||
                            graph_.nodes[static_cast<std::size_t>(drag_.node)].stage.empty()))
        drag_.node = -1; // inputs and folded groups move nowhere: the ground is dragged
    selecting_.reset();
    if (drag_.node < 0 && event->button() == Qt::LeftButton &&
        event->modifiers() == Qt::ShiftModifier)
        selecting_ = QRectF(press_, press_);
}

// What was begun ends and changes nothing: where the button was let go nobody knows.
void PipelineGraphView::end_press() {
    if (panning_ && drag_.node >= 0)
        end_drag(false);
    drag_.node = -1;
    selecting_.reset();
    pressed_ = panning_ = false;
    unsetCursor();
    update();
}

void PipelineGraphView::mouseMoveEvent(QMouseEvent* event) {
    // A release may go elsewhere, as to a dialog or to another program, and is not heard here.
    if (pressed_ && !(event->buttons() & (Qt::LeftButton | Qt::MiddleButton)))
        end_press();
    if (!pressed_) {
        setCursor(node_under(event->position()) >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
        return;
    }
    const QPointF moved = event->position() - press_;
    if (!panning_ && moved.manhattanLength() < QApplication::startDragDistance())
        return;
    if (drag_.node >= 0) {
        if (!panning_)
            begin_drag(drag_.node);
        panning_ = true;
        drag_to(event->position(), event->modifiers());
        return;
    }
    panning_ = true;
    if (selecting_) {
        selecting_ = QRectF(press_, event->position()).normalized();
        update();
        return;
    }
    fitted_ = false;
    setCursor(Qt::ClosedHandCursor);
    offset_ += moved;
    press_ = event->position();
    show_part();
}

void PipelineGraphView::mouseReleaseEvent(QMouseEvent* event) {
    if (pressed_ && !panning_ && !shown_since_press_ && event->button() == Qt::LeftButton) {
        if (const int mark = mark_under(event->position()); mark >= 0)
            toggle_fold(mark);
        else if (const int node = node_under(event->position()); node >= 0) {
            if (event->modifiers() & (Qt::ControlModifier | Qt::ShiftModifier))
                toggle_selected(node);
            else
                select(node);
        }
    }
    if (selecting_ && panning_)
        select_framed();
    selecting_.reset();
    if (panning_ && drag_.node >= 0) {
        drag_to(event->position(), event->modifiers());
        end_drag(true, event->globalPosition().toPoint());
    }
    drag_.node = -1;
    pressed_ = panning_ = false;
    unsetCursor();
}

void PipelineGraphView::mouseDoubleClickEvent(QMouseEvent* event) {
    catch_up();
    if (waits_with_former())
        return;
    const int node = node_under(event->position());
    if (node < 0)
        zoom_to_fit();
    else if (!graph_.nodes[static_cast<std::size_t>(node)].folded.empty())
        toggle_fold(node);
}

void PipelineGraphView::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void PipelineGraphView::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

void PipelineGraphView::keyPressEvent(QKeyEvent* event) {
    catch_up();
    if (drag_.node >= 0 && panning_) {
        if (event->key() == Qt::Key_Escape) {
            end_drag(false);
            pressed_ = panning_ = false;
        } else if (event->key() == Qt::Key_Alt) {
            drag_to(drag_.at, Qt::AltModifier);
        }
        return;
    }
    if (pan_by_key(*event))
        return;
    switch (event->key()) {
    case Qt::Key_Menu: open_menu(below_selected()); return;
    case Qt::Key_F10:
        if (event->modifiers() == Qt::ShiftModifier) {
            open_menu(below_selected());
            return;
        }
        break;
    case Qt::Key_M:
        if (const int node = graph_.index_of(selected_);
            tree_ && !(event->modifiers() & ~Qt::ShiftModifier) && node >= 0 &&
            !graph_.nodes[static_cast<std::size_t>(node)].stage.empty()) {
            const NodeId stage{selected_, -1, "@stage"};
            const bool store = event->modifiers() == Qt::ShiftModifier;
            const DirectiveGroup places =
                store ? store_group(*tree_, stage) : move_group(*tree_, stage);
            if (places.choices.empty())
                emit directiveRefused({}, places.absent);
            else
                open_places(places, below_selected());
            return;
        }
        break;
    case Qt::Key_G:
        if (event->modifiers() == Qt::ShiftModifier) {
            toggle_all_folds();
            return;
        }
        if (event->modifiers() == Qt::NoModifier) {
            toggle_fold(graph_.index_of(selected_));
            return;
        }
        break;
    case Qt::Key_Slash: start_search(); return;
    case Qt::Key_F:
    case Qt::Key_0:
        if (event->modifiers() == Qt::NoModifier) {
            zoom_to_fit();
            return;
        }
        break;
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom_by(1.25); return;
    case Qt::Key_Minus: zoom_by(0.8); return;
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down: step_selection(event->key()); return;
    default: break;
    }
    if (event->matches(QKeySequence::SelectAll)) {
        select_all_stages();
        return;
    }
    if (event->matches(QKeySequence::Find)) {
        start_search();
        return;
    }
    // Of the selected stage, as in the tree.
    if (const auto directive = directive_of_key(*event);
        !directive.isEmpty() && graph_.index_of(selected_) >= 0) {
        emit directiveKeyPressed(NodeId{selected_, -1, "@stage"}, directive);
        return;
    }
    QWidget::keyPressEvent(event);
}

// The nearest node in the arrow's direction, with a preference for straight ahead.
void PipelineGraphView::step_selection(int key) {
    const int from = graph_.index_of(selected_);
    if (from < 0 || static_cast<std::size_t>(from) >= layout_.nodes.size()) {
        if (!layout_.nodes.empty())
            select(0);
        return;
    }
    const Point here = layout_.nodes[static_cast<std::size_t>(from)].centre();
    int best = -1;
    double least = 0;
    for (std::size_t n = 0; n < layout_.nodes.size(); ++n) {
        const Point there = layout_.nodes[n].centre();
        const double dx = there.x - here.x, dy = there.y - here.y;
        const bool vertical = key == Qt::Key_Up || key == Qt::Key_Down;
        const double ahead = key == Qt::Key_Left    ? -dx
                             : key == Qt::Key_Right ? dx
                             : key == Qt::Key_Up    ? -dy
                                                    : dy;
        const double distance = ahead + 2 * std::abs(vertical ? dx : dy);
        if (ahead > 1 && (best < 0 || distance < least)) {
            best = static_cast<int>(n);
            least = distance;
        }
    }
    if (best >= 0)
        select(best);
}

bool PipelineGraphView::event(QEvent* event) {
    // Escape ends the drag before it is anybody's shortcut.
    if (event->type() == QEvent::ShortcutOverride && drag_.node >= 0 && panning_ &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const int node = node_under(help->pos());
        if (mark_under(help->pos()) >= 0)
            QToolTip::showText(help->globalPos(), tr("Folds or unfolds the group (G)."), this);
        else if (node >= 0)
            QToolTip::showText(help->globalPos(),
                               tooltip(graph_.nodes[static_cast<std::size_t>(node)]), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

} // namespace loopscope::views
