#include "views/widgets/directive_menu.h"

#include "views/widgets/bubble.h"

#include <QPointer>

#include <algorithm>
#include <map>
#include <memory>

namespace loopscope::views {

namespace {
constexpr std::size_t kJudgedAtOnce = 16; // choices of a list that is not open yet
}

DirectiveMenu::DirectiveMenu(EditServices services, QWidget* parent)
    : QMenu(parent),
      services_(std::move(services)),
      bubble_(new Bubble(this, Bubble::Kind::Window)) {
    setToolTipsVisible(true);
    connect(this, &QMenu::hovered, this, [this](QAction* action) {
        // A submenu's entries bubble up to its parents.
        auto* menu = qobject_cast<QMenu*>(action->property("menu").value<QObject*>());
        point_at(menu ? menu : this, action);
    });
}

QAction* DirectiveMenu::add_choice(QMenu* menu, const DirectiveGroup& group,
                                   const DirectiveChoice& choice, const QString& text) {
    QAction* action = menu->addAction(text);
    action->setData(choice.line);
    action->setProperty("menu", QVariant::fromValue<QObject*>(menu));
    // The card beside the entry says what it would do, and this: a tooltip would cover it.
    action->setProperty("explanation", group.summary);
    if (!services_.preview)
        action->setToolTip(group.summary.isEmpty() ? choice.line
                                                   : choice.line + '\n' + group.summary);
    action->setStatusTip(choice.line);
    connect(action, &QAction::triggered, this, [this, line = choice.line] { emit chosen(line); });
    return action;
}

void DirectiveMenu::judge(const std::vector<QAction*>& actions) {
    if (!services_.judge)
        return;
    std::vector<DirectiveEdit> edits;
    std::map<DirectiveEdit, QPointer<QAction>> asked;
    for (QAction* action : actions) {
        edits.emplace_back(action->data().toString());
        asked[edits.back()] = action;
    }
    services_.judge(edits, [self = QPointer<DirectiveMenu>(this), asked](const DirectiveEdit& edit,
                                                                         const Verdict& verdict) {
        const auto found = asked.find(edit);
        if (!self || found == asked.end() || !found->second || verdict.available)
            return;
        found->second->setEnabled(false);
        found->second->setToolTip(verdict.reason);
        found->second->setStatusTip(verdict.reason);
    });
}

void DirectiveMenu::add_groups(const std::vector<DirectiveGroup>& groups) {
    std::vector<QAction*> single;
    for (const DirectiveGroup& group : groups) {
        if (group.verb == "serial" || group.verb == "inline" || group.verb == "cache_read")
            addSeparator();
        const QString key = group.key.isEmpty() ? QString() : '\t' + group.key;
        if (group.choices.size() == 1)
            single.push_back(add_choice(this, group, group.choices.front(), group.title + key));
        else
            add_group(group);
    }
    judge(single);
}

// A list of which nothing is available is grey as a whole, and says why, as the inspector does.
void DirectiveMenu::grey_hopeless(QMenu* sub, const DirectiveGroup& group) {
    if (!services_.judge || group.choices.size() > kJudgedAtOnce)
        return;
    std::vector<DirectiveEdit> edits;
    for (const DirectiveChoice& choice : group.choices)
        edits.emplace_back(choice.line);
    auto refused = std::make_shared<std::size_t>(0);
    services_.judge(edits, [sub = QPointer<QMenu>(sub), refused,
                            all = edits.size()](const DirectiveEdit&, const Verdict& verdict) {
        if (!sub || verdict.available || ++*refused < all)
            return;
        sub->menuAction()->setEnabled(false);
        sub->menuAction()->setToolTip(verdict.reason);
        sub->menuAction()->setStatusTip(verdict.reason);
    });
}

void DirectiveMenu::add_group(const DirectiveGroup& group) {
    const QString key = group.key.isEmpty() ? QString() : '\t' + group.key;
    if (group.choices.empty()) {
        QAction* action = addAction(group.title + key);
        action->setEnabled(false);
        action->setToolTip(group.absent);
        action->setStatusTip(group.absent);
        return;
    }
    QMenu* sub = addMenu(group.title + key);
    sub->setToolTipsVisible(true);
    sub->menuAction()->setToolTip(group.summary);
    sub->menuAction()->setStatusTip(group.summary);
    grey_hopeless(sub, group);
    // Many are never looked at: they are made and judged when shown.
    connect(sub, &QMenu::aboutToShow, this, [this, sub, group] {
        if (!sub->isEmpty())
            return;
        std::vector<QAction*> made;
        for (const DirectiveChoice& choice : group.choices)
            made.push_back(add_choice(sub, group, choice, choice.label));
        judge(made);
    });
    connect(sub, &QMenu::aboutToHide, bubble_, &QWidget::hide);
}

void DirectiveMenu::add_choices(const DirectiveGroup& group, const QString& heading) {
    addAction(heading)->setEnabled(false);
    if (group.choices.empty()) {
        addAction(group.absent)->setEnabled(false);
        return;
    }
    std::vector<QAction*> made;
    for (const DirectiveChoice& choice : group.choices)
        made.push_back(add_choice(this, group, choice, choice.label));
    judge(made);
}

void DirectiveMenu::activate_first() {
    for (QAction* action : actions())
        if (action->isEnabled() && !action->isSeparator()) {
            setActiveAction(action);
            return;
        }
}

void DirectiveMenu::point_at(QMenu* menu, QAction* action) {
    const int question = ++question_;
    const QString line = action->data().toString();
    bubble_->hide();
    if (line.isEmpty() || !action->isEnabled() || !services_.preview || !menu->isVisible())
        return;
    services_.preview(line, [self = QPointer<DirectiveMenu>(this), menu = QPointer<QMenu>(menu),
                             action = QPointer<QAction>(action), question,
                             line](const Preview& preview) {
        if (!self || !menu || !action || self->question_ != question || !menu->isVisible())
            return;
        // Beside the entry, so that the entries below stay in sight.
        const QRect entry = menu->actionGeometry(action);
        const QPoint corner = menu->mapToGlobal(entry.topRight());
        self->bubble_->tell(QRect(corner, QSize(1, 0)).translated(0, -12), line, preview,
                            action->property("explanation").toString());
    });
}

QString DirectiveMenu::preview_text() const { return bubble_->text(); }

void DirectiveMenu::hideEvent(QHideEvent* event) {
    ++question_;
    bubble_->hide();
    QMenu::hideEvent(event);
}

} // namespace loopscope::views
