#pragma once
// Versions of the libraries that are linked, asked of themselves where they tell, else read in
// their headers.

#include "compiler/protocol/worker_client.h"
#include "core/base/library_version.h"
#include "core/base/result.h"

namespace loopscope::measure {

// Of what every program links.
LibraryVersions common_libraries();

// Of what the worker links beside that. Errors: those of its verb `info`.
Result<LibraryVersions> worker_libraries(WorkerClient& worker, const RequestOptions& options = {});

} // namespace loopscope::measure
