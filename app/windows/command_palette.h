#pragma once
// Every action of the window in one searchable list (Ctrl+Shift+P): type some of its words, Enter runs it.

#include <QDialog>

class QAction;
class QLineEdit;
class QListWidget;
class QMenu;

namespace loopscope::app {

class CommandPalette : public QDialog {
    Q_OBJECT
public:
    // Lists what the menus hold and offer now; submenus are asked for their entries.
    CommandPalette(const QList<QMenu*>& menus, QWidget* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void collect(QMenu* menu, const QString& path);
    void filter(const QString& text);
    void run();

    QLineEdit* search_;
    QListWidget* list_;
    QList<QAction*> actions_; // of the rows
};

} // namespace loopscope::app
