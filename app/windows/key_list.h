#pragma once
// The list of keys that Help › Keys shows.

class QWidget;

namespace loopscope::app {

void show_key_list(QWidget& window);

} // namespace loopscope::app
