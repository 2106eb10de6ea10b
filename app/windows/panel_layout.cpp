#include "app/windows/panel_layout.h"

#include "app/windows/panel_docks.h"

#include <QDockWidget>
#include <QMainWindow>
#include <QScreen>
#include <QTimer>

#include <algorithm>

namespace loopscope::app {

namespace {

constexpr int kLayoutVersion = 3; // a saved layout of another set of panels is not restored
constexpr int kNarrowWidth = 1400, kNarrowHeight = 820, kLargeWidth = 1900;
// In per cent of the window.
constexpr int kLeftWidth = 21, kRightWidth = 28, kHeightBelow = 36, kHeightBelowTuning = 46,
              kHalfWidth = 25;
// Of a window manager, about: it is not known before the window is shown.
constexpr QSize kFrame(16, 48);
const QString kSizes = QStringLiteral("-sizes"), kClosed = QStringLiteral("-closed"),
              kPreset = QStringLiteral("window/preset"),
              kGeometry = QStringLiteral("window/geometry");

} // namespace

PanelLayout::PanelLayout(QMainWindow& window, PanelDocks& docks, const PersonSettings& settings)
    : window_(window), docks_(docks), settings_(settings), sizes_(window) {
    connect(&docks_, &PanelDocks::rearranged, this, [this] {
        if (shown())
            sizes_.take_if_rearranged();
    });
}

PanelLayout::Arrangement PanelLayout::wanted() const {
    if (window_.width() < kNarrowWidth || window_.height() < kNarrowHeight)
        return Arrangement::Narrow;
    return window_.width() < kLargeWidth ? Arrangement::Normal : Arrangement::Large;
}

std::vector<PlacedPanel> PanelLayout::panels_in(PanelPlace::Area area) const {
    std::vector<PlacedPanel> found;
    for (const auto& each : docks_.all())
        if (each.panel->kind().place.area == area)
            found.push_back(each);
    std::sort(found.begin(), found.end(), [](const PlacedPanel& a, const PlacedPanel& b) {
        return a.panel->kind().place.order < b.panel->kind().place.order;
    });
    return found;
}

bool PanelLayout::in_preset(const PanelKind& kind) const {
    return preset_ == Preset::Teach ? kind.in_teach : preset_ == Preset::Tune ? kind.in_tune : true;
}

bool PanelLayout::belongs(const PanelKind& kind) const {
    return in_preset(kind) && (gpu_ || !kind.for_gpus);
}

// One above the other, or at one place.
void PanelLayout::place(PanelPlace::Area area, bool as_tabs) {
    QDockWidget* before = nullptr;
    for (const auto& each : panels_in(area)) {
        if (!before)
            window_.addDockWidget(dock_area(area), each.dock);
        else if (as_tabs)
            window_.tabifyDockWidget(before, each.dock);
        else
            window_.splitDockWidget(before, each.dock, Qt::Vertical);
        before = each.dock;
    }
}

// Where the inspector has a place of its own, the others share both places: so many tabs fit no
// half.
void PanelLayout::place_in_halves() {
    QDockWidget* before[2] = {nullptr, nullptr};
    for (const auto& each : panels_in(PanelPlace::Below)) {
        const bool beside = each.panel->kind().place.beside;
        if (before[beside])
            window_.tabifyDockWidget(before[beside], each.dock);
        else if (before[0])
            window_.splitDockWidget(before[0], each.dock, Qt::Horizontal);
        else
            window_.addDockWidget(dock_area(PanelPlace::Below), each.dock);
        before[beside] = each.dock;
    }
}

void PanelLayout::arrange() { arrange(wanted()); }

void PanelLayout::arrange(Arrangement arrangement) {
    arrangement_ = arrangement;
    sizes_.forget();
    for (const auto& each : docks_.all()) {
        each.dock->setFloating(false);
        window_.removeDockWidget(each.dock);
    }
    place(PanelPlace::Left, false);
    if (arrangement == Arrangement::Large)
        place_in_halves();
    else
        place(PanelPlace::Below, true);
    place(PanelPlace::Right, arrangement == Arrangement::Narrow);
    for (const auto& each : docks_.all())
        each.dock->show();
    for (const auto& each : docks_.all())
        if (!belongs(each.panel->kind()))
            each.dock->hide();
    closed_.clear();
    choose_front();
    size_panels();
    raise_front();
    // A tab bar is made when the event loop next runs, and takes its height then: sizes are set
    // once more.
    QTimer::singleShot(0, this, [this] {
        size_panels();
        raise_front();
    });
    docks_.follow();
}

// The panel that the preset wants there; else the first one below, in a large window that beside
// it.
void PanelLayout::choose_front() {
    front_ = nullptr;
    for (const auto& each : panels_in(PanelPlace::Below)) {
        const auto& kind = each.panel->kind();
        if (kind.front_in == preset_) {
            front_ = each.dock;
            return;
        }
        if (!front_ && kind.place.beside == (arrangement_ == Arrangement::Large))
            front_ = each.dock;
    }
}

void PanelLayout::raise_front() {
    if (!front_)
        return;
    for (const auto area : {PanelPlace::Right, PanelPlace::Below})
        if (const auto panels = panels_in(area); !panels.empty())
            panels.front().dock->raise();
    front_->raise(); // what was asked for last
}

void PanelLayout::size_panels() {
    const int w = window_.width(), h = window_.height();
    auto stack = [&](const std::vector<PlacedPanel>& panels) {
        QList<QDockWidget*> docks;
        QList<int> heights;
        for (const auto& each : panels) {
            docks << each.dock;
            heights << h * each.panel->kind().place.share / 100;
        }
        window_.resizeDocks(docks, heights, Qt::Vertical);
    };
    // The first of a place that the preset shows; null: it shows none.
    auto first = [this](const std::vector<PlacedPanel>& panels, bool beside = false) {
        const auto shown = std::find_if(panels.begin(), panels.end(), [&](const PlacedPanel& each) {
            const auto& kind = each.panel->kind();
            return in_preset(kind) && kind.place.beside == beside;
        });
        return shown == panels.end() ? nullptr : shown->dock;
    };
    auto give = [this](std::initializer_list<std::pair<QDockWidget*, int>> sizes,
                       Qt::Orientation along) {
        QList<QDockWidget*> docks;
        QList<int> widths;
        for (const auto& [dock, size] : sizes)
            if (dock) {
                docks << dock;
                widths << size;
            }
        window_.resizeDocks(docks, widths, along);
    };
    const auto left = panels_in(PanelPlace::Left), below = panels_in(PanelPlace::Below),
               right = panels_in(PanelPlace::Right);
    give({{first(left), w * kLeftWidth / 100}, {first(right), w * kRightWidth / 100}},
         Qt::Horizontal);
    stack(left);
    give({{first(below), h * (preset_ == Preset::Tune ? kHeightBelowTuning : kHeightBelow) / 100}},
         Qt::Vertical);
    if (arrangement_ == Arrangement::Large)
        give({{first(below), w * kHalfWidth / 100}, {first(below, true), w * kHalfWidth / 100}},
             Qt::Horizontal);
    if (arrangement_ != Arrangement::Narrow)
        stack(right);
}

// The same panels however the GPU came about, chosen or there from the start: all that belong, but
// for those that the person closed when there was one. A layout that was left beside another kind
// of device knows nothing of them.
void PanelLayout::show_gpu_panels() {
    for (const auto& each : docks_.all())
        if (const auto& kind = each.panel->kind(); kind.for_gpus)
            each.dock->setVisible(belongs(kind) && !closed_.contains(kind.id));
}

QStringList PanelLayout::closed_gpu_panels() const {
    QStringList closed;
    for (const auto& each : docks_.all())
        if (const auto& kind = each.panel->kind();
            kind.for_gpus && belongs(kind) && each.dock->isHidden())
            closed << kind.id;
    return closed;
}

void PanelLayout::set_gpu(bool gpu) {
    if (gpu == gpu_)
        return;
    if (shown() && gpu_)
        closed_ = closed_gpu_panels();
    gpu_ = gpu;
    if (!shown())
        return;
    show_gpu_panels();
    raise_front();
    docks_.follow();
}

void PanelLayout::bring_to_front(QDockWidget& dock) {
    dock.show();
    dock.raise();
    front_ = &dock; // also where the tabs are still being made
}

void PanelLayout::set_preset(Preset preset) {
    save();
    preset_ = preset;
    settings_.set(kPreset, static_cast<int>(preset));
}

Preset PanelLayout::kept_preset() const {
    const auto kept = settings_.value(kPreset);
    for (const auto preset : {Preset::Teach, Preset::Tune})
        if (kept.toInt() == static_cast<int>(preset))
            return preset;
    return Preset::Explore;
}

// The first time as large as the screen allows, and later the place without a frame: with one, the
// last line could come to lie below the screen.
void PanelLayout::restore_place() {
    if (!settings_.kept())
        return;
    const auto room = window_.screen()->availableGeometry();
    window_.resize(window_.size().boundedTo(room.size() - kFrame));
    window_.restoreGeometry(settings_.value(kGeometry).toByteArray());
    const int below = window_.geometry().bottom() - room.bottom();
    if (window_.height() <= room.height() && below > 0)
        window_.move(window_.x(), std::max(room.top(), window_.y() - below));
}

QString PanelLayout::kept() const {
    const auto preset = preset_ == Preset::Explore
                            ? QString()
                            : QStringLiteral("-%1").arg(static_cast<int>(preset_));
    return QStringLiteral("window/layout-%1%2").arg(static_cast<int>(arrangement_)).arg(preset);
}

void PanelLayout::save() {
    if (!settings_.kept())
        return;
    settings_.set(kGeometry, window_.saveGeometry());
    if (!shown())
        return;
    settings_.set(kept(), window_.saveState(kLayoutVersion));
    if (gpu_)
        settings_.set(kept() + kClosed, closed_gpu_panels());
    if (sizes_.known())
        settings_.set(kept() + kSizes, sizes_.kept());
}

void PanelLayout::open() {
    arrange();
    closed_ = settings_.value(kept() + kClosed).toStringList();
    const auto state = settings_.value(kept()).toByteArray();
    if (state.isEmpty())
        return;
    front_ = nullptr; // a layout that the person left says itself what is in front
    const auto sizes = settings_.value(kept() + kSizes);
    QTimer::singleShot(0, this, [this, state, sizes, arrangement = arrangement_] {
        if (arrangement_ != arrangement || !window_.restoreState(state, kLayoutVersion))
            return;
        sizes_.restore(sizes);
        if (sizes_.known())
            sizes_.give();
        show_gpu_panels();
        docks_.follow();
    });
}

void PanelLayout::close() {
    docks_.hide_all();
    arrangement_ = Arrangement::None;
}

// Tabs have no order before there is something to see.
void PanelLayout::window_shown() {
    QTimer::singleShot(0, this, [this] {
        raise_front();
        docks_.follow();
    });
}

void PanelLayout::window_resized() {
    if (shown() && wanted() != arrangement_) {
        save();
        open();
    } else if (sizes_.known()) {
        sizes_.give();
    }
}

} // namespace loopscope::app
