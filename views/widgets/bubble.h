#pragma once
// A few words beside the pointer, a menu entry or a control: what a choice would do, or why it
// cannot be made. It takes neither the mouse nor the keyboard.

#include "views/models/snapshots.h"

#include <QFrame>

class QLabel;

namespace loopscope::views {

class Bubble : public QFrame {
    Q_OBJECT
public:
    enum class Kind { Inside, Window }; // within its parent; or over all windows, beside menus
    explicit Bubble(QWidget* parent, Kind kind = Kind::Inside);

    // `anchor` in the parent's coordinates (Inside) or global ones (Window): what is pointed at.
    // The bubble stands below it, or above where there is no room, and within the parent or the
    // screen. `explanation`: a sentence on the choice itself, below what it would do; may be empty.
    void tell(const QRect& anchor, const QString& headline, const Preview& preview,
              const QString& explanation = {});
    void refuse(const QRect& anchor, const QString& headline, const QString& reason);
    QString text() const; // headline and words; empty while hidden
    QString explanation() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    enum class Tone { Plain, Better, Worse, Refused };
    void show_text(const QRect& anchor, const QString& headline, const QString& words,
                   const QString& explanation, Tone tone);
    void restyle();

    QLabel* headline_;
    QLabel* words_;
    QLabel* explanation_;
    Tone tone_ = Tone::Plain;
};

} // namespace loopscope::views
