#pragma once
// The files of resources/bundle, which stand in each bundle.

#include "core/language/intrinsic_texts.h" // EmbeddedText

namespace loopscope {

std::span<const EmbeddedText> bundle_texts();

} // namespace loopscope
