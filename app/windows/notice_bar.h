#pragma once
// What the window has to say above the schedule tree: a refusal with its reason, whole and for as
// long as it matters, or an offer with a button.

#include <QFrame>

#include <functional>
#include <optional>

class QLabel;
class QPushButton;
class QToolButton;

namespace loopscope::app {

class NoticeBar : public QFrame {
    Q_OBJECT
public:
    explicit NoticeBar(QWidget* parent = nullptr);

    void show_error(const QString& text);
    // Adds a way out to the error that is shown: `run` is called once, when the button is pressed.
    void offer_remedy(const QString& button, const QString& tip, std::function<void()> run);
    // `run` is called once, when the button is pressed, or `dismiss` when the bar is closed
    // instead. An error stands before an offer, which is shown once that has gone.
    void offer(const QString& text, const QString& button, std::function<void()> run,
               std::function<void()> dismiss);
    // Errors go when the schedule changes; an offer stays until it is taken or closed, another one
    // takes its place, or `withdraw` says of its text that it has come about otherwise.
    void clear_error();
    void withdraw(const QString& offer);
    QString text() const;

signals:
    void answered(); // its button or its ✕ was pressed: the keyboard is free for another place

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Offer {
        QString text, button;
        std::function<void()> run, dismiss;
    };

    void show_text(const QString& text, bool is_error);
    void show_offer(); // what stands behind an error, or nothing
    void end_error();
    void restyle();

    QLabel* mark_;
    QLabel* text_;
    QPushButton* action_;
    QToolButton* close_;
    std::function<void()> remedy_; // of the error that is shown
    std::optional<Offer> offer_;
    bool is_error_ = false;
};

} // namespace loopscope::app
