// What views share that show a page or say what will be there, and pictures that a view paints
// itself.

#include "tests/views/gpu_fixtures.h"
#include "views/widgets/banks_view.h"
#include "views/widgets/compare_view.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/measurements_view.h"
#include "views/widgets/paint.h"
#include "views/widgets/timeline_view.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>

#include <vector>

namespace loopscope::views::test {

namespace {

template <typename View> bool says_what_will_be_there() {
    View view;
    view.resize(480, 240);
    view.show();
    settle();
    const auto* empty = view.template findChild<EmptyState*>();
    return empty && empty->isVisible() && !empty->accessibleName().isEmpty() &&
           !view.accessibleName().isEmpty() && view.autoFillBackground();
}

// The entries of a picture's menu, chosen as a person would.
void choose_all(QWidget* canvas) {
    QContextMenuEvent asked(QContextMenuEvent::Mouse, QPoint(20, 20),
                            canvas->mapToGlobal(QPoint()));
    QApplication::sendEvent(canvas, &asked);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    ASSERT_TRUE(menu);
    ASSERT_EQ(menu->actions().size(), 2);
    for (auto* action : menu->actions())
        action->trigger();
    menu->close();
}

} // namespace

TEST(PagedView, EachSaysFirstWhatWillBeThere) {
    EXPECT_TRUE(says_what_will_be_there<BanksView>());
    EXPECT_TRUE(says_what_will_be_there<CompareView>());
    EXPECT_TRUE(says_what_will_be_there<MeasurementsView>());
    EXPECT_TRUE(says_what_will_be_there<TimelineView>());
}

TEST(PictureCanvas, ItsMenuAsksForAFileAndForPaper) {
    const auto s = on_gpu("matmul", gpu_matmul(3));
    TimelineView timeline;
    timeline.resize(640, 260);
    timeline.show();
    timeline.set_snapshot(s.tree, s.estimate, s.schedule, s.device);
    std::vector<PictureUse> asked;
    timeline.set_picture_asked([&](PictureUse use) { asked.push_back(use); });
    choose_all(timeline.canvas());
    EXPECT_EQ(asked, (std::vector{PictureUse::Save, PictureUse::Print}));
}

TEST(PictureCanvas, TextOnAFilledAreaCanBeRead) {
    for (int grey = 0; grey < 256; ++grey) {
        const QColor ground(grey, grey, grey);
        EXPECT_GE(contrast_ratio(text_on(ground), ground), 4.5) << grey;
    }
}

} // namespace loopscope::views::test
