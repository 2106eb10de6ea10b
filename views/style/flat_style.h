#pragma once
// Fusion with combo boxes that look like the buttons beside them: as tall, flat, with a plain
// arrow. A style sheet can only draw an arrow from a file of one colour.

#include <QProxyStyle>

namespace loopscope::views {

class FlatStyle : public QProxyStyle {
public:
    FlatStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                            QPainter* painter, const QWidget* widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                         const QWidget* widget) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                           const QWidget* widget) const override;
};

} // namespace loopscope::views
