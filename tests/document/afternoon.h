#pragma once
// Work on a document, by every way in which one is written.

#include "app/document/document.h"

#include <functional>
#include <string>
#include <vector>

namespace loopscope::session::test {

using Step = std::function<Status(Document&)>;
std::vector<Step> afternoon();

std::string work_in(const Document& document); // all that a person would miss

} // namespace loopscope::session::test
