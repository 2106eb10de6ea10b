#pragma once
// Where the panels stand: by what each says of its place, the window's size, and the preset; then
// as the person left them.

#include "app/windows/panel.h"
#include "app/windows/panel_sizes.h"
#include "app/windows/person_settings.h"
#include "app/windows/preset.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

class QDockWidget;
class QMainWindow;

namespace loopscope::app {

class PanelDocks;
struct PlacedPanel;

class PanelLayout : public QObject {
    Q_OBJECT
public:
    PanelLayout(QMainWindow& window, PanelDocks& docks, const PersonSettings& settings);

    bool shown() const { return arrangement_ != Arrangement::None; } // is there a document to show?
    // The arrangement for the window's size, and in it what the person made of it last time.
    void open();
    void close();           // no panels
    void arrange();         // every panel back in its place
    void save();            // what the person made of it
    void set_gpu(bool gpu); // panels for GPUs come with one and go with it
    void bring_to_front(QDockWidget& dock);

    void restore_place(); // of the window on the screen, as the person left it
    Preset preset() const { return preset_; }
    Preset kept_preset() const;     // of last time
    void set_preset(Preset preset); // panels follow with `open`

    void window_shown();
    void window_resized();
    void separator_moved() { sizes_.take(); } // by the pointer

private:
    // Narrow: the right column's panels are tabs. Large: there are two places below.
    enum class Arrangement { None, Narrow, Normal, Large };

    Arrangement wanted() const;
    void arrange(Arrangement arrangement);
    void place(PanelPlace::Area area, bool as_tabs);
    void place_in_halves(); // those below
    void choose_front();
    void size_panels();
    void show_gpu_panels();
    QStringList closed_gpu_panels() const; // by the person, of those that the GPU brought
    void raise_front();
    std::vector<PlacedPanel> panels_in(PanelPlace::Area area) const; // in order
    bool in_preset(const PanelKind& kind) const;
    bool belongs(const PanelKind& kind) const; // to the preset, and to the kind of device
    QString kept() const;                      // where the present arrangement is kept

    QMainWindow& window_;
    PanelDocks& docks_;
    const PersonSettings& settings_;
    PanelSizes sizes_;
    Arrangement arrangement_ = Arrangement::None;
    Preset preset_ = Preset::Explore;
    bool gpu_ = false;
    QStringList closed_; // what the person closed of the panels that a GPU brings, by name
    // Is brought to the front once all stand; null: a layout that a person left says that itself.
    QDockWidget* front_ = nullptr;
};

} // namespace loopscope::app
