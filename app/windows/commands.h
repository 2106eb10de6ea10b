#pragma once
// What the menus hold: each command with its key, what it does and when it can be had. Every action
// is in a menu.

#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>

#include <functional>
#include <utility>
#include <vector>

class QAction;
class QMenu;

namespace loopscope::app {

struct Command {
    QString text;
    QList<QKeySequence> keys;
    QString tip;
    std::function<void()> run;
    std::function<bool()> available = {}; // null: always
    // What its text or its tip says now; null: always the same.
    std::function<void(QAction&)> describe = {};
};

class Commands : public QObject {
    Q_OBJECT
public:
    QAction* add(QMenu& menu, Command command);
    void refresh(); // which can be had, and what they say now

private:
    struct Changing {
        QAction* action;
        std::function<bool()> available;
        std::function<void(QAction&)> describe;
    };
    std::vector<Changing> changing_;
};

} // namespace loopscope::app
