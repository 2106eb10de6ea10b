#pragma once
// The search field that lies over a corner of a view: Escape closes it, Enter goes to the next
// match, Shift+Enter to the one before. It says which of how many matches is shown, or that there
// is none.

#include <QLineEdit>

#include <functional>

namespace loopscope::views {

class SearchField : public QLineEdit {
    Q_OBJECT
public:
    // Lies over `view`, hidden until open().
    explicit SearchField(QWidget* view);
    void open();
    // What is hidden by a field at a place: the less, the better.
    enum class Hides { Nothing, Something, WhatIsLookedFor };
    using HiddenBy = std::function<Hides(const QRect& place)>;
    // Keeps to the upper right corner of what can be seen, or to the lower one where less is hidden
    // there; call it where that may have changed, as in resizeEvent. It leaves a corner only for a
    // better one.
    void place(const QRect& area, const HiddenBy& hidden = {});
    // Whoever searches says after every search whether what is written was found, or which of how
    // many matches is shown, from 1 on; of none, 0 of 0.
    void say_found(bool found);
    void say_match(std::size_t at, std::size_t count);

signals:
    void nextRequested(bool forward);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void say(const QString& text, bool missing);

    bool missing_ = false;
    bool below_ = false; // in the lower corner
};

} // namespace loopscope::views
