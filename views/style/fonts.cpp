#include "views/style/fonts.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontInfo>
#include <QVariant>

namespace loopscope::views {

namespace {

// The application keeps it for all; what it keeps as fonts of classes goes with each new font.
constexpr const char* kCode = "loopscope_code_font";

QFont fixed_font() {
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setStyleHint(QFont::Monospace);
    return font;
}

} // namespace

void set_fonts(QApplication& application, const QFont& text, double code_points) {
    application.setFont(text);
    if (code_points <= 0) {
        application.setProperty(kCode, QVariant());
        return;
    }
    QFont code = fixed_font();
    code.setPointSizeF(code_points);
    application.setProperty(kCode, code);
}

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
    if (const auto set = qApp->property(kCode); set.isValid())
        return set.value<QFont>();
    QFont font = fixed_font();
    const QFont text = text_font();
    if (text.pointSizeF() > 0)
        font.setPointSizeF(text.pointSizeF() * 0.95);
    else
        font.setPixelSize(text.pixelSize());
    return font;
}

} // namespace loopscope::views
