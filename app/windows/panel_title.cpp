#include "app/windows/panel_title.h"

#include "views/style/fonts.h"
#include "views/style/theme.h"

#include <QDockWidget>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

namespace loopscope::app {

using namespace views;

PanelTitle::PanelTitle(QDockWidget* dock) : QWidget(dock) {
    auto* across = new QHBoxLayout(this);
    across->setContentsMargins(12, 3, 4, 2);
    auto* name = new QLabel(dock->windowTitle(), this);
    name->setFont(bold_font());
    connect(dock, &QDockWidget::windowTitleChanged, name, &QLabel::setText);
    auto* close = new QToolButton(this);
    close->setText(QStringLiteral("✕"));
    close->setObjectName(QStringLiteral("closePanel"));
    close->setAccessibleName(tr("Close the panel %1").arg(dock->windowTitle()));
    close->setToolTip(tr("Closes the panel; the View menu brings it back"));
    close->setFocusPolicy(Qt::TabFocus);
    connect(close, &QToolButton::clicked, dock, &QDockWidget::close);
    across->addWidget(name, 1);
    across->addWidget(close);
}

void PanelTitle::paintEvent(QPaintEvent*) {
    const auto& t = theme_of(*this);
    QPainter painter(this);
    painter.fillRect(rect(), t.surface);
    painter.setPen(t.line);
    painter.drawLine(rect().topLeft(), rect().topRight());
    painter.drawLine(rect().topLeft(), rect().bottomLeft());
    painter.drawLine(rect().topRight(), rect().bottomRight());
}

} // namespace loopscope::app
