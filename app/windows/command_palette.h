#pragma once
// A searchable list (Ctrl+Shift+P: every action; `/`: stages, loops and panels too): type some of
// the words, Enter runs or shows it. What cannot be had now is listed grey, with the reason.

#include <QDialog>
#include <QPointer>

#include <functional>
#include <vector>

class QAction;
class QLineEdit;
class QListWidget;
class QMenu;

namespace loopscope::app {

class CommandPalette : public QDialog {
    Q_OBJECT
public:
    CommandPalette(const QString& title, const QString& placeholder, QWidget* parent);

    void add_entry(const QString& text, const QString& key, const QString& tooltip,
                   std::function<void()> run);
    // What the menus hold now; submenus are asked for their entries.
    void add_actions(const QList<QMenu*>& menus);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    struct Entry {
        QString text, key, tooltip;
        std::function<void()> run;
        QPointer<QAction> action; // whose state counts; null: always available
        bool of_action = false;
    };
    void collect(QMenu* menu, const QString& path);
    void filter(bool keep);
    void run();
    bool available(const Entry& entry) const;

    QLineEdit* search_;
    QListWidget* list_;
    std::vector<Entry> entries_;
    std::vector<std::size_t> shown_; // the entry of each row
    // an action changed: the list follows when the events at hand are done
    bool refresh_pending_ = false;
};

} // namespace loopscope::app
