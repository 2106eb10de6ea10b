#include "app/windows/panel_sizes.h"

#include <QDockWidget>
#include <QLayout>
#include <QMainWindow>
#include <QTabBar>

namespace loopscope::app {

namespace {

QList<QDockWidget*> docks_of(const QMainWindow& window) {
    return window.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly);
}

// Has the panel a place in the window? One behind another in a group of tabs is kept out of sight,
// beyond the window's rim.
bool is_in_front(const QDockWidget& dock) {
    return dock.isVisible() && !dock.isFloating() && dock.geometry().right() >= 0 &&
           dock.geometry().bottom() >= 0;
}

// With the tabs of its group, which share its place.
QRect place_of(const QMainWindow& window, const QDockWidget& dock) {
    QRect place = dock.geometry();
    for (const auto* tabs : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        const QRect above = tabs->geometry();
        if (tabs->isVisible() && std::abs(above.bottom() + 1 - place.top()) <= 2 &&
            above.left() <= place.right() && above.right() >= place.left())
            place.setTop(above.top());
    }
    return place;
}

} // namespace

void PanelSizes::forget() {
    shares_.clear();
    last_.clear();
    arrangement_.clear();
}

QSize PanelSizes::room() const {
    QRect all = window_.centralWidget()->geometry();
    for (const auto* dock : docks_of(window_))
        if (is_in_front(*dock))
            all |= place_of(window_, *dock);
    return all.size();
}

QMap<QString, QSize> PanelSizes::laid_out() const {
    QMap<QString, QSize> sizes;
    for (auto* dock : docks_of(window_)) {
        if (!is_in_front(*dock))
            continue;
        const QSize size = place_of(window_, *dock).size();
        sizes[dock->objectName()] = size;
        for (const auto* behind : window_.tabifiedDockWidgets(dock))
            sizes[behind->objectName()] = size;
    }
    return sizes;
}

QString PanelSizes::arrangement() const {
    QString text;
    for (auto* dock : docks_of(window_)) {
        if (dock->isHidden() || dock->isFloating())
            continue;
        QStringList group{dock->objectName()};
        for (const auto* other : window_.tabifiedDockWidgets(dock))
            group << other->objectName();
        group.sort();
        text += QString::number(window_.dockWidgetArea(dock)) + group.join(',') + ';';
    }
    return text;
}

void PanelSizes::take() {
    // nothing has a place yet
    if (!window_.isVisible())
        return;
    window_.layout()->activate();
    const auto now = laid_out();
    const QSizeF room = this->room();
    for (auto at = now.begin(); at != now.end(); ++at) {
        const QSize before = last_.value(at.key());
        QSizeF& share = shares_[at.key()];
        if (at->width() != before.width() || share.isEmpty())
            share.setWidth(at->width() / room.width());
        if (at->height() != before.height() || share.isEmpty())
            share.setHeight(at->height() / room.height());
    }
    last_ = now;
    arrangement_ = arrangement();
}

void PanelSizes::take_if_rearranged() {
    if (arrangement() != arrangement_)
        take();
}

void PanelSizes::give() {
    window_.layout()->activate();
    QList<QDockWidget*> docks;
    QList<int> widths, heights;
    const QSizeF room = this->room();
    for (auto* dock : docks_of(window_)) {
        const auto share = shares_.find(dock->objectName());
        if (share == shares_.end() || !is_in_front(*dock))
            continue;
        docks << dock;
        widths << qRound(share->width() * room.width());
        heights << qRound(share->height() * room.height());
    }
    window_.resizeDocks(docks, widths, Qt::Horizontal);
    window_.resizeDocks(docks, heights, Qt::Vertical);
    window_.layout()->activate();
    last_ = laid_out();
    arrangement_ = arrangement();
}

QVariant PanelSizes::kept() const {
    QVariantMap map;
    for (auto at = shares_.begin(); at != shares_.end(); ++at)
        map[at.key()] = *at;
    return map;
}

void PanelSizes::restore(const QVariant& kept) {
    forget();
    const auto map = kept.toMap();
    for (auto at = map.begin(); at != map.end(); ++at)
        if (const auto share = at->toSizeF(); share.isValid() && !share.isEmpty())
            shares_[at.key()] = share;
}

} // namespace loopscope::app
