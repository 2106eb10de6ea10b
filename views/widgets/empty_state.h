#pragma once
// What an empty panel says: what will be here, and which key brings it.

#include <QWidget>

class QLabel;
class QPushButton;

namespace loopscope::views {

class EmptyState : public QWidget {
    Q_OBJECT
public:
    // `sentence` says what will be here, `hint` how it comes ("Press Space to measure."); hint may
    // be empty.
    EmptyState(const QString& sentence, const QString& hint, QWidget* parent = nullptr);
    void set_text(const QString& sentence, const QString& hint);
    // Shows a button under the text; an empty text hides it. `unavailable`: why it cannot be
    // pressed now; empty: it can, and the button says `tip`.
    void set_action(const QString& text, const QString& unavailable = {}, const QString& tip = {});

signals:
    void actionTriggered();

protected:
    void changeEvent(QEvent* event) override;

private:
    void restyle();
    QLabel* sentence_;
    QLabel* hint_;
    QPushButton* action_;
};

} // namespace loopscope::views
