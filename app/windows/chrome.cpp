#include "app/windows/chrome.h"

#include "views/style/theme.h"

#include <QAction>
#include <QApplication>
#include <QMainWindow>
#include <QToolBar>

namespace loopscope::app {

namespace {

QString chrome_style(const views::Theme& theme) {
    QString sheet = QStringLiteral(R"(
QMainWindow { background: @window; }
QMainWindow::separator { background: transparent; width: 8px; height: 8px; }
QMenuBar { background: @surface; color: @text; }
QMenuBar::item { padding: 4px 9px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected { background: @hover; }
QToolBar { background: @surface; border: none; border-bottom: 1px solid @line; padding: 4px 8px; spacing: 8px; }
QToolBar QLabel { background: transparent; }
QToolButton#primary { background: @accent; color: @accent_text; border-color: @accent; font-weight: 600; }
QToolButton#primary:hover, QToolButton#primary:focus { border-color: @text; }
QToolButton#primary:disabled { background: transparent; color: @disabled; border-color: @line; }
QStatusBar { background: @surface; border-top: 1px solid @line; color: @faint; }
QStatusBar::item { border: none; }
QStatusBar QLabel { background: transparent; color: @faint; padding: 0 8px; }
#closePanel { border: none; background: transparent; color: @faint; padding: 2px 6px; }
#closePanel:hover, #closePanel:focus { background: @hover; color: @text; }
#panel { background: @surface; border: 1px solid @line; }
#title { background: @surface; border-bottom: 1px solid @line; }
#title QLabel { background: transparent; padding: 5px 0; }
#title QLabel#hint { color: @faint; }
QToolBar[margin="true"] { background: @window; border: none; padding: 0; spacing: 0; }
QMainWindow > QTabBar { background: @window; }
QMainWindow > QTabBar QToolButton { background: @window; border: none; border-radius: 0; padding: 0; }
QMainWindow > QTabBar QToolButton:hover { background: @hover; }
QTreeWidget, #history QTreeView { selection-background-color: @selection; selection-color: @text; }
QTreeWidget::item { height: 26px; }
QTreeWidget::item, #history QTreeView::item { border: none; }
QTreeWidget::item:selected, #history QTreeView::item:selected { background: @selection; color: @text; }
QTreeWidget::item:hover:!selected, #history QTreeView::item:hover:!selected { background: @hover; }
QComboBox QAbstractItemView { background: @surface; color: @text; border: 1px solid @line; selection-background-color: @selection; selection-color: @text; }
#choices { background: @surface; border: 1px solid @line; padding: 3px; }
#choices::item { border: none; border-radius: 4px; padding: 0 8px; }
#choices::item:selected { background: @selection; color: @text; }
#choices::item:hover:!selected { background: @hover; }
QProgressBar { background: @track; border: none; border-radius: 3px; max-height: 6px; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
)");
    const std::pair<const char*, QColor> names[] = {
        {"@window", theme.window},
        {"@surface", theme.surface},
        {"@raised", theme.raised},
        {"@line", theme.line},
        {"@track", theme.track},
        {"@text", theme.text},
        {"@faint", theme.faint},
        {"@disabled", theme.disabled},
        {"@accent_text", theme.accent_text},
        {"@accent", theme.accent},
        {"@selection", theme.selection},
        {"@hover", theme.hover},
    };
    for (const auto& [name, colour] :
         names) // @accent_text before @accent: a name may begin another
        sheet.replace(QLatin1String(name), colour.name());
    return sheet;
}

} // namespace

bool restyle(QMainWindow& window) {
    const auto sheet = chrome_style(views::theme_of(window));
    if (window.styleSheet() == sheet) // setting one sends the event that brought us here
        return false;
    window.setStyleSheet(sheet);
    take_spacing(window);
    return true;
}

void take_spacing(QMainWindow& window) {
    QList<QWidget*> all{&window};
    for (auto* bar : window.findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly))
        all << bar;
    for (auto* each : all) {
        QEvent event(QEvent::StyleChange);
        QApplication::sendEvent(each, &event);
    }
}

void add_margins(QMainWindow& window) {
    for (auto side :
         {Qt::TopToolBarArea, Qt::LeftToolBarArea, Qt::RightToolBarArea, Qt::BottomToolBarArea}) {
        auto* bar = new QToolBar(&window);
        bar->setObjectName(QStringLiteral("margin-%1").arg(side));
        bar->setProperty("margin", true);
        bar->setMovable(false);
        bar->setContextMenuPolicy(Qt::PreventContextMenu);
        bar->toggleViewAction()->setVisible(false);
        if (side == Qt::TopToolBarArea || side == Qt::BottomToolBarArea)
            bar->setFixedHeight(views::kGap);
        else
            bar->setFixedWidth(views::kGap);
        if (side == Qt::TopToolBarArea)
            window.addToolBarBreak(side);
        window.addToolBar(side, bar);
    }
}

} // namespace loopscope::app
