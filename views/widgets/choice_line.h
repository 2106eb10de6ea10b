#pragma once
// A row of the inspector: a title, its choices as buttons, and below them why some cannot be made.
// It outlives the edits that leave its choices what they are: making buttons anew takes longer than
// all else that an edit shows.

#include "views/models/choice_rows.h"

#include <QWidget>

class QAbstractButton;
class QLabel;
class QPushButton;

namespace loopscope::views {

class FlowLayout;

class ChoiceLine : public QWidget {
    Q_OBJECT
public:
    ChoiceLine(ChoiceRow row, int title_width, QWidget* parent = nullptr);

    // The same choices, by title and name. What they do may differ.
    bool fits(const ChoiceRow& row) const;
    // Choices that look alike, whatever they are called: the widget can be used for them.
    bool takes(const ChoiceRow& row) const;
    void set_aside(); // its choices are found by their names no more, until it has another row
    // Shows a row that fits, or one that it takes. Verdicts hold until the next ones come or
    // let_go() is called, so that nothing flickers where they come soon; they are forgotten at once
    // where the row is `of_another` node.
    void set_row(ChoiceRow row, bool of_another);
    // of verdicts that were not given on this row: what they refused may be right by now
    void let_go();

    std::vector<DirectiveEdit> edits() const; // of choices that can be made: to be judged
    void set_verdict(const DirectiveEdit& edit, const Verdict& verdict);
    // all verdicts have come, or were let go, and what they say is not said yet
    bool to_explain() const;
    void explain();

    const ChoiceRow& row() const { return row_; }
    const std::vector<QAbstractButton*>& buttons() const { return buttons_; }
    QPushButton* all_button() const { return all_; }      // null: each choice has a button
    const Choice* choice_of(const QObject* button) const; // null: the button is no choice

signals:
    void requested(const loopscope::views::DirectiveEdit& edit);
    void allRequested(const QPoint& global);   // the list of all choices, at this place
    void aboutToGrey(QAbstractButton* button); // that has the keyboard

private:
    void add_button(std::size_t choice);
    void show_choice(std::size_t choice);
    void show_all_button();
    void clicked(std::size_t choice);
    void set_reason(QAbstractButton& button, const QString& reason);
    void say(const QString& text);

    ChoiceRow row_;
    std::vector<QAbstractButton*> buttons_; // one for each choice
    std::vector<bool> judged_;              // each choice
    QPushButton* all_ = nullptr;
    QLabel* title_;
    FlowLayout* flow_;
    QLabel* note_;
    bool to_explain_ = false;
};

} // namespace loopscope::views
