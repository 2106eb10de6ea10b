#pragma once
// What the window says: errors in the notice bar, where they stay, anything else in the status line
// for some seconds.

#include <QString>

class QStatusBar;

namespace loopscope::app {

class NoticeBar;

class Messages {
public:
    Messages(NoticeBar& notice, QStatusBar& status) : notice_(notice), status_(status) {}
    void say(const QString& text, bool is_error = false) const;

private:
    NoticeBar& notice_;
    QStatusBar& status_;
};

} // namespace loopscope::app
