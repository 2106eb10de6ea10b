// Any bytes as a `.loop` file: it loads, or is refused with messages that have places; what loads
// has a text that reads back as an equal pipeline, and a canonical format that stays as it is when
// formatted again.
#include "core/language/loop_parser.h"

#include <cstdio>
#include <cstdlib>

using namespace loopscope;

namespace {

[[noreturn]] void wrong(const char* what, const std::string& detail) {
    std::fprintf(stderr, "%s\n%s\n", what, detail.c_str());
    std::abort();
}

SourceFilePtr file(std::string text) {
    return std::make_shared<SourceFile>("fuzz.loop", std::move(text));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string text(reinterpret_cast<const char*>(data), size);
    if (auto formatted = format_pipeline_source(file(text))) {
        auto again = format_pipeline_source(file(*formatted));
        if (!again || *again != *formatted)
            wrong("formatting twice differs", *formatted);
    }
    auto loaded = load_pipeline(file(text));
    if (!loaded) {
        if (loaded.errors().empty())
            wrong("refused without a reason", text);
        (void)format(loaded.errors());
        return 0;
    }
    (void)lint(*loaded);
    auto printed = to_text(*loaded->pipeline);
    // an expansion: reading it back takes its time
    if (printed.size() > 200'000)
        return 0;
    auto again = load_pipeline(file(printed));
    if (!again)
        wrong("its text does not load", printed + format(again.errors()));
    if (!equal(*loaded->pipeline, *again->pipeline))
        wrong("its text loads as another pipeline", printed);
    return 0;
}
