#include "app/windows/panel_tabs.h"

#include "views/style/fonts.h"
#include "views/style/kept_font.h"

#include <QAction>
#include <QDockWidget>
#include <QEvent>
#include <QFontMetrics>
#include <QMainWindow>
#include <QTabBar>

#include <algorithm>

namespace loopscope::app {

namespace {

constexpr auto kName = "panelName", kShortName = "panelShortName", kDetail = "panelDetail",
               kIsShort = "panelNameIsShort";

QString shown_name(const QDockWidget& dock, bool shortly) {
    const auto name = dock.property(shortly ? kShortName : kName).toString();
    const auto detail = dock.property(kDetail).toString();
    return detail.isEmpty() ? name : name + ' ' + detail;
}

// The title is what a tab shows; the View menu would follow it.
void show_name(QDockWidget& dock, bool shortly) {
    dock.setProperty(kIsShort, shortly);
    const auto title = shown_name(dock, shortly);
    if (dock.windowTitle() == title)
        return;
    dock.setWindowTitle(title);
    dock.toggleViewAction()->setText(panel_name(dock));
}

// As a tab bar asks for it: measured otherwise, names that just fit would come and go.
int width_on_tab(const QFontMetrics& metrics, const QString& text) {
    return metrics.size(Qt::TextShowMnemonic, text).width();
}

} // namespace

void name_panel(QDockWidget& dock, const QString& name, const QString& short_name) {
    dock.setProperty(kName, name);
    dock.setProperty(kShortName, short_name);
    show_name(dock, false);
}

QString panel_name(const QDockWidget& dock) { return dock.property(kName).toString(); }

bool set_panel_detail(QDockWidget& dock, const QString& detail) {
    if (dock.property(kDetail).toString() == detail)
        return false;
    dock.setProperty(kDetail, detail);
    show_name(dock, dock.property(kIsShort).toBool());
    return true;
}

void PanelTabs::name_tabs() {
    for (auto* dock : docks_) {
        const auto others = window_.tabifiedDockWidgets(dock);
        const bool alone =
            dock->isFloating() ||
            std::all_of(others.begin(), others.end(), [](QDockWidget* d) { return d->isHidden(); });
        if (alone)
            show_name(*dock, false);
    }
    for (auto* tabs : window_.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        tabs->setAccessibleName(tr("Panels at this place"));
        tabs->setDrawBase(false); // the panel's frame is the line
        tabs->setElideMode(Qt::ElideNone);
        tabs->setUsesScrollButtons(true);
        tabs->installEventFilter(this); // once, however often it is asked for
        name_tabs_of(*tabs);
    }
}

void PanelTabs::name_tabs_of(QTabBar& tabs) {
    std::vector<std::pair<int, QDockWidget*>> shown;
    int around = 0; // the texts of all: what stands there is the style's, and the same for each
    for (int i = 0; i < tabs.count(); ++i)
        for (auto* dock : docks_)
            if (tabs.isTabVisible(i) && dock->windowTitle() == tabs.tabText(i)) {
                shown.emplace_back(i, dock);
                around +=
                    tabs.tabRect(i).width() - width_on_tab(tabs.fontMetrics(), tabs.tabText(i));
            }
    const auto fits = [&](const QFont& font, bool shortly) {
        const QFontMetrics metrics(font);
        int needed = around;
        for (const auto& [i, dock] : shown)
            needed += width_on_tab(metrics, shown_name(*dock, shortly));
        return needed <= tabs.width();
    };
    const bool large = fits(views::text_font(), false);
    const bool whole = large || fits(views::small_font(), false);
    views::keep_font(tabs, large ? views::text_font : views::small_font);
    for (auto [i, dock] : shown) {
        show_name(*dock, !whole);
        tabs.setTabToolTip(i, panel_name(*dock));
    }
}

bool PanelTabs::eventFilter(QObject* tabs, QEvent* event) {
    if (event->type() == QEvent::Resize)
        emit roomChanged();
    return QObject::eventFilter(tabs, event);
}

} // namespace loopscope::app
