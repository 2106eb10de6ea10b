// Any bytes as a `.loop` file: it loads, or is refused with messages that have places; what loads
// has a text that reads back as an equal pipeline, and a canonical format that stays as it is when
// formatted again.
#include "core/language/loop_parser.h"
#include "tests/fuzz_formats/format.h"

namespace loopscope::fuzz {
namespace {

SourceFilePtr file(std::string text) {
    return std::make_shared<SourceFile>("fuzz.loop", std::move(text));
}

void judge_loop(std::string_view bytes) {
    const std::string text(bytes);
    if (auto formatted = format_pipeline_source(file(text))) {
        auto again = format_pipeline_source(file(*formatted));
        if (!again || *again != *formatted)
            throw Wrong("formatting twice differs\n" + *formatted);
    }
    auto loaded = load_pipeline(file(text));
    if (!loaded)
        return judge_refusal(loaded.errors());
    (void)lint(*loaded);
    auto printed = to_text(*loaded->pipeline);
    // an expansion: reading it back takes its time
    if (printed.size() > 200'000)
        return;
    auto again = load_pipeline(file(printed));
    if (!again)
        throw Wrong("its text does not load\n" + printed + format(again.errors()));
    if (!equal(*loaded->pipeline, *again->pipeline))
        throw Wrong("its text loads as another pipeline\n" + printed);
}

std::string read_loop(std::string_view bytes) {
    const auto loaded = load_pipeline(file(std::string(bytes)));
    return loaded ? to_text(*loaded->pipeline) : format(loaded.errors());
}

const AddFormat kLoop("loop", judge_loop, read_loop);

} // namespace
} // namespace loopscope::fuzz
