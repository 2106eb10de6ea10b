// The tests of the views draw, hence an application; without a display, into memory.

#include "tests/support/support.h"
#include "views/style/theme.h"

#include <gtest/gtest.h>

#include <QApplication>

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    if (qEnvironmentVariableIsEmpty("XDG_RUNTIME_DIR"))
        qputenv("XDG_RUNTIME_DIR", loopscope::test::scratch_folder().c_str());
    testing::InitGoogleTest(&argc, argv);
    QApplication application(argc, argv);
    loopscope::views::apply_theme(application, loopscope::views::ThemeKind::Light);
    return RUN_ALL_TESTS();
}
