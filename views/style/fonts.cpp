#include "views/style/fonts.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontInfo>

namespace loopscope::views {

QFont scaled(QFont font, double factor) {
    if (font.pointSizeF() > 0)
        font.setPointSizeF(font.pointSizeF() * factor);
    else
        font.setPixelSize(qMax(1, qRound(font.pixelSize() * factor)));
    return font;
}

double least_legible_zoom(const QFont& font) {
    return kLeastTextPixels / QFontInfo(font).pixelSize();
}

bool legible(const QFont& font, double zoom) { return zoom >= least_legible_zoom(font); }

QFont text_font() { return QApplication::font(); }

QFont bold_font() {
    QFont font = text_font();
    font.setWeight(QFont::DemiBold);
    return font;
}

QFont small_font() { return scaled(text_font(), 0.86); }

QFont big_number_font() {
    QFont font = scaled(text_font(), 2.3);
    font.setWeight(QFont::Bold);
    return font;
}

QFont code_font() {
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    const QFont text = text_font();
    if (text.pointSizeF() > 0)
        font.setPointSizeF(text.pointSizeF() * 0.95);
    else
        font.setPixelSize(text.pixelSize());
    font.setStyleHint(QFont::Monospace);
    return font;
}

} // namespace loopscope::views
