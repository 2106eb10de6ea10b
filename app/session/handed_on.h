#pragma once
// A document for somebody else, who has neither the files nor the machine that it was made with:
// the descriptions of its devices travel in it.

#include "app/document/document.h"
#include "app/session/document_device.h"
#include "core/base/result.h"

#include <string>

namespace loopscope::session {

// What the machine that a document was made on is called in it.
inline constexpr const char* kHandedOnHost = "handed-on-host";

// Of a document that was handed on, by the names that it has for them; any other has none. Errors:
// `path` is damaged: more than a document may have, or one that is no description of a device.
Result<CarriedDevices> carried_devices(const DocumentSource& source, const std::string& path);

// The document's source with what `devices` knows of its own device and of those that its
// revisions name, and without the folders of this machine. Errors: more devices than may be.
Result<DocumentSource> handed_on_source(const Document& document, const DocumentDevice& devices);

} // namespace loopscope::session
