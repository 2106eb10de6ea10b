#include "app/cli/command.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace loopscope::cli {

void Console::warn(const Diagnostics& diagnostics) const {
    if (!diagnostics.empty())
        err << format(diagnostics) << std::flush;
}

int Console::fail(const Diagnostics& diagnostics) const {
    warn(diagnostics);
    return exit_status(diagnostics);
}

namespace {

// JSON escapes the controls below U+0020 alone; terminals act on U+007F to U+009F as well.
std::string with_escaped_controls(const std::string& json) {
    std::string text;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const auto byte = static_cast<unsigned char>(json[i]);
        const auto next = static_cast<unsigned char>(i + 1 < json.size() ? json[i + 1] : 0);
        const bool wide = byte == 0xC2 && next >= 0x80 && next < 0xA0; // UTF-8's two bytes
        if (byte != 0x7F && !wide) {
            text += json[i];
            continue;
        }
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\u%04x", wide ? next : byte);
        text += escape;
        i += wide;
    }
    return text;
}

} // namespace

int Console::print(const nlohmann::json& object) const {
    out << with_escaped_controls(
               object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace))
        << "\n";
    return kRight;
}

} // namespace loopscope::cli
