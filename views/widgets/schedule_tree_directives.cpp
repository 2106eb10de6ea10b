// The schedule tree's directives: the context menu, and the keys.

#include "views/widgets/schedule_tree_view.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>

#include <algorithm>

namespace loopscope::views {

void ScheduleTreeView::request(const QString& line) {
    if (refusal_)
        if (const std::optional<QString> reason = refusal_(line)) {
            emit directiveRefused(line, *reason);
            return;
        }
    emit directiveRequested(line);
}

void ScheduleTreeView::add_choice(QMenu* menu, const DirectiveGroup& group,
                                  const DirectiveChoice& choice, const QString& text) {
    QAction* action = menu->addAction(text);
    const std::optional<QString> reason = refusal_ ? refusal_(choice.line) : std::nullopt;
    action->setEnabled(!reason);
    action->setToolTip(reason ? *reason : choice.line + "\n" + group.summary);
    action->setStatusTip(action->toolTip());
    connect(action, &QAction::triggered, this,
            [this, line = choice.line] { emit directiveRequested(line); });
}

void ScheduleTreeView::add_group(QMenu* menu, const DirectiveGroup& group) {
    const QString key = group.key.isEmpty() ? QString() : '\t' + group.key;
    if (group.choices.empty()) {
        QAction* action = menu->addAction(group.title + key);
        action->setEnabled(false);
        action->setToolTip(group.absent);
    } else if (group.choices.size() == 1) {
        add_choice(menu, group, group.choices.front(), group.title + key);
    } else {
        QMenu* sub = menu->addMenu(group.title + key);
        sub->setToolTipsVisible(true);
        sub->menuAction()->setToolTip(group.summary);
        // Judging a choice may ask isl: only when somebody looks.
        connect(sub, &QMenu::aboutToShow, this, [this, sub, group] {
            if (sub->isEmpty())
                for (const DirectiveChoice& choice : group.choices)
                    add_choice(sub, group, choice, choice.label);
        });
    }
}

QMenu* ScheduleTreeView::make_menu(const NodeId& id) {
    auto* menu = new QMenu(this);
    menu->setToolTipsVisible(true);
    if (!model_->tree())
        return menu;
    const std::vector<DirectiveGroup> groups = directive_groups(*model_->tree(), id);
    for (const DirectiveGroup& group : groups) {
        if (group.verb == "serial" || group.verb == "inline")
            menu->addSeparator();
        add_group(menu, group);
    }
    return menu;
}

void ScheduleTreeView::contextMenuEvent(QContextMenuEvent* event) {
    const QModelIndex index =
        event->reason() == QContextMenuEvent::Mouse ? indexAt(event->pos()) : currentIndex();
    if (!index.isValid())
        return;
    setCurrentIndex(index.siblingAtColumn(0));
    QMenu* menu = make_menu(model_->node_id(index));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const QPoint at = event->reason() == QContextMenuEvent::Mouse
                          ? event->globalPos()
                          : viewport()->mapToGlobal(visualRect(index).bottomLeft());
    menu->popup(at);
}

void ScheduleTreeView::choose_from(const QString& verb) {
    if (!model_->tree() || !currentIndex().isValid())
        return;
    const std::vector<DirectiveGroup> groups = directive_groups(*model_->tree(), selected());
    const DirectiveGroup* group = find_group(groups, verb);
    if (!group)
        return;
    if (group->choices.empty()) {
        emit directiveRefused(verb, group->absent);
        return;
    }
    if (group->choices.size() == 1) {
        request(group->choices.front().line);
        return;
    }
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    QAction* heading = menu->addAction(group->title + ' ' + to_qstring(selected().name));
    heading->setEnabled(false);
    for (const DirectiveChoice& choice : group->choices)
        add_choice(menu, *group, choice, choice.label);
    const QList<QAction*> actions = menu->actions();
    const auto first =
        std::find_if(actions.begin(), actions.end(), [](QAction* a) { return a->isEnabled(); });
    menu->popup(viewport()->mapToGlobal(visualRect(currentIndex()).bottomLeft()));
    if (first != actions.end())
        menu->setActiveAction(*first); // so that Enter takes the first choice that can be had
}

bool ScheduleTreeView::directive_key(QKeyEvent* event) {
    struct Key {
        int key;
        Qt::KeyboardModifiers modifiers;
        const char* verb;
    };
    static constexpr Key keys[] = {
        {Qt::Key_S, Qt::NoModifier, "split"},
        {Qt::Key_T, Qt::NoModifier, "tile"},
        {Qt::Key_F, Qt::NoModifier, "fuse"},
        {Qt::Key_V, Qt::NoModifier, "vectorize"},
        {Qt::Key_U, Qt::NoModifier, "unroll"},
        {Qt::Key_P, Qt::NoModifier, "parallel"},
        {Qt::Key_I, Qt::NoModifier, "inline"},
        {Qt::Key_R, Qt::NoModifier, "compute_root"},
        {Qt::Key_Up, Qt::ShiftModifier, "reorder up"},
        {Qt::Key_Down, Qt::ShiftModifier, "reorder down"},
    };
    for (const Key& k : keys)
        if (event->key() == k.key && (event->modifiers() & ~Qt::KeypadModifier) == k.modifiers) {
            choose_from(QString::fromLatin1(k.verb));
            return true;
        }
    return false;
}

void ScheduleTreeView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Slash || event->matches(QKeySequence::Find)) {
        start_search();
        return;
    }
    if (directive_key(event))
        return;
    if (!event->text().isEmpty() && event->text().at(0).isPrint() &&
        event->modifiers() == Qt::NoModifier) {
        event->ignore(); // letters and Space are keys of the window, not a search by first letter
        return;
    }
    QTreeView::keyPressEvent(event);
}

} // namespace loopscope::views
