#include "views/style/flat_style.h"

#include "views/style/theme.h"

#include <QPainter>
#include <QStyleOptionComboBox>
#include <QWidget>

namespace loopscope::views {

namespace {

// Those of a button in Theme::style_sheet.
constexpr int kBorder = 1, kAcross = 10, kUp = 4, kRadius = 6;
constexpr int kAroundText = 3; // that a tool button leaves above and below its text besides
constexpr int kArrow = 24;     // the width of its place

// One with a field to type into stays as Fusion has it: a frame around a frame would be drawn.
const QStyleOptionComboBox* choice(QStyle::ComplexControl control,
                                   const QStyleOptionComplex* option) {
    const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option);
    return control == QStyle::CC_ComboBox && combo && !combo->editable ? combo : nullptr;
}

} // namespace

void FlatStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                   QPainter* painter, const QWidget* widget) const {
    const auto* combo = choice(control, option);
    if (!combo || !widget) {
        QProxyStyle::drawComplexControl(control, option, painter, widget);
        return;
    }
    const Theme& t = theme_of(*widget);
    const bool enabled = combo->state & State_Enabled;
    const bool marked = enabled && (combo->state & (State_HasFocus | State_MouseOver));
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(marked ? t.accent : t.line);
    painter->setBrush(!enabled                         ? QColor(Qt::transparent)
                      : combo->state & State_On        ? t.selection
                      : combo->state & State_MouseOver ? t.hover
                                                       : t.raised);
    painter->drawRoundedRect(QRectF(combo->rect).adjusted(0.5, 0.5, -0.5, -0.5), kRadius, kRadius);
    const QRectF place = proxy()->subControlRect(control, combo, SC_ComboBoxArrow, widget);
    const QPointF middle = place.center();
    painter->setPen(
        QPen(enabled ? t.faint : t.disabled, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->drawPolyline(
        QPolygonF{middle + QPointF(-4, -2), middle + QPointF(0, 2), middle + QPointF(4, -2)});
    painter->restore();
}

// A choice that has no room says so, with both its ends, as of a file's name or an array's shape.
void FlatStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                            const QWidget* widget) const {
    const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option);
    if (element != CE_ComboBoxLabel || !combo || combo->editable) {
        QProxyStyle::drawControl(element, option, painter, widget);
        return;
    }
    QStyleOptionComboBox cut = *combo;
    constexpr int kBesideIcon = 4; // pixels that Fusion leaves
    const int icon = combo->currentIcon.isNull() ? 0 : combo->iconSize.width() + kBesideIcon;
    const int room =
        proxy()->subControlRect(CC_ComboBox, combo, SC_ComboBoxEditField, widget).width() - 2 -
        icon;
    constexpr int kBearings = 3; // a box is as wide as the ink of its text, which is less
    if (combo->fontMetrics.horizontalAdvance(combo->currentText) > room + kBearings)
        cut.currentText = combo->fontMetrics.elidedText(combo->currentText, Qt::ElideMiddle, room);
    QProxyStyle::drawControl(element, &cut, painter, widget);
}

QRect FlatStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option,
                                SubControl part, const QWidget* widget) const {
    if (choice(control, option)) {
        const QRect all = option->rect;
        QRect place = all;
        if (part == SC_ComboBoxArrow)
            place = all.adjusted(all.width() - kArrow, 0, -kBorder, 0);
        else if (part == SC_ComboBoxEditField) // the label keeps a pixel or so from its rim
            place = all.adjusted(kBorder + kAcross - 2, 0, -kArrow, 0);
        else
            return QProxyStyle::subControlRect(control, option, part, widget);
        return visualRect(option->direction, all, place);
    }
    return QProxyStyle::subControlRect(control, option, part, widget);
}

QSize FlatStyle::sizeFromContents(ContentsType type, const QStyleOption* option,
                                  const QSize& contents, const QWidget* widget) const {
    const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option);
    if (type != CT_ComboBox || !combo || combo->editable)
        return QProxyStyle::sizeFromContents(type, option, contents, widget);
    return {contents.width() + kBorder + kAcross + kArrow,
            option->fontMetrics.height() + kAroundText + 2 * (kUp + kBorder)};
}

int FlatStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                         QStyleHintReturn* more) const {
    return hint == SH_Menu_AllowActiveAndDisabled
               ? 1
               : QProxyStyle::styleHint(hint, option, widget, more);
}

} // namespace loopscope::views
