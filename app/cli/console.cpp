#include "app/cli/command.h"

#include "compiler/gpu/codes.h"
#include "compiler/protocol/worker_client.h"

#include <nlohmann/json.hpp>

#include <algorithm>

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
        for (auto limit :
             {kCodeTimeout, kCodeOutOfMemory, kCodeMemoryLimit, kCodeCancelled, kCodeCrash,
              kCodeProtocol, kCodeInternal, gpu::kCodeFault, gpu::kCodeHang, gpu::kCodeDriver})
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

int Console::print(const nlohmann::json& object) const {
    out << object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    return kRight;
}

} // namespace loopscope::cli
