#pragma once
// Params from the shapes of the user's arrays: `input img[c, y, x]: u8[3, H, W]` and an array of
// [3, 427, 640] give H = 427 and W = 640.

#include "core/base/result.h"
#include "core/base/source.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

using Shapes = std::map<std::string, std::vector<std::int64_t>>; // of arrays, by the input's name

// `given` (the caller's own values, which stand) and every param that is the whole of an extent of
// an input with a shape. Inputs that templates name, and extents that are expressions, infer
// nothing. Errors: two extents ask for two values of one param. A text with errors infers nothing:
// loading it says what is wrong.
Result<std::map<std::string, std::int64_t>>
infer_params(const SourceFilePtr& pipeline, const Shapes& shapes,
             const std::map<std::string, std::int64_t>& given);

struct ParamValue {
    std::string name;
    std::int64_t value = 0;
};
// How extent `dimension` of the input would come to be `wanted`; nothing where the text fixes it,
// or a template or anything but one param times and plus constants gives it.
std::optional<ParamValue> param_for_extent(const SourceFilePtr& pipeline, const std::string& input,
                                           std::size_t dimension, std::int64_t wanted);

} // namespace loopscope
