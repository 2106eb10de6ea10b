#pragma once
// How the window itself looks around its panels: title lines, tabs, toolbar, status bar. Panels
// style themselves.

class QMainWindow;

namespace loopscope::app {

// Takes the theme's colours; false: it has them already.
bool restyle(QMainWindow& window);
// The window asks for the gap between panels, and a toolbar for its margins, when the style
// changes; for the sheet that is set first, that is before it holds.
void take_spacing(QMainWindow& window);
// The gap between the window's rim and the panels, which docks have no setting for: empty bars.
void add_margins(QMainWindow& window);

} // namespace loopscope::app
