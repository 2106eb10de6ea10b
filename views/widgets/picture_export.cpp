#include "views/widgets/picture_export.h"

#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

namespace loopscope::views {

namespace {

constexpr int kScale = 2;            // of PNG pictures: readable when enlarged
constexpr int kPointsPerInch = 72;   // of PDF
constexpr qreal kPixelsPerInch = 96; // that the picture is laid out for

bool to_png(const QString& path, const QSize& size, const std::function<void(QPainter&)>& paint) {
    QImage image(size * kScale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(kScale);
    image.fill(Qt::white);
    QPainter painter(&image);
    paint(painter);
    painter.end();
    return image.save(path, "PNG");
}

bool to_svg(const QString& path, const QSize& size, const QString& title,
            const std::function<void(QPainter&)>& paint) {
    QSvgGenerator svg;
    svg.setFileName(path);
    svg.setSize(size);
    svg.setViewBox(QRect(QPoint(0, 0), size));
    svg.setTitle(title);
    QPainter painter;
    if (!painter.begin(&svg))
        return false;
    paint(painter);
    return painter.end();
}

bool to_pdf(const QString& path, const QSize& size, const QString& title,
            const std::function<void(QPainter&)>& paint) {
    QPdfWriter pdf(path);
    pdf.setTitle(title);
    pdf.setPageMargins(QMarginsF());
    pdf.setPageSize(QPageSize(QSizeF(size) * kPointsPerInch / kPixelsPerInch, QPageSize::Point));
    QPainter painter;
    if (!painter.begin(&pdf))
        return false;
    painter.scale(pdf.logicalDpiX() / kPixelsPerInch, pdf.logicalDpiY() / kPixelsPerInch);
    paint(painter);
    return painter.end();
}

} // namespace

Status export_picture(const QString& path, const QSize& size, const QString& title,
                      const std::function<void(QPainter&)>& paint) {
    const QString ending = path.section('.', -1).toLower();
    bool done = false;
    if (ending == "png")
        done = to_png(path, size, paint);
    else if (ending == "svg")
        done = to_svg(path, size, title, paint);
    else if (ending == "pdf")
        done = to_pdf(path, size, title, paint);
    else
        return error("a picture cannot be saved as ." + ending.toStdString(),
                     "choose a name that ends in .png, .svg or .pdf");
    if (!done)
        return error("cannot write " + path.toStdString(), "choose another folder");
    return success();
}

} // namespace loopscope::views
