#pragma once
// An array as a picture: two indices, or three of which the first or the last counts 1, 3 or 4
// channels.

#include "compiler/run/buffer.h"

#include <QImage>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace loopscope::views {

using BufferPtr = std::shared_ptr<const Buffer>;

// Which index is which. Channels that come first are meant where both could be, as in files.
struct PictureLayout {
    std::int64_t channels = 1, height = 0, width = 0;
    bool channels_last = false;

    // The place of a sample in the array.
    std::int64_t position(std::int64_t channel, std::int64_t y, std::int64_t x) const {
        return channels_last ? (y * width + x) * channels + channel
                             : (channel * height + y) * width + x;
    }
};
// Nothing: it is none, it is empty, or has more pixels than are drawn.
std::optional<PictureLayout> picture_layout(const std::vector<std::int64_t>& extents);

struct ArrayPicture {
    PictureLayout form;
    QImage image;
    // What is black and what is white: 0 and 255 of u8, whose samples are drawn as they are; of
    // all else the least and the greatest finite value.
    double black = 0, white = 255;
    bool as_it_is = true;
    std::int64_t not_numbers = 0; // NaNs, which are drawn in a colour of their own, where grey
    bool alpha = false;           // the fourth channel of u8 and u16; of others it is not drawn
};
ArrayPicture picture_of(const Buffer& array, const PictureLayout& form);

} // namespace loopscope::views
