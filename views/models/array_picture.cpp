#include "views/models/array_picture.h"

#include "compiler/run/float_values.h"

#include <QColor>

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope::views {

namespace {

constexpr std::int64_t kMostPixels = std::int64_t{1} << 26; // 256 MiB of them
constexpr QRgb kNotANumber = 0xffd81b60;

bool is_channels(std::int64_t extent) { return extent == 1 || extent == 3 || extent == 4; }

void find_range(const Buffer& array, ArrayPicture& picture) {
    double least = std::numeric_limits<double>::infinity(), greatest = -least;
    const auto count = array.count();
    for (std::int64_t i = 0; i < count; ++i) {
        const double value = element_value(array, i);
        if (std::isnan(value))
            ++picture.not_numbers;
        if (!std::isfinite(value))
            continue;
        least = std::min(least, value);
        greatest = std::max(greatest, value);
    }
    picture.as_it_is = false;
    picture.black = greatest < least ? 0 : least;
    picture.white = greatest < least ? 0 : greatest;
}

// Brightness of a sample, 0 to 255; what is one value everywhere is black.
class Shades {
public:
    Shades(const Buffer& array, const ArrayPicture& picture)
        : array_(array),
          as_it_is_(picture.as_it_is),
          black_(picture.black),
          // halves, for the difference may be more than a double has
          half_range_(picture.white / 2 - picture.black / 2) {}

    int operator()(std::int64_t position) const {
        if (as_it_is_)
            return array_.as<std::uint8_t>()[position];
        const double value = element_value(array_, position);
        if (std::isnan(value) || half_range_ <= 0)
            return 0;
        const double share = (value / 2 - black_ / 2) / half_range_;
        return static_cast<int>(std::lround(255 * std::clamp(share, 0.0, 1.0)));
    }

private:
    const Buffer& array_;
    bool as_it_is_;
    double black_, half_range_;
};

QRgb pixel_of(const Buffer& array, const ArrayPicture& picture, const Shades& shade, std::int64_t y,
              std::int64_t x) {
    const auto& form = picture.form;
    const auto first = form.position(0, y, x);
    const int red = shade(first);
    if (form.channels == 1)
        return picture.not_numbers > 0 && std::isnan(element_value(array, first))
                   ? kNotANumber
                   : qRgb(red, red, red);
    const int green = shade(form.position(1, y, x)), blue = shade(form.position(2, y, x));
    return picture.alpha ? qRgba(red, green, blue, shade(form.position(3, y, x)))
                         : qRgb(red, green, blue);
}

} // namespace

std::optional<PictureLayout> picture_layout(const std::vector<std::int64_t>& extents) {
    PictureLayout form;
    if (extents.size() == 2) {
        form.height = extents[0];
        form.width = extents[1];
    } else if (extents.size() == 3 && is_channels(extents[0])) {
        form = {extents[0], extents[1], extents[2], false};
    } else if (extents.size() == 3 && is_channels(extents[2])) {
        form = {extents[2], extents[0], extents[1], true};
    } else {
        return std::nullopt;
    }
    if (form.height <= 0 || form.width <= 0 || form.height > kMostPixels / form.width)
        return std::nullopt;
    return form;
}

ArrayPicture picture_of(const Buffer& array, const PictureLayout& form) {
    ArrayPicture picture;
    picture.form = form;
    picture.alpha = form.channels == 4 && is_unsigned(array.type) && bits(array.type) <= 16;
    if (array.type != ScalarType::U8)
        find_range(array, picture);
    picture.image = QImage(static_cast<int>(form.width), static_cast<int>(form.height),
                           picture.alpha ? QImage::Format_ARGB32 : QImage::Format_RGB32);
    const Shades shade(array, picture);
    for (int y = 0; y < picture.image.height(); ++y) {
        auto* line = reinterpret_cast<QRgb*>(picture.image.scanLine(y));
        for (int x = 0; x < picture.image.width(); ++x)
            line[x] = pixel_of(array, picture, shade, y, x);
    }
    return picture;
}

} // namespace loopscope::views
