#pragma once
// Colours of the light and the dark theme. A colour has one meaning everywhere (tree tags,
// breakdown, plots, source). Widgets ask theme_of(*this) when they paint, so that setting the
// application's palette recolours all of them.

#include <QColor>
#include <QPalette>
#include <QString>

class QApplication;
class QEvent;
class QWidget;

namespace loopscope::views {

enum class ThemeKind { Light, Dark };

// What a colour says. The base colours can be told apart by colour-blind people (Okabe and Ito's
// palette).
enum class Meaning {
    Block,     // blocks, tensor-core work, compute bound
    Thread,    // threads
    Vector,    // vectors, stores; also "better"
    Unrolled,  // unrolled loops, register loads
    Pipelined, // pipelined loops, loads from memory, heat; also "worse"
    Parallel,  // parallel loops
    Serial,    // serial loops and everything without a colour of its own
};
constexpr int kMeaningCount = 7;

struct Theme {
    ThemeKind kind = ThemeKind::Light;
    QColor window;  // behind the panels
    QColor surface; // panels, trees, plots
    QColor raised;  // buttons, nodes, code in sentences
    QColor line;    // one-pixel lines
    QColor track;   // the empty part of a bar
    QColor text;
    QColor faint;       // secondary text, 4.5:1 on every background above
    QColor disabled;    // text of unavailable choices
    QColor accent;      // the one accent colour: main button, links, focus
    QColor accent_text; // on the accent
    QColor selection;   // background of the selected row
    QColor hover;
    QColor error; // text of errors

    // For areas: bars, dots, node outlines.
    QColor mark(Meaning meaning) const;
    // For text: the mark, darkened or lightened until its contrast on `surface`, `raised` and
    // `selection` is 4.5:1.
    QColor ink(Meaning meaning) const;
    QColor line_number() const; // beside code: dimmer than it, and readable all the same
    // `share` of the time, 0 to 1: the background of a graph node, between `surface` and the heat
    // colour.
    QColor heat(double share) const;

    QPalette palette() const;
    QString style_sheet() const; // minimal: lines, row heights, tabs, tooltips, buttons
};

const Theme& theme(ThemeKind kind);
// The theme that a widget's palette belongs to.
const Theme& theme_of(const QWidget& widget);
// The flat style, the theme's palette, its style sheet.
void apply_theme(QApplication& application, ThemeKind kind);
// That of the desktop's own colours; light where it says nothing. Asks Qt for them by taking the
// application's palette away for a moment.
ThemeKind system_theme(QApplication& application);
// Does the application wear it?
bool wears(ThemeKind kind);
// True for events after which a widget must take its colours anew (call it in changeEvent).
bool is_theme_change(const QEvent& event);

// The colour of a label's text. By style sheet: under an application's style sheet a palette of
// one's own does not hold.
void set_text_colour(QWidget& widget, const QColor& colour);

// WCAG 2.1's contrast ratio, 1 to 21.
double contrast_ratio(const QColor& a, const QColor& b);
// `colour` moved towards black or white, as little as possible, until its contrast on `background`
// is `ratio`.
QColor readable_on(const QColor& colour, const QColor& background, double ratio = 4.5);
// `amount` of b over a, 0 to 1.
QColor mix(const QColor& a, const QColor& b, double amount);

// Sizes in device-independent pixels.
constexpr int kGap = 8;
constexpr int kRowHeight = 26;

} // namespace loopscope::views
