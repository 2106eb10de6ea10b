#pragma once
// The one window: three columns of panels around the schedule tree. It wires a session's snapshots to the views and
// the views' intents to the session; it decides nothing about schedules.

#include "app/session/session.h"
#include "app/session/source_texts.h"
#include "app/windows/panel_sizes.h"
#include "views/style/theme.h"

#include <QElapsedTimer>
#include <QFont>
#include <QMainWindow>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QProgressBar;
class QStackedWidget;
class QTemporaryDir;
class QTimer;
class QToolButton;

namespace loopscope::views {
class BanksView;
class CompareView;
class DirectiveMenu;
class EstimateView;
class FindingsView;
class HelpView;
class HistoryView;
class InspectorView;
class MeasurementsView;
class PipelineGraphView;
class RooflineView;
class ScheduleTreeView;
class ScriptEditor;
class SourceView;
class StartPage;
class TimelineView;
struct DirectiveEdit;
struct Preview;
} // namespace loopscope::views

namespace loopscope::app {

class ComparisonWindow;
class NoticeBar;
class PanelTabs;
struct ComparedSide;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    // Does the window read and write the person's settings: layout, theme, recent files? Pictures do not.
    enum class Settings { Keep, Ignore };
    explicit MainWindow(Settings settings = Settings::Keep);
    ~MainWindow() override;

    session::Session& session() { return *session_; }
    // Opens a file and reports failures in the window. True: it is open.
    bool open_path(const QString& path, const session::OpenOptions& options = {});
    void set_theme(views::ThemeKind kind);
    // Brings a panel to the front, by its name ("source", "roofline", "tree", "help"). False: there is none of that name,
    // or it cannot be shown now.
    bool show_panel(const QString& name);
    static QStringList panel_names();
    // What show_panel brought to the front, with its title; null: there is none of that name.
    QWidget* panel_widget(const QString& name) const;
    // What the panels are arranged for. Teaching has large type and few panels, tuning the measurements in front.
    enum class Preset { Explore, Teach, Tune };
    void set_preset(Preset preset);
    Preset preset() const { return preset_; }
    // The estimate, the graph and the shown source are those of the present schedule: a picture shows no half state.
    bool settled() const;

    // The panels, for tests.
    views::ScheduleTreeView* tree_view() const { return tree_; }
    views::PipelineGraphView* graph_view() const { return graph_; }
    views::ScriptEditor* script_editor() const { return script_; }
    views::EstimateView* estimate_view() const { return estimate_; }
    views::InspectorView* inspector_view() const { return inspector_; }
    views::SourceView* source_view() const { return source_; }
    views::MeasurementsView* measurements_view() const { return measurements_; }
    views::RooflineView* roofline_view() const { return roofline_; }
    views::HistoryView* history_view() const { return history_; }
    views::CompareView* compare_view() const { return compare_; }
    // Null until it was asked for.
    ComparisonWindow* comparison_window() const { return comparison_; }
    views::FindingsView* findings_view() const { return findings_; }
    views::BanksView* banks_view() const { return banks_; }
    views::TimelineView* timeline_view() const { return timeline_; }
    views::StartPage* start_page() const { return start_; }
    NoticeBar* notice() const { return notice_; }
    views::HelpView* help_view() const { return help_view_; } // null until it was asked for

protected:
    void closeEvent(QCloseEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    // How the panels stand. Narrow: the right column's panels are tabs. Large: the inspector has a place of its own.
    enum class Arrangement { None, Narrow, Normal, Large };

    void make_panels();
    QWidget* make_tree_title(QWidget* parent);
    void make_margins();
    void make_actions();
    void make_file_menu();
    void make_edit_menu();
    void make_schedule_menu();
    void make_run_menu();
    void make_view_menu();
    void make_help_menu();
    void make_toolbar();
    void make_status_bar();
    void wire_session();
    void wire_views();
    void wire_panels();
    QDockWidget* dock(const QString& title, const QString& name, QWidget* view,
                      Qt::DockWidgetArea area, const QString& short_title = {});
    Arrangement wanted_arrangement() const;
    void arrange(Arrangement arrangement);
    void size_panels();
    void show_titles();
    void save_layout();
    void restore_layout();
    void restore_place(); // of the window on the screen
    void restyle();
    void take_spacing();

    void show_name();     // of the document, in the toolbar
    void show_document(); // another document, or none
    void show_tree();
    void show_estimate();
    void show_draft();
    void show_legality();
    void show_undo();
    void show_device();
    void show_selection();
    void show_measurements();
    void show_history();
    void show_busy();
    void show_progress(const QString& text, double fraction);
    void show_elapsed(); // of what the worker does, and how long it is expected to take
    void show_source(const session::SourceAnswer& answer);
    void show_baseline_source(const session::SourceAnswer& answer);
    void request_source();
    void save_source();
    void wire_side_by_side();
    void compare_two();
    void compare_side_by_side(const ComparedSide& left, const ComparedSide& right);
    void make_current(const ComparedSide& side);
    QString ask_for_schedule(); // empty: none
    void make_gpu_panels();
    void wire_gpu();
    std::vector<QDockWidget*> gpu_docks() const;
    void show_gpu();
    void show_findings();
    void show_gpu_docks();
    void apply_all(const std::vector<views::DirectiveEdit>& edits);
    void wire_passes();
    void request_passes(int first); // the pass that is looked at
    void export_dialog();
    void show_baseline();     // every panel's differences against it
    void show_comparison();   // the panel of that name, when it can be seen
    void show_availability(); // what the chosen device does not allow, and why
    void wire_comparison();
    void arrange_preset();
    void raise_front();
    QString kept_layout() const; // where the present arrangement is kept
    void forecast(const views::DirectiveEdit& edit,
                  std::function<void(const views::Preview&)> answer);
    void forecast(const std::vector<views::DirectiveEdit>& edits,
                  std::function<void(const views::Preview&)> answer);
    void fill_schedule_menu(QMenu* menu);
    void apply(const views::DirectiveEdit& edit);
    void refused(const QString& line, const Diagnostics& diagnostics);
    // Says why, draws the broken dependence, and offers a directive that would be legal.
    void show_refusal(const QString& line, const QString& reason);
    // Removes the directive on a line of the script; asks first where others depend on it.
    void remove_line(int line);
    int chosen_line(const std::vector<int>& lines, const QString& title, const QString& question);
    void say(const QString& text, bool is_error);
    void fill_start_page();
    void fill_devices();
    void choose_device(int index); // of the list
    void set_device(const QString& name_or_path);
    void fill_recent();
    void say_where_kept(); // of a document without a name that is about to be closed
    void focus_tree();     // or the start page
    void offer_recovery();
    void remember(const QString& path);
    QStringList recent_files() const;
    std::vector<session::DocumentSummary> recent_unnamed() const;
    QString folder() const; // of the last file dialog
    void set_folder(const QString& path);

    void open_dialog();
    // Asks for a path; empty: none.
    QString save_path(const QString& filter, const QString& ending);
    void save(const QString& filter, const QString& ending,
              const std::function<Status(const std::string&)>& write);
    void save_document();
    void find_in_panel();
    void find_anything(); // stages, loops, directives, panels
    void remove_selected_line();
    void write_recipe_out();
    void show_keys();
    void show_help(); // at what has the focus
    void show_help_at(const QString& page, const QString& word);
    void show_commands();
    QList<QMenu*> all_menus() const;

    std::unique_ptr<QTemporaryDir> scratch_; // of a window that is only drawn
    session::Session* session_;
    Settings settings_;
    views::PipelineGraphView* graph_ = nullptr;
    views::HistoryView* history_ = nullptr;
    views::ScheduleTreeView* tree_ = nullptr;
    views::InspectorView* inspector_ = nullptr;
    views::SourceView* source_ = nullptr;
    views::MeasurementsView* measurements_ = nullptr;
    views::EstimateView* estimate_ = nullptr;
    views::RooflineView* roofline_ = nullptr;
    views::ScriptEditor* script_ = nullptr;
    views::CompareView* compare_ = nullptr;
    views::TimelineView* timeline_ = nullptr;
    views::BanksView* banks_ = nullptr;
    views::FindingsView* findings_ = nullptr;
    views::StartPage* start_ = nullptr;
    NoticeBar* notice_ = nullptr;
    ComparisonWindow* comparison_ = nullptr;
    QWidget* help_ = nullptr;
    views::HelpView* help_view_ = nullptr;
    QStackedWidget* centre_ = nullptr;
    QWidget* tree_title_ = nullptr;
    std::vector<QDockWidget*> docks_;
    QDockWidget *graph_dock_ = nullptr, *history_dock_ = nullptr, *inspector_dock_ = nullptr,
                *source_dock_ = nullptr, *measurements_dock_ = nullptr, *estimate_dock_ = nullptr,
                *roofline_dock_ = nullptr, *script_dock_ = nullptr, *compare_dock_ = nullptr,
                *timeline_dock_ = nullptr, *banks_dock_ = nullptr, *findings_dock_ = nullptr;
    bool banks_waiting_ = false; // for what is shown of shared memory
    bool gpu_docks_shown_ = false;
    QDockWidget* front_ = nullptr; // the panel that is brought to the front once all stand
    std::unique_ptr<PanelTabs> tabs_;
    QTimer* titles_ = nullptr; // titles and sizes follow once a rearrangement is complete
    PanelSizes sizes_{*this};
    bool separator_held_ = false; // between two panels, by the pointer
    QComboBox* devices_ = nullptr;
    QAction* devices_action_ = nullptr; // shows and hides it in the toolbar
    QLabel* tree_note_ = nullptr;       // what the tree's times are of
    QLabel *document_name_ = nullptr, *legality_ = nullptr, *worker_state_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QToolButton* cancel_button_ = nullptr;
    QTimer* tick_ = nullptr; // while the worker is busy
    QElapsedTimer busy_since_;
    QString phase_;       // of the worker's task
    bool tabbed_ = false; // the focus was moved by Tab since the pointer was last pressed
    QAction *undo_ = nullptr, *redo_ = nullptr, *pin_ = nullptr, *unpin_ = nullptr,
            *check_ = nullptr, *measure_ = nullptr, *cancel_ = nullptr, *save_ = nullptr,
            *save_as_ = nullptr, *save_schedule_ = nullptr, *save_pipeline_ = nullptr,
            *save_source_ = nullptr, *export_ = nullptr, *compare_action_ = nullptr,
            *compare_two_ = nullptr, *close_ = nullptr, *remove_ = nullptr, *write_out_ = nullptr,
            *arrange_ = nullptr, *find_ = nullptr;
    QMenu* recent_menu_ = nullptr;
    views::DirectiveMenu* tree_menu_ = nullptr; // whose entries the Schedule menu shows
    Arrangement arrangement_ = Arrangement::None;
    bool source_visible_ = false, compare_visible_ = false;
    std::set<std::string> source_shown_;  // tabs whose text is of the present schedule
    bool baseline_source_wanted_ = false; // its answer is still to come
    bool passes_wanted_ = false;          // of the present schedule they were not asked for yet
    Preset preset_ = Preset::Explore;
    QFont person_font_; // as it was when the program started
};

} // namespace loopscope::app
