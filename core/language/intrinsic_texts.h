#pragma once
// The declarations of tensor instructions, resources/intrinsics/*.loop, as the build embeds them
// (cmake/embedded_texts.cmake): what a schedule means must not depend on files that are found, or
// not, where a program runs.

#include <span>
#include <string_view>

namespace loopscope {

struct EmbeddedText {
    std::string_view name; // of the file, without its ending
    std::string_view text;
};

std::span<const EmbeddedText> intrinsic_texts(); // by name

} // namespace loopscope
