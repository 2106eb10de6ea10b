#pragma once
// Two schedules side by side: which ones, which is faster, and on tabs their scripts, their trees
// and their numbers.

#include "views/models/schedule_pair.h"

#include <QStringList>
#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTabBar;
class QTableView;
class QToolButton;

namespace loopscope::views {

class NumberTableModel;
class SideBySideView;

// What the two lists offer. The last entry stands for a file that is asked for.
struct SideChoices {
    QStringList names;
    int left = 0, right = 0;                          // what is chosen
    bool left_present = false, right_present = false; // that side is the schedule of now
};

class SchedulesView : public QWidget {
    Q_OBJECT
public:
    enum Tab { Script, Tree, Numbers };
    explicit SchedulesView(QWidget* parent = nullptr);

    void set_choices(const SideChoices& choices);
    void set_pair(std::shared_ptr<const SchedulePair> pair); // null: it is being made
    const SchedulePair* pair() const { return pair_.get(); }
    void set_tab(Tab tab);
    Tab tab() const;
    SideBySideView* script_view() const { return script_; }
    SideBySideView* tree_view() const { return tree_; }
    NumberTableModel* number_table() const { return numbers_; }
    QString headline() const;

signals:
    void leftChosen(int index);
    void rightChosen(int index);
    void swapRequested();
    void leftWanted(); // as the schedule of now
    void rightWanted();
    void saveRequested(); // as a file
    void nodeSelected(const loopscope::NodeId& id);

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* make_head();
    QWidget* make_bar();
    void make_numbers();
    void make_keys();
    void show_tab();
    void show_texts();
    void copy(TextForm form);
    SideBySideView* at_hand() const; // null: the numbers

    std::shared_ptr<const SchedulePair> pair_;
    SideChoices choices_;
    QComboBox *left_, *right_;
    QLabel *left_times_, *right_times_, *headline_, *nothing_;
    QPushButton *make_left_ = nullptr, *make_right_ = nullptr, *swap_ = nullptr, *export_ = nullptr;
    QTabBar* tabs_;
    QCheckBox* fold_;
    QToolButton *up_ = nullptr, *down_ = nullptr;
    QStackedWidget* pages_;
    SideBySideView *script_, *tree_;
    NumberTableModel* numbers_;
    QTableView* table_;
    QWidget* table_page_ = nullptr;
};

} // namespace loopscope::views
