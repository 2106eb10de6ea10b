// A session answers in an event loop, hence an application object. `--edit FILE FOLDER SEED` is the
// child that the kill test ends at random moments.

#include "tests/session/session_support.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <QCoreApplication>

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    QCoreApplication application(argc, argv);
    // Where work is kept that finds no place elsewhere.
    for (const char* variable : {"XDG_RUNTIME_DIR", "TMPDIR"})
        qputenv(variable, loopscope::test::scratch_folder().c_str());
    if (argc == 5 && std::string(argv[1]) == "--edit")
        return loopscope::session::test::edit_until_killed(argv[2], argv[3], std::stoul(argv[4]));
    return RUN_ALL_TESTS();
}
