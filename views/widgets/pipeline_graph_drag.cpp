// Gestures of the pipeline graph: a stage dragged onto another, and the menus of a stage.

#include "views/models/common_choices.h"
#include "views/style/fonts.h"
#include "views/style/theme.h"
#include "views/widgets/bubble.h"
#include "views/widgets/conflict_arrow.h"
#include "views/widgets/directive_menu.h"
#include "views/widgets/pipeline_graph_view.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>
#include <QPointer>

namespace loopscope::views {

void PipelineGraphView::set_services(EditServices services) { services_ = std::move(services); }

void PipelineGraphView::show_conflict(std::shared_ptr<const Conflict> conflict) {
    conflict_ = std::move(conflict);
    update();
}

// ---- menus --------------------------------------------------------------------------------------

QPoint PipelineGraphView::below_selected() const {
    const QRectF node = node_rectangle(selected_);
    return mapToGlobal(node.isValid() ? node.bottomLeft().toPoint() : rect().center());
}

void PipelineGraphView::open_menu(const QPoint& at) {
    const int node = graph_.index_of(selected_);
    if (!tree_ || node < 0 || QApplication::activePopupWidget())
        return;
    const PipelineNode& chosen = graph_.nodes[static_cast<std::size_t>(node)];
    auto* menu = new DirectiveMenu(services_, this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    connect(menu, &DirectiveMenu::chosen, this, &PipelineGraphView::directiveRequested);
    if (chosen.folded.empty()) {
        std::vector<NodeId> nodes{chosen.id};
        nodes.insert(nodes.end(), selected_too_.begin(), selected_too_.end());
        const std::vector<DirectiveGroup> groups = groups_of_any(*tree_, nodes);
        if (groups.empty())
            menu->addAction(tr("An input takes no directives"))->setEnabled(false);
        menu->add_groups(groups);
    }
    add_node_folds(*menu, node);
    add_picture_entries(*menu);
    menu->popup(at);
}

void PipelineGraphView::open_places(const DirectiveGroup& places, const QPoint& at) {
    auto* menu = new DirectiveMenu(services_, this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    connect(menu, &DirectiveMenu::chosen, this, &PipelineGraphView::directiveRequested);
    menu->add_choices(places, places.title);
    menu->popup(at);
    menu->activate_first();
}

void PipelineGraphView::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Mouse) {
        catch_up();
        if (waits_with_former())
            return;
        const int node = node_under(event->pos());
        if (node < 0)
            return open_ground_menu(event->globalPos());
        if (selected_too_.empty() || !is_selected(node)) // the menu of several is of all of them
            select(node);
        open_menu(event->globalPos());
    } else {
        open_menu(below_selected());
    }
}

void PipelineGraphView::open_ground_menu(const QPoint& at) {
    if (!tree_ || QApplication::activePopupWidget())
        return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Fit to the panel\tF"), this, &PipelineGraphView::zoom_to_fit);
    auto* overview = menu->addAction(tr("Overview while not all is in sight"));
    overview->setCheckable(true);
    overview->setChecked(overview_wanted_);
    connect(overview, &QAction::toggled, this, &PipelineGraphView::set_overview_shown);
    add_picture_entries(*menu);
    menu->popup(at);
}

// ---- dragging -----------------------------------------------------------------------------------

void PipelineGraphView::begin_drag(int node) {
    drag_ = {};
    drag_.node = node;
    conflict_.reset();
    setCursor(Qt::ClosedHandCursor);
    if (!tree_)
        return;
    // A stage can be fused only with those next to it in the graph, or with those around its
    // readers: few are asked about.
    const std::string stage = graph_.nodes[static_cast<std::size_t>(node)].stage;
    auto consider = [&](const std::string& other) {
        if (!other.empty() && other != stage && !drag_.targets.count(other)) {
            const Fusion fusion = fusion_of(*tree_, stage, other);
            drag_.targets[other] = !fusion.choices.empty() && fusion.absent.isEmpty();
        }
    };
    for (const PipelineEdge& edge : graph_.edges) {
        if (edge.from == node)
            consider(graph_.nodes[static_cast<std::size_t>(edge.to)].stage);
        if (edge.to == node)
            consider(graph_.nodes[static_cast<std::size_t>(edge.from)].stage);
    }
}

void PipelineGraphView::drag_to(const QPointF& position, Qt::KeyboardModifiers modifiers) {
    drag_.at = position;
    emit stageCarried({graph_.nodes[static_cast<std::size_t>(drag_.node)].stage, -1, "@stage"},
                      mapToGlobal(position.toPoint()));
    int over = dragged_outside() ? -1 : node_under(position);
    if (over == drag_.node ||
        (over >= 0 && graph_.nodes[static_cast<std::size_t>(over)].stage.empty()))
        over = -1; // a folded group is no stage to fuse with
    const bool inlining = modifiers & Qt::AltModifier;
    if (over != drag_.over || inlining != drag_.inlining) {
        drag_.over = over;
        drag_.inlining = inlining;
        drag_.verdict = {};
        drag_.preview = {};
        drag_.fusion =
            over >= 0 && tree_
                ? fusion_of(*tree_, graph_.nodes[static_cast<std::size_t>(drag_.node)].stage,
                            graph_.nodes[static_cast<std::size_t>(over)].stage)
                : Fusion{};
        const QString line = dragged_line();
        const int question = ++drag_.question;
        auto mine = [self = QPointer<PipelineGraphView>(this), question] {
            return self && self->drag_.node >= 0 && self->drag_.question == question ? self.data()
                                                                                     : nullptr;
        };
        if (!line.isEmpty() && services_.judge)
            services_.judge({line}, [mine](const DirectiveEdit&, const Verdict& verdict) {
                if (auto* self = mine()) {
                    self->drag_.verdict = verdict;
                    self->show_drag_bubble();
                    self->update();
                }
            });
        if (!line.isEmpty() && services_.preview)
            services_.preview(line, [mine](const Preview& preview) {
                if (auto* self = mine()) {
                    self->drag_.preview = preview;
                    self->show_drag_bubble();
                }
            });
    }
    show_drag_bubble();
    update();
}

bool PipelineGraphView::dragged_outside() const { return !rect().contains(drag_.at.toPoint()); }

QString PipelineGraphView::dragged_line() const {
    const Fusion& fusion = drag_.fusion;
    if (drag_.inlining)
        return fusion.inline_line;
    return fusion.absent.isEmpty() && !fusion.choices.empty() ? fusion.choices.front().line
                                                              : fusion.refused_line;
}

void PipelineGraphView::show_drag_bubble() {
    if (drag_.node < 0)
        return;
    const QRect anchor(drag_.at.toPoint(), QSize(14, 14));
    const Fusion& fusion = drag_.fusion;
    const QString stage = graph_.nodes[static_cast<std::size_t>(drag_.node)].name;
    // A drop on what it reads moves the other one: that comes first.
    const QString moved =
        to_qstring(fusion.producer) == stage
            ? QString()
            : tr("Moves %1 into %2").arg(to_qstring(fusion.producer), to_qstring(fusion.consumer));
    if (dragged_outside()) {
        bubble_->hide();
    } else if (drag_.over < 0) {
        bubble_->tell(anchor, {},
                      {tr("Drop %1 on a stage to fuse them, or on a loop of the schedule tree; "
                          "Alt inlines.")
                           .arg(stage),
                       0});
    } else if (drag_.inlining) {
        if (fusion.inline_line.isEmpty())
            bubble_->refuse(anchor, {},
                            fusion.absent.isEmpty() ? tr("It cannot be inlined.") : fusion.absent);
        else if (!drag_.verdict.available)
            bubble_->refuse(anchor, fusion.inline_line, drag_.verdict.reason);
        else
            bubble_->tell(anchor, fusion.inline_line, drag_.preview);
    } else if (!fusion.absent.isEmpty()) {
        if (fusion.producer.empty() || moved.isEmpty())
            bubble_->refuse(anchor, fusion.refused_line, fusion.absent);
        else
            bubble_->refuse(anchor, moved, fusion.refused_line + ": " + fusion.absent);
    } else if (!fusion.choices.empty()) {
        const DirectiveChoice& first = fusion.choices.front();
        Preview words = drag_.preview;
        words.text =
            tr("At %1, the innermost legal loop: %2. Drop to choose the loop; Alt inlines.")
                .arg(first.label, words.text.isEmpty() ? tr("…") : words.text);
        bubble_->tell(anchor,
                      moved.isEmpty()
                          ? tr("Compute %1 in %2")
                                .arg(to_qstring(fusion.producer), to_qstring(fusion.consumer))
                          : moved,
                      words);
    }
}

void PipelineGraphView::drop_dragged() {
    if (drag_.node < 0)
        return;
    const bool dragged = panning_; // a press alone may still be a click
    end_drag(false);
    if (dragged)
        pressed_ = panning_ = false;
}

void PipelineGraphView::end_drag(bool drop, const QPoint& at) {
    const Drag drag = drag_;
    const QString line = drag.node >= 0 ? dragged_line() : QString();
    const int question = drag_.question + 1;
    drag_ = {};
    drag_.question = question;
    bubble_->hide();
    unsetCursor();
    update();
    if (drag.node >= 0)
        emit stageLetGo(drop);
    if (!drop || drag.node < 0 || drag.over < 0)
        return;
    const Fusion& fusion = drag.fusion;
    if (drag.inlining) {
        if (line.isEmpty() || !drag.verdict.available)
            emit directiveRefused(line, line.isEmpty() ? fusion.absent : drag.verdict.reason);
        else
            emit directiveRequested(line);
    } else if (!fusion.absent.isEmpty()) {
        emit directiveRefused(fusion.refused_line, fusion.absent);
    } else if (fusion.choices.size() == 1) {
        emit directiveRequested(line);
    } else {
        DirectiveGroup places;
        places.title = tr("Compute %1 at").arg(to_qstring(fusion.producer));
        places.choices = fusion.choices;
        places.choices.front().label += tr(" (innermost)");
        open_places(places, at);
    }
}

// ---- painting, in the widget's coordinates ------------------------------------------------------

void PipelineGraphView::paint_drag(QPainter& painter, const Theme& t) const {
    if (drag_.node < 0 || !panning_)
        return;
    for (const PipelineNode& node : graph_.nodes) {
        const QRectF box = node_rectangle(node.stage);
        if (!box.intersects(rect()) ||
            node.stage == graph_.nodes[static_cast<std::size_t>(drag_.node)].stage)
            continue;
        const auto known = drag_.targets.find(node.stage);
        if (known == drag_.targets.end()) {
            QColor veil = t.surface;
            veil.setAlpha(150);
            painter.fillRect(box.adjusted(-1, -1, 1, 1), veil);
            continue;
        }
        const QColor colour = known->second ? t.mark(Meaning::Vector) : t.error;
        painter.setPen(QPen(colour, 2, known->second ? Qt::SolidLine : Qt::DashLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(box.adjusted(-3, -3, 3, 3), 8, 8);
        painter.setFont(bold_font());
        painter.setPen(known->second ? t.ink(Meaning::Vector) : t.error);
        painter.drawText(QRectF(box.right() + 4, box.top(), 16, box.height()), Qt::AlignCenter,
                         known->second ? QStringLiteral("✓") : QStringLiteral("✗"));
    }
    const QRectF from = node_rectangle(graph_.nodes[static_cast<std::size_t>(drag_.node)].stage);
    painter.setPen(QPen(t.accent, 2, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(from.translated(drag_.at - press_), 6, 6);
    if (drag_.over >= 0) {
        const bool bad = !drag_.fusion.absent.isEmpty() || !drag_.verdict.available;
        painter.setPen(QPen(bad ? t.error : t.accent, 3));
        painter.drawRoundedRect(
            node_rectangle(graph_.nodes[static_cast<std::size_t>(drag_.over)].stage)
                .adjusted(-4, -4, 4, 4),
            9, 9);
    }
}

void PipelineGraphView::paint_conflict_arrow(QPainter& painter, const Theme& t) const {
    const Conflict* conflict = drag_.node >= 0 ? drag_.verdict.conflict.get() : conflict_.get();
    if (!conflict)
        return;
    // A placement's conflict is between the stage that moves and a reader that is elsewhere.
    const std::string from_stage = drag_.node >= 0 && !drag_.fusion.producer.empty()
                                       ? drag_.fusion.producer
                                       : conflict->from.stage;
    const QRectF from = node_rectangle(from_stage), to = node_rectangle(conflict->to.stage);
    if (!from.isValid() || !to.isValid())
        return;
    QPointF a = from.center(), b = to.center();
    // a definition's dependence on itself: a loop at its side
    if (from_stage == conflict->to.stage) {
        a = QPointF(from.right(), from.top() + from.height() * 0.25);
        b = QPointF(from.right(), from.top() + from.height() * 0.75);
        paint_arrow(painter, t, a, {from.right() + 46, from.center().y()}, b, conflict->label,
                    QRectF(rect()).adjusted(4, 4, -4, -4));
        return;
    }
    a = QPointF(from.right(), from.center().y());
    b = QPointF(to.right(), to.center().y());
    paint_arrow(painter, t, a, {std::max(a.x(), b.x()) + 40, (a.y() + b.y()) / 2}, b,
                conflict->label, QRectF(rect()).adjusted(4, 4, -4, -4));
}

} // namespace loopscope::views
