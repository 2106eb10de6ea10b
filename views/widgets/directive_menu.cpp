#include "views/widgets/directive_menu.h"

#include "views/widgets/bubble.h"

#include <QPointer>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

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

namespace {

QString with_key(const DirectiveGroup& group) {
    return group.key.isEmpty() ? group.title : group.title + '\t' + group.key;
}

std::vector<DirectiveGroup> of_section(const std::vector<DirectiveGroup>& groups,
                                       DirectiveSection section) {
    std::vector<DirectiveGroup> out;
    std::copy_if(groups.begin(), groups.end(), std::back_inserter(out),
                 [&](const DirectiveGroup& g) { return g.section == section; });
    return out;
}

QString name_of(DirectiveSection section) {
    switch (section) {
    case DirectiveSection::Loop:
    case DirectiveSection::Place: return {};
    case DirectiveSection::Memory: return QObject::tr("Memory");
    case DirectiveSection::Arithmetic: return QObject::tr("Arithmetic");
    case DirectiveSection::Target: return QObject::tr("Blocks, threads, tensor cores");
    }
    return {};
}

} // namespace

std::vector<QAction*> DirectiveMenu::fill(QMenu* menu, const std::vector<DirectiveGroup>& groups) {
    std::vector<QAction*> single;
    for (const DirectiveGroup& group : groups) {
        if (group.verb == "serial" || group.verb == "store_at" || group.verb == "cache_read")
            menu->addSeparator();
        if (group.choices.size() == 1 && group.choices.front().label == group.title)
            single.push_back(add_choice(menu, group, group.choices.front(), with_key(group)));
        else
            add_group(menu, group);
    }
    return single;
}

void DirectiveMenu::add_groups(const std::vector<DirectiveGroup>& groups) {
    std::vector<QAction*> single;
    for (DirectiveSection section : {DirectiveSection::Loop, DirectiveSection::Place}) {
        const std::vector<DirectiveGroup> of = of_section(groups, section);
        if (!isEmpty() && !of.empty())
            addSeparator();
        const auto own = fill(this, of);
        single.insert(single.end(), own.begin(), own.end());
    }
    bool first = true;
    for (DirectiveSection section :
         {DirectiveSection::Memory, DirectiveSection::Arithmetic, DirectiveSection::Target})
        if (const auto of = of_section(groups, section); !of.empty()) {
            if (std::exchange(first, false) && !isEmpty())
                addSeparator();
            add_section(section, of);
        }
    judge(single);
}

// Made when it is shown, as the lists of choices are.
void DirectiveMenu::add_section(DirectiveSection section,
                                const std::vector<DirectiveGroup>& groups) {
    QMenu* sub = addMenu(name_of(section));
    sub->setToolTipsVisible(true);
    connect(sub, &QMenu::aboutToShow, this, [this, sub, groups] {
        if (sub->isEmpty())
            judge(fill(sub, groups));
    });
    connect(sub, &QMenu::aboutToHide, bubble_, &QWidget::hide);
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

void DirectiveMenu::add_group(QMenu* menu, const DirectiveGroup& group) {
    if (group.choices.empty()) {
        QAction* action = menu->addAction(with_key(group));
        action->setEnabled(false);
        action->setToolTip(group.absent);
        action->setStatusTip(group.absent);
        return;
    }
    QMenu* sub = menu->addMenu(with_key(group));
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
