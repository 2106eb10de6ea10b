#pragma once

#include <cstddef>

namespace loopscope {

// Asks the system to hold memory that nobody has touched yet in large pages, where it is large
// enough for them: a program that walks across the rows of an image touches a page for each, and
// the processor knows the places of few pages at once. A hint: without such pages the memory is the
// same.
void prefer_large_pages(void* memory, std::size_t bytes);

} // namespace loopscope
