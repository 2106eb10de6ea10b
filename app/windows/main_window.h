#pragma once
// The one window: three columns of panels around the schedule tree. It wires a session's snapshots to the views and
// the views' intents to the session; it decides nothing about schedules.

#include "app/session/session.h"
#include "views/style/theme.h"

#include <QMainWindow>

#include <functional>
#include <vector>

class QActionGroup;
class QComboBox;
class QLabel;
class QProgressBar;
class QStackedWidget;
class QToolButton;

namespace loopscope::views {
class EstimateView;
class HistoryView;
class InspectorView;
class MeasurementsView;
class PipelineGraphView;
class RooflineView;
class ScheduleTreeView;
class ScriptEditor;
class SourceView;
class StartPage;
} // namespace loopscope::views

namespace loopscope::app {

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    session::Session& session() { return *session_; }
    // Opens a file and reports failures in the window. True: it is open.
    bool open_path(const QString& path, const session::OpenOptions& options = {});
    void set_theme(views::ThemeKind kind);
    // The estimate, the graph and the shown source are those of the present schedule: a picture shows no half state.
    bool settled() const;

    // The panels, for tests and screenshots.
    views::ScheduleTreeView* tree_view() const { return tree_; }
    views::PipelineGraphView* graph_view() const { return graph_; }
    views::ScriptEditor* script_editor() const { return script_; }
    views::EstimateView* estimate_view() const { return estimate_; }
    views::InspectorView* inspector_view() const { return inspector_; }
    views::SourceView* source_view() const { return source_; }
    views::MeasurementsView* measurements_view() const { return measurements_; }
    views::RooflineView* roofline_view() const { return roofline_; }

protected:
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void make_panels();
    void make_actions();
    void make_toolbar();
    void wire_session();
    void wire_views();
    QDockWidget* dock(const QString& title, const QString& name, QWidget* view, Qt::DockWidgetArea area);
    void arrange(bool narrow);

    void show_document();  // another document, or none
    void show_tree();
    void show_estimate();
    void show_selection();
    void show_measurements();
    void show_history();
    void show_busy();
    void request_source();
    void apply(const QString& line);
    void refused(const QString& line, const Diagnostics& diagnostics);
    void say(const QString& text, bool is_error);
    void fill_start_page();
    void fill_devices();
    void fill_recent();
    void remember(const QString& path);
    void restore_layout();

    void open_dialog();
    void save_dialog(const char* filter, const QString& ending, std::function<Status(const std::string&)> save);
    void remove_selected_line();

    session::Session* session_;
    views::PipelineGraphView* graph_ = nullptr;
    views::HistoryView* history_ = nullptr;
    views::ScheduleTreeView* tree_ = nullptr;
    views::InspectorView* inspector_ = nullptr;
    views::SourceView* source_ = nullptr;
    views::MeasurementsView* measurements_ = nullptr;
    views::EstimateView* estimate_ = nullptr;
    views::RooflineView* roofline_ = nullptr;
    views::ScriptEditor* script_ = nullptr;
    views::StartPage* start_ = nullptr;
    QStackedWidget* centre_ = nullptr;
    std::vector<QDockWidget*> docks_;
    QDockWidget *graph_dock_ = nullptr, *history_dock_ = nullptr, *inspector_dock_ = nullptr, *source_dock_ = nullptr,
                *measurements_dock_ = nullptr, *estimate_dock_ = nullptr, *roofline_dock_ = nullptr, *script_dock_ = nullptr;
    QComboBox* devices_ = nullptr;
    QLabel *document_name_ = nullptr, *legality_ = nullptr, *worker_state_ = nullptr;
    QProgressBar* progress_ = nullptr;
    QAction *undo_ = nullptr, *redo_ = nullptr, *pin_ = nullptr, *check_ = nullptr, *measure_ = nullptr, *cancel_ = nullptr,
            *save_ = nullptr, *save_as_ = nullptr, *save_schedule_ = nullptr, *save_pipeline_ = nullptr, *close_ = nullptr,
            *remove_ = nullptr;
    QMenu* recent_menu_ = nullptr;
    bool narrow_ = false, arranged_ = false;
    bool source_shown_[2] = {false, false}; // of the present schedule
};

} // namespace loopscope::app
