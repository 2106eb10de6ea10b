#pragma once
// A menu of directives for one node: every one that exists, with its key. Entries are judged in the
// background and turn grey, and stay within reach of the keyboard (FlatStyle). The one that is
// pointed at shows what it would do to the estimate, or why it cannot be had: on a card beside it,
// as the menu's description for screen readers, and in the status line.

#include "views/models/directive_lines.h"
#include "views/models/snapshots.h"

#include <QMenu>
#include <QPointer>

#include <vector>

namespace loopscope::views {

class Bubble;

class DirectiveMenu : public QMenu {
    Q_OBJECT
public:
    DirectiveMenu(EditServices services, QWidget* parent);

    // All groups: a single choice is an entry, several are a submenu; what few schedules need has a
    // submenu by section.
    void add_groups(const std::vector<DirectiveGroup>& groups);
    // The choices of one group under a heading, as entries.
    void add_choices(const DirectiveGroup& group, const QString& heading);
    // The first entry that can be had, so that Enter takes it; where there is none the first of
    // all, which says why.
    void activate_first();
    // Shows what an entry of `menu` would do beside it: for entries that stand in another menu.
    void point_at(QMenu* menu, QAction* action);
    void leave();                 // no entry is pointed at any more
    QString preview_text() const; // what is shown beside the entry that is pointed at

signals:
    void chosen(const QString& line);

protected:
    void hideEvent(QHideEvent* event) override;
    bool eventFilter(QObject* menu, QEvent* event) override;

private:
    // Entries that stand for one choice, to be judged.
    std::vector<QAction*> fill(QMenu* menu, const std::vector<DirectiveGroup>& groups);
    void add_group(QMenu* menu, const DirectiveGroup& group);
    void add_section(DirectiveSection section, const std::vector<DirectiveGroup>& groups);
    void grey_hopeless(QMenu* sub, const DirectiveGroup& group);
    QAction* add_choice(QMenu* menu, const DirectiveGroup& group, const DirectiveChoice& choice,
                        const QString& text);
    void judge(const std::vector<QAction*>& actions);
    QMenu* add_list(QMenu* menu, const QString& title);
    void refuse(QAction* action, const QString& reason);
    void say_refusal(QMenu& menu, const QString& reason); // empty: there is none

    EditServices services_;
    Bubble* bubble_;
    int question_ = 0; // answers to earlier questions are dropped
    QAction* heading_ = nullptr;
    QPointer<QAction> pointed_;
    QPointer<QMenu> refusing_; // the menu that says a reason
};

} // namespace loopscope::views
