#include "compiler/gpu/exit_status.h"

#include "compiler/gpu/codes.h"
#include "compiler/protocol/worker_client.h"
#include "core/base/system_error.h"

#include <algorithm>

namespace loopscope {

int exit_status(const Diagnostics& diagnostics) {
    using namespace measure;
    int status = kBadInput;
    for (const auto& diagnostic : diagnostics) {
        if (diagnostic.severity != Severity::Error)
            continue;
        int meant = kBadInput;
        for (auto absent : {kCodeTarget, kCodeMissing, kCodeNoToolkit})
            if (diagnostic.code == absent)
                meant = kNoTarget;
        for (auto limit : {kCodeTimeout, kCodeOutOfMemory, kCodeMemoryLimit, kCodeCancelled,
                           kCodeCrash, kCodeProtocol, kCodeInternal, gpu::kCodeFault,
                           gpu::kCodeHang, gpu::kCodeDriver, gpu::kCodeConnection, kCodeDiskFull})
            if (diagnostic.code == limit)
                meant = kLimitReached;
        status = std::max(status, meant);
    }
    return status;
}

} // namespace loopscope
