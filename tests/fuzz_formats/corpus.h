#pragma once
// The kept examples of a format.

#include "tests/fuzz_formats/format.h"

#include <map>
#include <string>

namespace loopscope::fuzz {

// Bytes by the file's name, so that a run is repeated anywhere: of corpus/FORMAT/, and what of the
// format is bundled with Loopscope.
std::map<std::string, std::string> corpus(const Format& format);

std::string source_of(const std::string& name); // a file of this folder

} // namespace loopscope::fuzz
