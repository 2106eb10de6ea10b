#include "views/widgets/directive_menu.h"

#include "views/widgets/bubble.h"

#include <QCoreApplication>
#include <QPointer>
#include <QStatusTipEvent>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

namespace loopscope::views {

namespace {
constexpr std::size_t kJudgedAtOnce = 16; // choices of a list that is not open yet
constexpr const char* kReason = "reason"; // property: why an entry cannot be had

// The menu that an entry stands in; `own`: it names none.
QMenu* menu_of(const QAction& action, QMenu* own) {
    auto* menu = qobject_cast<QMenu*>(action.property("menu").value<QObject*>());
    return menu ? menu : own;
}

} // namespace

DirectiveMenu::DirectiveMenu(EditServices services, QWidget* parent)
    : QMenu(parent),
      services_(std::move(services)),
      bubble_(new Bubble(this, Bubble::Kind::Window)) {
    setToolTipsVisible(true);
    installEventFilter(this);
    // A submenu's entries bubble up to its parents.
    connect(this, &QMenu::hovered, this,
            [this](QAction* action) { point_at(menu_of(*action, this), action); });
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
    if (!services_.judge || actions.empty())
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
        self->refuse(found->second, verdict.reason);
    });
}

void DirectiveMenu::refuse(QAction* action, const QString& reason) {
    action->setEnabled(false);
    action->setProperty(kReason, reason);
    action->setToolTip(reason);
    action->setStatusTip(reason);
    if (pointed_ == action) // it was judged under the hand
        point_at(menu_of(*action, this), action);
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
    QMenu* sub = add_list(this, name_of(section));
    connect(sub, &QMenu::aboutToShow, this, [this, sub, groups] {
        if (sub->isEmpty())
            judge(fill(sub, groups));
    });
}

QMenu* DirectiveMenu::add_list(QMenu* menu, const QString& title) {
    QMenu* sub = menu->addMenu(title);
    sub->menuAction()->setProperty("menu", QVariant::fromValue<QObject*>(menu));
    sub->setToolTipsVisible(true);
    sub->installEventFilter(this);
    // An entry beside it may be pointed at by then.
    connect(sub, &QMenu::aboutToHide, this, [this, sub] {
        if (pointed_ && menu_of(*pointed_, this) == sub)
            leave();
    });
    return sub;
}

// A list of which nothing is available is grey as a whole, and says why, as the inspector does.
void DirectiveMenu::grey_hopeless(QMenu* sub, const DirectiveGroup& group) {
    if (!services_.judge || group.choices.size() > kJudgedAtOnce)
        return;
    std::vector<DirectiveEdit> edits;
    for (const DirectiveChoice& choice : group.choices)
        edits.emplace_back(choice.line);
    auto refused = std::make_shared<std::size_t>(0);
    services_.judge(edits,
                    [self = QPointer<DirectiveMenu>(this), sub = QPointer<QMenu>(sub), refused,
                     all = edits.size()](const DirectiveEdit&, const Verdict& verdict) {
                        if (self && sub && !verdict.available && ++*refused == all)
                            self->refuse(sub->menuAction(), verdict.reason);
                    });
}

void DirectiveMenu::add_group(QMenu* menu, const DirectiveGroup& group) {
    if (group.choices.empty()) {
        QAction* action = menu->addAction(with_key(group));
        action->setProperty("menu", QVariant::fromValue<QObject*>(menu));
        refuse(action, group.absent);
        return;
    }
    QMenu* sub = add_list(menu, with_key(group));
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
}

void DirectiveMenu::add_choices(const DirectiveGroup& group, const QString& heading) {
    heading_ = addAction(heading);
    heading_->setEnabled(false);
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
    QList<QAction*> entries = actions();
    entries.removeIf([this](const QAction* a) { return a == heading_ || a->isSeparator(); });
    const auto can_be_had = std::find_if(entries.begin(), entries.end(),
                                         [](const QAction* a) { return a->isEnabled(); });
    if (!entries.isEmpty())
        setActiveAction(can_be_had == entries.end() ? entries.front() : *can_be_had);
}

void DirectiveMenu::point_at(QMenu* menu, QAction* action) {
    leave();
    pointed_ = action;
    if (!menu->isVisible())
        return;
    // Beside the entry, so that the entries below stay in sight.
    const auto beside = [](const QMenu& in, QAction* entry) {
        const QPoint corner = in.mapToGlobal(in.actionGeometry(entry).topRight());
        return QRect(corner, QSize(1, 0)).translated(0, -12);
    };
    if (const QString reason = action->property(kReason).toString(); !reason.isEmpty()) {
        bubble_->refuse(beside(*menu, action), action->text().section('\t', 0, 0), reason);
        say_refusal(*menu, reason);
        return;
    }
    const QString line = action->data().toString();
    if (line.isEmpty() || !action->isEnabled() || !services_.preview)
        return;
    services_.preview(line, [self = QPointer<DirectiveMenu>(this), menu = QPointer<QMenu>(menu),
                             action = QPointer<QAction>(action), question = question_, line,
                             beside](const Preview& preview) {
        if (self && menu && action && self->question_ == question && menu->isVisible())
            self->bubble_->tell(beside(*menu, action), line, preview,
                                action->property("explanation").toString());
    });
}

// Of an entry Qt tells screen readers its name alone, so that the menu describes the one that the
// keyboard is on. A menu is a window: what its entries say does not reach the status line by
// itself.
void DirectiveMenu::say_refusal(QMenu& menu, const QString& reason) {
    refusing_ = reason.isEmpty() ? nullptr : &menu;
    menu.setAccessibleDescription(reason);
    if (!parentWidget())
        return;
    QStatusTipEvent status(reason);
    QCoreApplication::sendEvent(parentWidget(), &status);
}

void DirectiveMenu::leave() {
    ++question_;
    bubble_->hide();
    pointed_ = nullptr;
    if (refusing_)
        say_refusal(*refusing_, {});
}

QString DirectiveMenu::preview_text() const { return bubble_->text(); }

void DirectiveMenu::hideEvent(QHideEvent* event) {
    leave();
    QMenu::hideEvent(event);
}

// The card says what a tooltip would, which would cover it.
bool DirectiveMenu::eventFilter(QObject* menu, QEvent* event) {
    return (event->type() == QEvent::ToolTip && !bubble_->isHidden()) ||
           QMenu::eventFilter(menu, event);
}

} // namespace loopscope::views
