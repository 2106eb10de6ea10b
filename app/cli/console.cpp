#include "app/cli/command.h"

#include "compiler/gpu/codes.h"
#include "compiler/protocol/worker_client.h"
#include "core/base/system_error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace loopscope::cli {

int exit_status(const Diagnostics& diagnostics) {
    using namespace measure;
    int status = kRight;
    for (const auto& diagnostic : diagnostics) {
        if (diagnostic.severity != Severity::Error)
            continue;
        int meant = kBadInput;
        for (auto absent : {kCodeTarget, kCodeMissing, kCodeNoToolkit})
            if (diagnostic.code == absent)
                meant = kNoTarget;
        for (auto limit : {kCodeTimeout, kCodeOutOfMemory, kCodeMemoryLimit, kCodeCancelled,
                           kCodeCrash, kCodeProtocol, kCodeInternal, gpu::kCodeFault,
                           gpu::kCodeHang, gpu::kCodeDriver, kCodeDiskFull})
            if (diagnostic.code == limit)
                meant = kLimitReached;
        status = std::max(status, meant);
    }
    return status;
}

void Console::warn(const Diagnostics& diagnostics) const {
    if (!diagnostics.empty())
        err << format(diagnostics) << std::flush;
}

int Console::fail(const Diagnostics& diagnostics) const {
    warn(diagnostics);
    return std::max<int>(exit_status(diagnostics), kBadInput);
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
