#pragma once
// What a screen reader says of a view beside its name: what it shows now. Said again only where it
// is other than before.

#include <QWidget>

namespace loopscope::views {

inline void say_state(QWidget& view, const QString& state) {
    if (view.accessibleDescription() != state)
        view.setAccessibleDescription(state); // Qt tells the screen reader
}

} // namespace loopscope::views
