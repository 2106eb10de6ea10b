#include "app/windows/panel_title.h"

#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/style/theme.h"

#include <QDockWidget>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

namespace loopscope::app {

using namespace views;

namespace {
constexpr int kMargin = 16; // as what stands below it has
}

PanelTitle::PanelTitle(QDockWidget* dock) : QWidget(dock) {
    auto* across = new QHBoxLayout(this);
    across->setContentsMargins(kMargin, 3, 4, 2);
    auto* name = new QLabel(dock->windowTitle(), this);
    keep_font(*name, bold_font);
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
    // Filled, not drawn: on a fine screen a drawn line is thinner than the frames below, and stands
    // beside them.
    painter.fillRect(0, 0, width(), 1, t.line);
    painter.fillRect(0, 0, 1, height(), t.line);
    painter.fillRect(width() - 1, 0, 1, height(), t.line);
}

} // namespace loopscope::app
