#pragma once
// Snapshots that the tests of the views show: bundled programs under their shipped schedules, with
// real estimates on a described device, and folders for pictures.

#include "views/models/snapshots.h"

#include <QImage>
#include <QString>

class QPoint;
class QWidget;

namespace loopscope::views::test {

PipelinePtr bundled_pipeline(const std::string& name);
// An empty schedule text: the shipped one. Throws with the diagnostics when something is refused.
ScheduleTreePtr bundled_tree(const std::string& name, const std::string& schedule = {});
ScheduleTreePtr default_tree(const std::string& name);
std::string bundled_schedule_text(const std::string& name);
DevicePtr described_device(); // two cores, AVX-512, three cache levels
EstimatePtr estimate_of(const ScheduleTreePtr& tree);

// The tree of a pipeline's text, under a schedule's lines.
ScheduleTreePtr tree_of_text(const std::string& text, const std::string& lines = {});
// A chain of `stages` stages in a default schedule: for sizes.
ScheduleTreePtr long_chain(int stages);

// Why `line` cannot be applied to the tree's state; nullopt: it can.
std::optional<QString> refusal(const ScheduleTreePtr& tree, const QString& line);
// The same as verdicts, given at once; edits in place are all available. Previews say "faster".
EditServices services_of(const ScheduleTreePtr& tree);

// Shows the widget at a size, lets it settle, and returns its picture; saved as NAME-light.png or
// NAME-dark.png where LOOPSCOPE_PICTURES names a folder.
QImage picture(QWidget& widget, const QSize& size, const QString& name);
void settle();
// The pointer comes back with no button held: what was pressed was let go where nobody heard it.
void move_unpressed(QWidget& widget, const QPoint& at);
void use_theme(bool dark);
// Share of pixels that differ from the picture's most frequent colour: an empty picture has almost
// none.
double inked(const QImage& image);

} // namespace loopscope::views::test
