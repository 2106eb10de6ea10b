#pragma once
// A panel of the window: a view, what it shows of the session, and what its gestures ask for. One
// is one class in one file of app/windows/panels/, and a line in panels.def: its dock, its tab, its
// place in the View menu and among the other panels, its section of the help, its pictures and its
// names for the search follow from what it says here.

#include "app/session/session.h"
#include "app/windows/help_window.h"
#include "app/windows/preset.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

class QWidget;

namespace loopscope::views {
class Pictured;
enum class PictureUse;
} // namespace loopscope::views

namespace loopscope::app {

class CommandPalette;
class Panel;
class PictureWait;
struct Services;

// Where a panel stands until a person moves it.
struct PanelPlace {
    enum Area { Left, Centre, Below, Right } area = Below;
    int order = 0; // in the area: from the top or, where panels are tabs, from the left
    int share = 0; // of the window's height, in per cent, where panels stand one above the other
    // Below, in a large window: at the place of the source, beside that of the inspector.
    bool beside = false;
};

struct PanelKind {
    // "banks": its dock's name, in settings and for --panel.
    const char* id;
    // "Shared memory": in menus, on its title line, and the heading of the help about it.
    const char* title;
    // "Shared": on tabs that have no room for the title, by which it is known as the same panel, in
    // every language: both begin alike. Null: there is no shorter one.
    const char* short_title = nullptr;
    PanelPlace place;
    bool for_gpus = false;                // it comes with a GPU and goes with it
    bool in_teach = true, in_tune = true; // the presets that have few panels
    std::optional<Preset> front_in = {};  // the preset that has it in front
    std::unique_ptr<Panel> (*make)(const PanelKind& kind, Services& services);
};

// An entry of a menu: how the panel shows things, or a file that it writes, which needs an open
// document.
struct PanelCommand {
    QString text, tip;
    std::function<void()> run;
    enum Menu { View, File } menu = View;
};

class Panel : public QObject {
    Q_OBJECT
public:
    // The view is made by the panel's constructor and belongs to whom it is put into.
    Panel(const PanelKind& kind, Services& services, QWidget* view);
    ~Panel() override;

    const PanelKind& kind() const { return kind_; }
    QString title() const;
    QString short_title() const;
    QWidget* view() const { return view_; }
    views::Pictured* pictured() const; // null: its view draws no picture
    // It is for the session's device, which may be none of a GPU.
    bool is_of_device() const;
    // Of what the view draws, once that is of the present schedule; whether it is seen or not. The
    // newest wins. Nothing is asked where the document is closed meanwhile.
    void ask_for_picture(views::PictureUse use);
    void begin(); // shows what there is; from then on it follows the session
    void renew(); // shows it all again: numbers are written in other units

    // All that it shows is of the present schedule: a picture shows no half state.
    virtual bool settled() const { return true; }
    // It came into sight, or went out of it: what nobody sees need not be made.
    virtual void set_visible(bool visible) { (void)visible; }
    virtual void draw_unseen() {}                 // a picture of it is wanted all the same
    virtual bool start_search() { return false; } // Ctrl+F; false: it has nothing to search in
    virtual HelpPlace help() const;               // F1
    virtual std::vector<PanelCommand> commands() { return {}; }
    virtual void add_entries(CommandPalette& palette) const { (void)palette; } // to what `/` finds
    // The line above a panel in the centre; a dock has one of its own.
    virtual QWidget* title_line() const { return nullptr; }

signals:
    void detailChanged(const QString& detail); // "3": behind the title, for how much there is

protected:
    session::Session& session() const { return session_; }
    Services& services() const { return services_; }
    // What a person selects in a view is selected everywhere.
    template <typename View> void share_selection(View* view) {
        connect(view, &View::nodeSelected, &session_, &session::Session::select);
    }

    // What it shows of the session, called when that changes. The selection is shown anew with each
    // tree.
    virtual void show_document() {} // another one, or none, or another program
    virtual void show_tree() {}     // the schedule
    virtual void show_draft() {}    // the script as it is written
    virtual void show_estimate() {}
    virtual void show_baseline() {}
    virtual void show_measured() {}
    virtual void show_device() {}
    virtual void show_work() {} // what the worker does
    virtual void show_selection(const NodeId& id) { (void)id; }

private:
    void save_rows(); // of its tables, where their menus ask for it

    const PanelKind& kind_;
    Services& services_;
    session::Session& session_;
    QWidget* view_;
    std::unique_ptr<PictureWait> picture_wait_;
};

// For PanelKind::make.
template <typename P> std::unique_ptr<Panel> make_panel(const PanelKind& kind, Services& services) {
    return std::make_unique<P>(kind, services);
}

} // namespace loopscope::app
