#pragma once
// Pictures as files and on paper.

#include "views/widgets/picture.h"

#include <QByteArray>

class QPrinter;

namespace loopscope::views {

enum class PictureForm { Svg, Pdf, Png };

constexpr double kUsualScale = 2; // of pixels: readable when enlarged

// By the ending of a file's name. Errors: another ending.
Result<PictureForm> picture_layout(const QString& path);
// `scale`: pixels of a PNG for each of the picture's. Errors: a PNG has more pixels than can be
// painted; `scale` is not positive.
Result<QByteArray> picture_bytes(const Picture& picture, PictureForm form,
                                 double scale = kUsualScale);
// By the ending of the path: whole, or not at all. Errors: those above; the file cannot be written.
Status save_picture(const Picture& picture, const QString& path, double scale = kUsualScale);

// As wide as the page at most, and no larger than on the screen. On one page, unless it would be
// less than half as large there: then it goes on from page to page, between rows. Errors: the
// printer takes nothing.
Status print_picture(const Picture& picture, QPrinter& printer);

} // namespace loopscope::views
