#pragma once
// Whom Space and Escape belong to. Space measures and Escape cancels from everywhere, except where
// the widget at hand needs the key itself: a field that is written in, and a button that was
// reached by Tab. One that was clicked keeps the focus, but nobody means it any more.

#include <QObject>

namespace loopscope::session {
class Session;
}

namespace loopscope::app {

class KeyOwners : public QObject {
    Q_OBJECT
public:
    explicit KeyOwners(const session::Session& session); // watches the application's events

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    const session::Session& session_;
    bool tabbed_ = false; // the focus was moved by Tab since the pointer was last pressed
};

} // namespace loopscope::app
