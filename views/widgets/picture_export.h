#pragma once
// A picture that a view paints, as a file: PNG, SVG or PDF by the ending of its name.

#include "core/base/result.h"

#include <QSize>
#include <QString>

#include <functional>

class QPainter;

namespace loopscope::views {

// `paint` draws a picture of `size`. Errors: another ending; the file cannot be written.
Status export_picture(const QString& path, const QSize& size, const QString& title,
                      const std::function<void(QPainter&)>& paint);

} // namespace loopscope::views
