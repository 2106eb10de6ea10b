#pragma once
// Help, About Loopscope: its version, its licence, and the versions of what is linked, as a text
// that can be copied.

#include "core/base/library_version.h"

class QWidget;

namespace loopscope::app {

// Of what the window itself links. What the worker has is asked of the worker.
LibraryVersions window_libraries();

void show_about(QWidget& window);

} // namespace loopscope::app
