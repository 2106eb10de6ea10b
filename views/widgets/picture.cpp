#include "views/widgets/picture.h"

#include "views/style/fonts.h"
#include "views/style/text_metrics.h"

#include <QMenu>
#include <QPainter>

#include <cmath>

namespace loopscope::views {

namespace {
constexpr int kTitleMargin = 12; // pixels around the title line
}

const Theme& picture_theme() { return theme(ThemeKind::Light); }

Picture with_title_line(Picture picture, const QString& line) {
    const TextMetrics metrics(text_font());
    const int above = static_cast<int>(std::ceil(metrics.height())) + 2 * kTitleMargin;
    const int wide = static_cast<int>(std::ceil(metrics.width(line))) + 2 * kTitleMargin;
    const QSize size(std::max(picture.size.width(), wide), picture.size.height() + above);
    auto paint = [inner = std::move(picture.paint), line, size, above](QPainter& painter) {
        const Theme& t = picture_theme();
        painter.fillRect(QRect(QPoint(0, 0), size), t.surface);
        painter.setFont(text_font());
        painter.setPen(t.text);
        painter.drawText(QRectF(kTitleMargin, 0, size.width() - kTitleMargin, above),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, line);
        painter.save();
        painter.translate(0, above);
        inner(painter);
        painter.restore();
    };
    return {picture.name,     picture.title,      size,
            std::move(paint), picture.row_height, picture.rows_from + above};
}

void Pictured::add_picture_entries(QMenu& menu) const {
    if (!asked_)
        return;
    if (!menu.isEmpty())
        menu.addSeparator();
    for (const auto& [text, use] : {std::pair{QObject::tr("Save picture…"), PictureUse::Save},
                                    std::pair{QObject::tr("Print…"), PictureUse::Print}})
        QObject::connect(menu.addAction(text), &QAction::triggered, &menu,
                         [asked = asked_, use = use] { asked(use); });
}

} // namespace loopscope::views
