#pragma once
// Texts of files as a terminal may get them.

#include <string>
#include <string_view>

namespace loopscope {

// The first `count` characters of `text`; controls become spaces, so that a caret stays under its
// place, and bytes that are no UTF-8 become U+FFFD.
std::string printable_text(std::string_view text, std::size_t count = std::string_view::npos);

} // namespace loopscope
