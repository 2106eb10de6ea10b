#pragma once
// What the fake driver (tests/gpu/fake_driver) takes the kernels of a window's document for.

#include "app/session/session.h"

#include <cstdint>
#include <map>
#include <string>

namespace loopscope::app::test {

// A blur in one kernel at a small size.
extern const char* const kBlurTile;
extern const std::map<std::string, std::int64_t> kSmallBlur;

// The loop program of the document's kernels, in the folder that the fake driver reads when it
// loads a module.
void write_meaning(const session::Session& session, const std::string& folder);

} // namespace loopscope::app::test
