#include "tests/support/comma_locale.h"

#include "tests/support/support.h"

#include <clocale>
#include <cstdlib>

namespace loopscope::test {

namespace {

// The folder with the compiled locale; empty: it cannot be made.
const std::string& locale_folder() {
    static const auto folder = [] {
        const auto made = scratch_folder();
        const auto command =
            "localedef -i de_DE -f UTF-8 '" + made + "/de_DE.UTF-8' >/dev/null 2>&1";
        return std::system(command.c_str()) == 0 ? made : std::string();
    }();
    return folder;
}

} // namespace

CommaLocale::CommaLocale() {
    if (locale_folder().empty())
        return;
    ::setenv("LOCPATH", locale_folder().c_str(), 1); // where glibc looks for locales
    made_ = std::setlocale(LC_NUMERIC, "de_DE.UTF-8") && *std::localeconv()->decimal_point == ',';
}

CommaLocale::~CommaLocale() {
    std::setlocale(LC_NUMERIC, "C");
    ::unsetenv("LOCPATH");
}

} // namespace loopscope::test
