#include "app/windows/looks.h"

#include "app/windows/preferences.h"
#include "views/style/fonts.h"

#include <QApplication>
#include <QEvent>
#include <QPointer>
#include <QWidget>

namespace loopscope::app {

using views::ThemeKind;

namespace {

constexpr double kTeachingType = 1.3; // times the person's own

} // namespace

Looks::Looks(const Preferences& preferences)
    : preferences_(preferences), system_font_(QApplication::font()), text_(system_font_) {
    connect(&preferences_, &Preferences::changed, this, &Looks::take_preferences);
}

Looks::~Looks() {
    if (text_ != system_font_ || code_points_ > 0)
        views::set_fonts(*qApp, system_font_, 0);
    views::set_units({});
}

void Looks::begin() {
    take_type();
    take_units();
}

void Looks::take_preferences() {
    wear_theme();
    take_type();
    take_units();
}

void Looks::set_large_type(bool large) {
    large_ = large;
    take_type();
}

void Looks::take_type() {
    const auto& now = preferences_.now();
    const double factor = large_ ? kTeachingType : 1;
    QFont text = system_font_;
    if (now.text_points > 0)
        text.setPointSize(now.text_points);
    if (large_)
        text = views::scaled(text, factor);
    const double code_points = now.code_points * factor;
    const bool other_code = code_points != code_points_;
    if (text == text_ && !other_code)
        return;
    text_ = text;
    code_points_ = code_points;
    views::set_fonts(*qApp, text_, code_points_);
    // Under a style sheet widgets take another font only when they are polished anew.
    views::apply_theme(*qApp, views::wears(ThemeKind::Dark) ? ThemeKind::Dark : ThemeKind::Light);
    if (other_code)
        tell_of_code();
}

// Of a font that is no widget's own Qt tells nobody.
void Looks::tell_of_code() {
    QList<QPointer<QWidget>> widgets; // some make their parts anew
    for (auto* widget : QApplication::allWidgets())
        widgets << widget;
    for (const auto& widget : widgets) {
        QEvent changed(QEvent::FontChange);
        if (widget)
            QApplication::sendEvent(widget, &changed);
    }
}

void Looks::take_units() {
    if (views::units() == preferences_.now().units)
        return;
    views::set_units(preferences_.now().units);
    emit unitsChanged();
}

void Looks::wear_theme() {
    if (const auto kind = preferences_.theme(); !views::wears(kind))
        views::apply_theme(*qApp, kind);
}

void Looks::system_changed() {
    if (preferences_.now().theme == ThemeChoice::System)
        wear_theme();
}

} // namespace loopscope::app
