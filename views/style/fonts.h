#pragma once
// Fonts, all relative to the person's own: the system's UI font for text, a fixed-width one only
// for code.

#include <QFont>

class QApplication;

namespace loopscope::views {

QFont text_font(); // the application's font
QFont bold_font();
QFont small_font();      // legends, axis labels
QFont big_number_font(); // the one big number
QFont code_font();
// The application's font, and the size of code in points; 0: code is a little smaller than text.
// Under a style sheet widgets take them only when a theme is applied anew.
void set_fonts(QApplication& application, const QFont& text, double code_points);
// Text that would be smaller is left out.
constexpr double kLeastTextPixels = 9;
double least_legible_zoom(const QFont& font);
bool legible(const QFont& font, double zoom);
// `font` at `factor` times its size, whichever unit it is set in.
QFont scaled(QFont font, double factor);

} // namespace loopscope::views
