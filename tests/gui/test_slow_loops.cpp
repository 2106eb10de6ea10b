// Loops that are vectorised in vain: the window says which run element by element, and why, for as
// long as they do.

#include "tests/gui/gui_support.h"

#include "app/windows/notice_bar.h"
#include "tests/support/support.h"

#include <QAction>

#include <fstream>

namespace loopscope::app::test {

namespace {

class SlowLoops : public WindowTest {
protected:
    static std::string file(const std::string& name, const std::string& text) {
        auto path = loopscope::test::scratch_folder() + "/" + name;
        std::ofstream(path) << text;
        return path;
    }
    // As a person does from the menu; what the notice says then.
    QString after_check() {
        QAction* check = nullptr;
        for (auto* action : window_->findChildren<QAction*>())
            if (action->text() == "&Check")
                check = action;
        if (!check)
            return "no such action";
        check->trigger();
        EXPECT_TRUE(window_->session().tasks().busy());
        EXPECT_TRUE(wait_until([&] { return !window_->session().tasks().busy(); }));
        return notice(*window_)->text();
    }
};

// Rows of eight of which the last is shorter: no vector can run eight of them at once.
TEST_F(SlowLoops, AreNamedByACheckUntilTheyAreGone) {
    auto& window = show();
    session::OpenOptions options;
    options.device = "host";
    options.schedule_file = file("rows.sched", "schedule for rows\ns.split(i, io, ii, 8)\n"
                                               "s.vectorize(io)\n");
    ASSERT_TRUE(window.open_path(
        QString::fromStdString(file("rows.loop", "pipeline rows\ninput a[i]: f32[20]\nstage s[i]: "
                                                 "f32 = a[i]*2.0\noutput s: [20]\n")),
        options));
    ASSERT_TRUE(settle());
    EXPECT_TRUE(notice(window)->text().isEmpty()) << notice(window)->text().toStdString();
    const auto said = after_check();
    EXPECT_TRUE(said.contains("the vectorised loop s/io runs element by element: the bounds"))
        << said.toStdString();
    EXPECT_TRUE(notice(window)->isVisible());
    keep_picture("slow-loop");

    ASSERT_TRUE(window.session().replace_directive(3, "s.vectorize(ii)").ok());
    ASSERT_TRUE(settle());
    EXPECT_TRUE(notice(window)->text().isEmpty()) << notice(window)->text().toStdString();
    EXPECT_TRUE(after_check().isEmpty()) << notice(window)->text().toStdString();
}

} // namespace
} // namespace loopscope::app::test
