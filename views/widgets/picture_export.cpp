#include "views/widgets/picture_export.h"

#include "core/base/whole_file.h"

#include <QBuffer>
#include <QGuiApplication>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QPrinter>
#include <QScreen>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>

namespace loopscope::views {

namespace {

constexpr double kPointsPerInch = 72;
constexpr double kLongestPage = 14400; // points: what readers of PDF take
constexpr double kMostPixels = 32767;  // of one side: as far as the painter of images counts
constexpr double kMostMegapixels = 400;
constexpr double kLeastOnOnePage = 0.5; // of its size: smaller it cannot be read

// That texts were measured for. Fonts are in points: a device of another resolution would make them
// larger or smaller than the room that was left for them.
int dots_per_inch() { return qRound(QGuiApplication::primaryScreen()->logicalDotsPerInchY()); }

Result<QByteArray> to_svg(const Picture& picture) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setResolution(dots_per_inch());
    svg.setSize(picture.size);
    svg.setViewBox(QRect(QPoint(0, 0), picture.size));
    svg.setTitle(picture.title.toHtmlEscaped()); // Qt writes it as it is
    QPainter painter;
    if (!painter.begin(&svg))
        return error("the picture cannot be drawn as SVG");
    picture.paint(painter);
    painter.end();
    return bytes;
}

Result<QByteArray> to_pdf(const Picture& picture) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter pdf(&buffer);
    pdf.setTitle(picture.title);
    pdf.setResolution(dots_per_inch());
    pdf.setPageMargins(QMarginsF());
    const QSizeF points = QSizeF(picture.size) * kPointsPerInch / dots_per_inch();
    const double scale = std::min(1.0, kLongestPage / std::max(points.width(), points.height()));
    pdf.setPageSize(QPageSize(points * scale, QPageSize::Point, QString(), QPageSize::ExactMatch));
    QPainter painter;
    if (!painter.begin(&pdf))
        return error("the picture cannot be drawn as PDF");
    painter.scale(scale, scale);
    picture.paint(painter);
    painter.end();
    return bytes;
}

Result<QByteArray> to_png(const Picture& picture, double scale) {
    const double width = std::ceil(picture.size.width() * scale),
                 height = std::ceil(picture.size.height() * scale);
    if (!(scale > 0) || std::max(width, height) > kMostPixels ||
        width * height > kMostMegapixels * 1e6)
        return error("a PNG cannot have " + QString::number(width, 'f', 0).toStdString() + " × " +
                         QString::number(height, 'f', 0).toStdString() + " pixels",
                     "choose a smaller scale, or save it as .svg or .pdf");
    QImage image(static_cast<int>(width), static_cast<int>(height),
                 QImage::Format_ARGB32_Premultiplied);
    if (image.isNull())
        return error("there is no memory for so many pixels",
                     "choose a smaller scale, or save it as .svg or .pdf");
    image.setDevicePixelRatio(scale);
    image.fill(picture_theme().surface);
    QPainter painter(&image);
    picture.paint(painter);
    painter.end();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG"))
        return error("the picture cannot be drawn as PNG");
    return bytes;
}

// Where a page ends that begins at `top` and has room for `height`: no row is cut that would fit.
double end_of_page(const Picture& picture, double top, double height) {
    const double end = top + height;
    if (picture.row_height <= 0 || end >= picture.size.height())
        return end;
    const double rows = std::floor((end - picture.rows_from) / picture.row_height);
    const double whole = picture.rows_from + rows * picture.row_height;
    return whole > top ? whole : end;
}

} // namespace

Result<PictureForm> picture_layout(const QString& path) {
    const QString ending = path.section('.', -1).toLower();
    if (ending == "svg")
        return PictureForm::Svg;
    if (ending == "pdf")
        return PictureForm::Pdf;
    if (ending == "png")
        return PictureForm::Png;
    return error("a picture cannot be saved as ." + ending.toStdString(),
                 "choose a name that ends in .svg, .pdf or .png");
}

Result<QByteArray> picture_bytes(const Picture& picture, PictureForm form, double scale) {
    switch (form) {
    case PictureForm::Svg: return to_svg(picture);
    case PictureForm::Pdf: return to_pdf(picture);
    case PictureForm::Png: break;
    }
    return to_png(picture, scale);
}

Status save_picture(const Picture& picture, const QString& path, double scale) {
    const auto form = picture_layout(path);
    if (!form)
        return form.errors();
    const auto bytes = picture_bytes(picture, *form, scale);
    if (!bytes)
        return bytes.errors();
    return write_whole(
        path.toStdString(),
        {std::string_view(bytes->constData(), static_cast<std::size_t>(bytes->size()))});
}

Status print_picture(const Picture& picture, QPrinter& printer) {
    printer.setDocName(picture.title);
    printer.setResolution(dots_per_inch());
    QPainter painter;
    if (!painter.begin(&printer))
        return error("the printer takes nothing", "choose another one");
    const QSizeF page = printer.pageLayout().paintRectPixels(printer.resolution()).size();
    const QSizeF size = picture.size;
    const double wide = std::min(1.0, page.width() / size.width());
    const double whole = std::min(wide, page.height() / size.height());
    const double scale = whole >= kLeastOnOnePage * wide ? whole : wide;
    const double height = page.height() / scale; // of a page, in the picture's pixels
    for (double top = 0, end = 0; top < size.height(); top = end) {
        end = end_of_page(picture, top, height);
        if (top > 0 && !printer.newPage())
            return error("the printer stopped", "look after it, and print again");
        painter.save();
        painter.scale(scale, scale);
        painter.setClipRect(QRectF(0, 0, size.width(), end - top));
        painter.translate(0, -top);
        picture.paint(painter);
        painter.restore();
    }
    painter.end();
    return success();
}

} // namespace loopscope::views
#include "core/base/whole_file.h"
