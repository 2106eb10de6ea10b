#pragma once
// One factor of the schedule: a slider over its usual values, a field for any other, and what the
// value would do.

#include "views/models/schedule_form.h"

#include <QWidget>

class QLabel;
class QLineEdit;

namespace loopscope::views {

class TickSlider;

class FactorRow : public QWidget {
    Q_OBJECT
public:
    FactorRow(FactorForm form, int title_width, QWidget* parent = nullptr);

    bool fits(const FactorForm& form) const; // it is of the same factor
    void set_aside(); // it is found by its name no more, until it has another form
    // Shows a form, of this factor or of another: what was looked at is let go, and verdicts are to
    // come anew.
    void set_form(FactorForm form);

    std::vector<DirectiveEdit> edits() const; // of values that are not present: to be judged
    void set_verdict(const DirectiveEdit& edit, const Verdict& verdict);
    void set_preview(const DirectiveEdit& edit, const Preview& preview);
    TickSlider* slider() const { return slider_; }
    QLineEdit* field() const { return field_; }

signals:
    void considered(const loopscope::views::DirectiveEdit& edit); // wants a preview
    void requested(const loopscope::views::DirectiveEdit& edit);  // wants to be made: one step
    void left();                                                  // back at the present value

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    const FormValue& chosen() const;
    void show_form();
    void consider();
    void take();
    void go_back();
    void say(const QString& text, int sign);

    FactorForm form_;
    std::vector<Verdict> verdicts_;
    DirectiveEdit considered_;
    QLabel* title_;
    TickSlider* slider_;
    QLineEdit* field_;
    QLabel* note_;
};

} // namespace loopscope::views
