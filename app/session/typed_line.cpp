#include "app/session/typed_line.h"

#include <algorithm>
#include <optional>

namespace loopscope::session {

namespace {

// The one line, from 0, in which two texts differ, or that one of them has more; nullopt: they
// differ in several.
std::optional<std::size_t> one_line_changed(const std::string& before, const std::string& after) {
    std::size_t head = 0;
    const auto least = std::min(before.size(), after.size());
    while (head < least && before[head] == after[head])
        ++head;
    std::size_t tail = 0;
    while (tail < least - head &&
           before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
        ++tail;
    auto breaks = [&](const std::string& text) {
        return std::count(text.begin() + static_cast<std::ptrdiff_t>(head),
                          text.end() - static_cast<std::ptrdiff_t>(tail), '\n');
    };
    if (breaks(before) > 0 || breaks(after) > 1)
        return std::nullopt;
    return static_cast<std::size_t>(
        std::count(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(head), '\n'));
}

} // namespace

bool TypedLine::goes_on(const Document& document, const std::string& script) const {
    const auto& now = document.current();
    if (revision_ != now.id || since_.elapsed() >= kLongPause)
        return false;
    const auto* before = document.find(now.parent);
    return before && one_line_changed(before->script, script) == line_;
}

void TypedLine::begin(std::int64_t revision, const std::string& before, const std::string& after) {
    if (const auto line = one_line_changed(before, after)) {
        revision_ = revision;
        line_ = *line;
    }
}

} // namespace loopscope::session
