#include "app/windows/messages.h"

#include "app/windows/notice_bar.h"

#include <QStatusBar>

namespace loopscope::app {

namespace {
constexpr int kSaidFor = 8000; // milliseconds
}

void Messages::say(const QString& text, bool is_error) const {
    if (is_error)
        notice_.show_error(text);
    else
        status_.showMessage(text, kSaidFor);
}

} // namespace loopscope::app
