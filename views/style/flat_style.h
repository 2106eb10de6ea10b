#pragma once
// Fusion with combo boxes that look like the buttons beside them: as tall, flat, with a plain
// arrow. A style sheet can only draw an arrow from a file of one colour. And with menus whose grey
// entries the keyboard reaches, as they say why they are grey.

#include <QProxyStyle>

namespace loopscope::views {

class FlatStyle : public QProxyStyle {
public:
    FlatStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                            QPainter* painter, const QWidget* widget) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                         const QWidget* widget) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                           const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* more) const override;
};

} // namespace loopscope::views
