// libFuzzer's entry: the judge of the format LOOPSCOPE_FORMAT.
#include "tests/fuzz_formats/format.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using loopscope::fuzz::Format;

namespace {

const Format& chosen() {
    const auto& all = loopscope::fuzz::formats();
    return *std::find_if(all.begin(), all.end(), [](const Format& format) {
        return std::string_view(format.name) == LOOPSCOPE_FORMAT;
    });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    static const auto judge = chosen().judge;
    try {
        judge({reinterpret_cast<const char*>(data), size});
    } catch (const loopscope::fuzz::Wrong& wrong) {
        std::fprintf(stderr, "%s\n", wrong.what());
        loopscope::fuzz::remove_files();
        std::abort();
    }
    return 0;
}
