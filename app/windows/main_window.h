#pragma once
// The one window: three columns of panels around the schedule tree. It is a frame: panels
// (panels.h) show the session and send it intents, services (services.h) do what menus and panels
// ask for, and it holds them together.

#include "app/windows/panel.h"
#include "app/windows/person_settings.h"
#include "app/windows/preset.h"
#include "app/windows/services.h"
#include "views/style/theme.h"

#include <QMainWindow>

#include <memory>
#include <vector>

class QStackedWidget;

namespace loopscope::views {
class StartPage;
}

namespace loopscope::app {

class Finder;
class KeyOwners;
class Looks;
class MainToolBar;
class NoticeBar;
class PanelDocks;
class PanelLayout;
class Reports;
class StatusLine;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    // Are the person's settings read and written? Pictures do neither.
    using Settings = PersonSettings::Use;
    using Preset = app::Preset;
    explicit MainWindow(Settings settings = Settings::Keep);
    ~MainWindow() override;

    session::Session& session() { return services_->session; }
    Reports& reports() const { return *reports_; }
    Preferences& preferences() const { return services_->preferences; }
    // Opens a file and reports failures in the window. True: it is open.
    bool open_path(const QString& path, const session::OpenOptions& options = {});
    bool open_path(const std::string& path, const session::OpenOptions& options = {}); // any bytes
    void set_theme(views::ThemeKind kind);
    // Brings a panel to the front, by its name ("source", "roofline", "tree", "help"). False: there
    // is none of that name, or it cannot be shown now.
    bool show_panel(const QString& name);
    // What show_panel brought to the front, with its title; null: there is none of that name.
    QWidget* panel_widget(const QString& name) const;
    void set_preset(Preset preset);
    Preset preset() const;
    // The estimate, the graph and the shown source are those of the present schedule: a picture
    // shows no half state.
    bool settled() const;

protected:
    void closeEvent(QCloseEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void make_centre();
    void make_services(Settings settings);
    void make_panels();
    void make_bars();
    void begin();
    void show_document(); // another document, or none
    void show_device();
    void show_gpu_panels();
    void take_keyboard();

    NoticeBar* notice_ = nullptr;
    QStackedWidget* centre_ = nullptr; // the start page, or the tree
    views::StartPage* start_ = nullptr;
    // Each is done before those above it, and all before the widgets, whose last signals reach
    // nobody then.
    std::unique_ptr<Services> services_;
    std::vector<std::unique_ptr<Panel>> panels_;
    std::unique_ptr<PanelDocks> docks_;
    std::unique_ptr<PanelLayout> layout_;
    std::unique_ptr<Finder> finder_;
    std::unique_ptr<Reports> reports_;
    std::unique_ptr<StatusLine> status_;
    std::unique_ptr<KeyOwners> keys_;
    std::unique_ptr<Looks> looks_;
    MainToolBar* toolbar_ = nullptr;
    bool separator_held_ = false; // between two panels, by the pointer
};

} // namespace loopscope::app
