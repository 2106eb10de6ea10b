#include "views/style/theme.h"

#include "views/style/flat_style.h"

#include <QApplication>
#include <QEvent>
#include <QFont>
#include <QWidget>

#include <array>
#include <cmath>

namespace loopscope::views {

namespace {

const std::array<QColor, kMeaningCount>& base_colours() {
    static const std::array<QColor, kMeaningCount> colours{
        QColor("#0072B2"), QColor("#56B4E9"), QColor("#009E73"), QColor("#E69F00"),
        QColor("#D55E00"), QColor("#CC79A7"), QColor("#8A94A3"),
    };
    return colours;
}

// Of a colour as it is drawn, 8 bits a channel: asked for at each text that is painted.
double luminance(const QColor& colour) {
    static const auto linear = [] {
        std::array<double, 256> out{};
        for (std::size_t i = 0; i < out.size(); ++i) {
            const double c = static_cast<double>(i) / 255;
            out[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
        }
        return out;
    }();
    const QRgb drawn = colour.rgb();
    const auto of = [](int channel) { return linear[static_cast<std::size_t>(channel)]; };
    return 0.2126 * of(qRed(drawn)) + 0.7152 * of(qGreen(drawn)) + 0.0722 * of(qBlue(drawn));
}

Theme light_theme() {
    Theme t;
    t.kind = ThemeKind::Light;
    t.window = QColor("#F4F6F9");
    t.surface = QColor("#FFFFFF");
    t.raised = QColor("#F4F6F9");
    t.line = QColor("#D6DBE3");
    t.track = QColor("#DDE1E7");
    t.text = QColor("#1A1E26");
    t.faint = QColor("#596273");
    t.disabled = QColor("#8C95A3");
    t.accent = QColor("#0072B2");
    t.accent_text = QColor("#FFFFFF");
    t.selection = QColor("#E1EEF8");
    t.hover = QColor("#EEF3F8");
    return t;
}

Theme dark_theme() {
    Theme t;
    t.kind = ThemeKind::Dark;
    t.window = QColor("#1A1D22");
    t.surface = QColor("#22262D");
    t.raised = QColor("#2B3038");
    t.line = QColor("#3A414C");
    t.track = QColor("#3A414C");
    t.text = QColor("#E6E9EE");
    t.faint = QColor("#A9B1BD");
    t.disabled = QColor("#7C8592");
    t.accent = QColor("#56B4E9");
    t.accent_text = QColor("#0E1318");
    t.selection = QColor("#2C3E57");
    t.hover = QColor("#2A313B");
    return t;
}

QColor readable_on_all(QColor colour, const Theme& t) {
    for (const QColor& background : {t.surface, t.raised, t.hover, t.selection})
        colour = readable_on(colour, background);
    return colour;
}

} // namespace

void set_text_colour(QWidget& widget, const QColor& colour) {
    const QString sheet = QStringLiteral("color: ") + colour.name();
    if (widget.styleSheet() != sheet)
        widget.setStyleSheet(sheet);
}

double contrast_ratio(const QColor& a, const QColor& b) {
    const double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor mix(const QColor& a, const QColor& b, double amount) {
    auto channel = [amount](double x, double y) { return x + (y - x) * amount; };
    return QColor::fromRgbF(channel(a.redF(), b.redF()), channel(a.greenF(), b.greenF()),
                            channel(a.blueF(), b.blueF()));
}

QColor readable_on(const QColor& colour, const QColor& background, double ratio) {
    if (contrast_ratio(colour, background) >= ratio)
        return colour;
    const QColor goal = luminance(background) > 0.18 ? QColor(Qt::black) : QColor(Qt::white);
    for (int step = 1; step <= 100; ++step) {
        // as it is drawn: 8 bits a channel
        const QColor moved = QColor(mix(colour, goal, step / 100.0).rgb());
        if (contrast_ratio(moved, background) >= ratio)
            return moved;
    }
    return goal;
}

QColor Theme::mark(Meaning meaning) const {
    const QColor base = base_colours()[static_cast<int>(meaning)];
    return kind == ThemeKind::Dark ? readable_on(base, surface, 3.0) : base;
}

QColor Theme::ink(Meaning meaning) const {
    return readable_on_all(base_colours()[static_cast<int>(meaning)], *this);
}

QColor Theme::line_number() const { return readable_on_all(disabled, *this); }

QColor Theme::heat(double share) const {
    if (!(share > 0))
        return surface;
    return mix(surface, base_colours()[static_cast<int>(Meaning::Pipelined)],
               0.06 + 0.5 * std::min(share, 1.0));
}

QPalette Theme::palette() const {
    QPalette p;
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, surface);
    p.setColor(QPalette::AlternateBase, raised);
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::PlaceholderText, faint);
    p.setColor(QPalette::Button, raised);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, accent_text);
    p.setColor(QPalette::Highlight, accent);
    p.setColor(QPalette::HighlightedText, accent_text);
    p.setColor(QPalette::Link, accent);
    p.setColor(QPalette::LinkVisited, accent);
    p.setColor(QPalette::ToolTipBase, raised);
    p.setColor(QPalette::ToolTipText, text);
    p.setColor(QPalette::Light, mix(raised, surface, 0.5));
    p.setColor(QPalette::Midlight, raised);
    p.setColor(QPalette::Mid, line);
    p.setColor(QPalette::Dark, mix(line, text, 0.2));
    p.setColor(QPalette::Shadow, mix(line, text, 0.4));
    for (QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, disabled);
    p.setColor(QPalette::Disabled, QPalette::Highlight, line);
    return p;
}

// A line edit has its colours of the palette: a sheet's would be half as strong in a placeholder.
QString Theme::style_sheet() const {
    QString sheet = QStringLiteral(R"(
QToolTip { background: @raised; color: @text; border: 1px solid @line; padding: 4px 6px; }
QMenu { background: @surface; border: 1px solid @line; padding: 4px; }
QMenu::item { padding: 4px 28px 4px 12px; border-radius: 4px; }
QMenu::item:selected { background: @selection; color: @text; }
QMenu::item:disabled { color: @disabled; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }
QPushButton, QToolButton { background: @raised; color: @text; border: 1px solid @line; border-radius: 6px; padding: 4px 10px; }
QPushButton:hover, QToolButton:hover { background: @hover; border-color: @accent; }
QPushButton:pressed, QToolButton:pressed { background: @selection; }
QPushButton:checked { background: @selection; border-color: @accent; }
QPushButton:disabled, QToolButton:disabled { color: @disabled; border-color: @line; background: transparent; }
QPushButton:focus, QToolButton:focus { border-color: @accent; }
QPushButton[primary="true"] { background: @accent; color: @accent_text; border-color: @accent; font-weight: 600; }
QPushButton[primary="true"]:focus { border-color: @text; }
QPushButton[quiet="true"], QToolButton[quiet="true"] { background: transparent; border-color: transparent; color: @accent; }
QPushButton[quiet="true"]:hover, QToolButton[quiet="true"]:hover { border-color: @line; }
QPushButton[quiet="true"]:focus, QToolButton[quiet="true"]:focus { border-color: @accent; }
QPushButton[quiet="true"]:disabled, QToolButton[quiet="true"]:disabled { color: @disabled; }
QPushButton[link="true"] { background: transparent; border: none; border-bottom: 1px solid transparent; border-radius: 0; color: @accent; padding: 2px 0; }
QPushButton[link="true"]:hover, QPushButton[link="true"]:focus { border-bottom-color: @accent; }
QToolButton::menu-indicator { image: none; }
QFileDialog QToolButton { padding: 1px; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QLineEdit { background: @surface; border: 1px solid @line; border-radius: 6px; padding: 3px 8px; selection-background-color: @accent; }
QLineEdit:focus { border-color: @accent; }
QTreeView, QTableView, QListView { background: @surface; border: none; outline: none; }
QHeaderView::section { background: @surface; color: @faint; border: none; border-bottom: 1px solid @line; padding: 4px 8px; }
QTabBar { background: transparent; }
QTabBar::tab { background: transparent; color: @faint; padding: 6px 8px; border: none; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @text; border-bottom-color: @accent; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:focus { color: @text; border-bottom-color: @accent; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: @line; border-radius: 4px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: @disabled; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QSplitter::handle:horizontal { background: @surface; border-left: 1px solid @line; }
)");
    const std::pair<const char*, QColor> names[] = {
        {"@surface", surface},
        {"@raised", raised},
        {"@line", line},
        {"@text", text},
        {"@faint", faint},
        {"@disabled", disabled},
        {"@accent_text", accent_text},
        {"@accent", accent},
        {"@selection", selection},
        {"@hover", hover},
    };
    for (const auto& [name, colour] :
         names) // @accent_text before @accent: a name may begin another
        sheet.replace(QLatin1String(name), colour.name());
    return sheet;
}

const Theme& theme(ThemeKind kind) {
    auto with_error = [](Theme t) {
        t.error = readable_on_all(QColor(t.kind == ThemeKind::Dark ? "#FF7B72" : "#B3261E"), t);
        return t;
    };
    static const Theme light = with_error(light_theme());
    static const Theme dark = with_error(dark_theme());
    return kind == ThemeKind::Light ? light : dark;
}

const Theme& theme_of(const QWidget& widget) {
    // Text is light on dark and dark on light; backgrounds may be transparent or set by the style
    // sheet.
    return theme(luminance(widget.palette().color(QPalette::ButtonText)) > 0.18 ? ThemeKind::Dark
                                                                                : ThemeKind::Light);
}

void apply_theme(QApplication& application, ThemeKind kind) {
    application.setStyle(new FlatStyle);
    application.setPalette(theme(kind).palette());
    application.setStyleSheet(theme(kind).style_sheet());
}

ThemeKind system_theme(QApplication& application) {
    const QPalette ours = QApplication::palette();
    application.setPalette(QPalette());
    const QColor text = QApplication::palette().color(QPalette::WindowText);
    application.setPalette(ours);
    return luminance(text) > 0.18 ? ThemeKind::Dark : ThemeKind::Light;
}

bool wears(ThemeKind kind) {
    return QApplication::palette().color(QPalette::WindowText) == theme(kind).text;
}

bool is_theme_change(const QEvent& event) {
    return event.type() == QEvent::PaletteChange || event.type() == QEvent::StyleChange ||
           event.type() == QEvent::FontChange;
}

} // namespace loopscope::views
