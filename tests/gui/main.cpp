// The whole window, driven as a person would. The application measures how long each event keeps
// the event loop busy: the window may never stand still for long.

#include "tests/gui/gui_support.h"
#include "tests/support/support.h"
#include "views/style/theme.h"

#include <gtest/gtest.h>

using namespace loopscope;

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    for (const char* variable :
         {"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "TMPDIR"})
        qputenv(variable, test::scratch_folder().c_str());
    // The same on every machine: tests that want GPUs, or OpenCL, name drivers of their own.
    qputenv("LOOPSCOPE_CUDA_LIBRARY", "/nowhere");
    qputenv("OCL_ICD_VENDORS", "/nowhere");
    testing::InitGoogleTest(&argc, argv);
    app::test::WatchedApplication application(argc, argv);
    QApplication::setOrganizationName("loopscope-test");
    QApplication::setApplicationName("loopscope-test");
    app::test::keep_host_figures();
    views::apply_theme(application, views::ThemeKind::Light);
    const int result = RUN_ALL_TESTS();
    app::test::LatencyRecorder::instance().report();
    return result;
}
