// The schedule tree's directives: the context menu, and the keys.

#include "views/models/common_choices.h"
#include "views/models/node_text.h"
#include "views/widgets/directive_menu.h"
#include "views/widgets/row_copying.h"
#include "views/widgets/schedule_tree_drag.h"
#include "views/widgets/schedule_tree_view.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QKeySequence>
#include <QScrollBar>

namespace loopscope::views {

void ScheduleTreeView::set_findings(std::map<NodeId, QString> findings) {
    model_->set_findings(std::move(findings));
}

void ScheduleTreeView::set_device(DevicePtr device) { device_ = std::move(device); }

DirectiveMenu* ScheduleTreeView::make_menu(const NodeId& id) {
    auto* menu = new DirectiveMenu(services_, this);
    connect(menu, &DirectiveMenu::chosen, this, &ScheduleTreeView::directiveRequested);
    if (model_->tree())
        menu->add_groups(groups_of_any(*model_->tree(), with_others(id), device_.get()));
    return menu;
}

void ScheduleTreeView::open_menu(const QModelIndex& index, const QPoint& at) {
    if (!index.isValid() || QApplication::activePopupWidget())
        return;
    const bool of_several =
        !selected_too_.empty() && selectionModel()->isSelected(index.siblingAtColumn(0));
    if (!of_several)
        setCurrentIndex(index.siblingAtColumn(0));
    DirectiveMenu* menu = make_menu(of_several ? selected() : model_->node_id(index));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    emit menuMade(menu, to_qstring(model_->stage_of(index)));
    menu->addSeparator();
    copying_->add_to(*menu);
    add_picture_entries(*menu);
    menu->popup(at);
}

void ScheduleTreeView::contextMenuEvent(QContextMenuEvent* event) {
    const bool mouse = event->reason() == QContextMenuEvent::Mouse;
    const QModelIndex index = mouse ? indexAt(event->pos()) : currentIndex();
    open_menu(index,
              mouse ? event->globalPos() : viewport()->mapToGlobal(visualRect(index).bottomLeft()));
}

void ScheduleTreeView::choose_from(const QString& verb) {
    if (!model_->tree() || !currentIndex().isValid())
        return;
    if (model_->is_group(currentIndex()))
        emit directiveRefused({}, tr("Unfold the group first (G): a directive is for one stage."));
    else
        choose_for(selected(), verb);
}

void ScheduleTreeView::choose_for(const NodeId& node, const QString& verb) {
    if (!model_->tree())
        return;
    const std::vector<NodeId> nodes = with_others(node);
    if (verb == "move" || verb == "store") {
        const auto places_of = verb == "move" ? move_group : store_group;
        DirectiveGroup places = places_of(*model_->tree(), node);
        for (std::size_t n = 1; n < nodes.size() && places.choices.empty(); ++n)
            if (auto others = places_of(*model_->tree(), nodes[n]); !others.choices.empty())
                places = std::move(others);
        if (places.choices.empty())
            emit directiveRefused({}, places.absent);
        else
            open_choices(places, places.title);
        return;
    }
    const std::vector<DirectiveGroup> groups = groups_of_any(*model_->tree(), nodes, device_.get());
    const QString subject = nodes.size() > 1 ? nodes_title(nodes) : node_title(node);
    const DirectiveGroup* group = find_group(groups, verb);
    if (!group)
        emit directiveRefused(
            {}, tr("%1 has no such choice: %2").arg(subject, title_of(verb.toUtf8().constData())));
    else if (group->choices.empty())
        emit directiveRefused({}, group->absent);
    else if (group->choices.size() == 1)
        emit directiveRequested(group->choices.front().line);
    else
        open_choices(*group, group->title + QStringLiteral(" · ") + subject);
}

void ScheduleTreeView::open_choices(const DirectiveGroup& group, const QString& heading) {
    auto* menu = new DirectiveMenu(services_, this);
    connect(menu, &DirectiveMenu::chosen, this, &ScheduleTreeView::directiveRequested);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->add_choices(group, heading);
    menu->popup(viewport()->mapToGlobal(visualRect(currentIndex()).bottomLeft()));
    menu->activate_first();
}

bool ScheduleTreeView::directive_key(QKeyEvent* event) {
    const auto directive = directive_of_key(*event);
    if (directive.isEmpty())
        return false;
    choose_from(directive);
    return true;
}

bool ScheduleTreeView::fold_key(QKeyEvent* event) {
    const auto modifiers = event->modifiers() & ~Qt::KeypadModifier;
    if (event->key() != Qt::Key_G || (modifiers & ~Qt::ShiftModifier))
        return false;
    if (modifiers & Qt::ShiftModifier)
        emit foldAllRequested();
    else if (currentIndex().isValid())
        emit foldRequested(to_qstring(model_->stage_of(currentIndex())));
    return true;
}

void ScheduleTreeView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Slash || event->matches(QKeySequence::Find)) {
        start_search();
        return;
    }
    if (drag_->active()) {
        if (event->key() == Qt::Key_Escape)
            drag_->cancel();
        return;
    }
    if (event->key() == Qt::Key_Menu ||
        (event->key() == Qt::Key_F10 && event->modifiers() == Qt::ShiftModifier)) {
        open_menu(currentIndex(), viewport()->mapToGlobal(visualRect(currentIndex()).bottomLeft()));
        return;
    }
    if (event->matches(QKeySequence::SelectAll)) {
        select_all_rows();
        return;
    }
    if (directive_key(event) || fold_key(event))
        return;
    if (!event->text().isEmpty() && event->text().at(0).isPrint() &&
        event->modifiers() == Qt::NoModifier) {
        event->ignore(); // letters and Space are keys of the window, not a search by first letter
        return;
    }
    QTreeView::keyPressEvent(event);
    if (event->key() == Qt::Key_End) // the base class stops one pixel short of it
        verticalScrollBar()->setValue(verticalScrollBar()->maximum());
}

} // namespace loopscope::views
