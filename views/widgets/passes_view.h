#pragma once
// The loop program behind each pass of the compilation, and what that pass made of the one before:
// a list of the passes, the steps between them, and both programs as one.

#include "views/models/pass_list.h"

#include <QWidget>

class QLabel;
class QListView;
class QToolButton;

namespace loopscope::views {

class LinkedCode;

class PassesView : public QWidget {
    Q_OBJECT
public:
    explicit PassesView(QWidget* parent = nullptr);

    // The pass that is shown stays, by its name. What is shown of it stays too until there is
    // something new.
    void set_steps(PassSteps steps);
    PassListModel* pass_list() const { return model_; }
    int current() const { return current_; } // the row of the pass shown; -1: none
    QString pass() const;                    // its name
    bool set_pass(const QString& name);      // false: there is none of that name
    // To the nearest pass that changes something. False: there is none in that direction.
    bool step(bool forward);
    void set_selected(const NodeId& id, bool scroll);
    LinkedCode* code() const { return code_; }
    QString note() const; // what is said above the program

signals:
    void passShown(int row); // its program may have to be made now
    void nodeSelected(const loopscope::NodeId& id);
    void searchRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QWidget* make_strip();
    void show_pass(int row);
    void show_current(bool other);
    void show_strip();
    void show_menu();
    void fit_list();

    PassListModel* model_;
    QListView* list_;
    QWidget* beside_; // the list and its line
    LinkedCode* code_;
    QToolButton *previous_, *next_, *name_, *up_, *down_;
    QLabel *place_, *runs_, *note_;
    int current_ = -1;
    std::shared_ptr<const SourceText> shown_; // the program of `current_` that is drawn
    std::shared_ptr<const LineDiff> shown_difference_;
};

} // namespace loopscope::views
