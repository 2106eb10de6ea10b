#pragma once
// The pipeline as a graph: stages and inputs as nodes coloured by their share of the time, data
// between them as edges labelled with bytes, kernels as enclosures. The wheel zooms, dragging the
// ground pans and with Shift selects, F fits, `/` searches, arrow keys walk, with Ctrl they pan, G
// folds the stages of one loop of the pipeline's text into one node. A stage dropped on another is
// fused with it: the producer is computed in the consumer; with Alt it is inlined. While not all of
// the graph is in sight, a corner has an overview of it.

#include "views/geometry/graph_layout.h"
#include "views/jobs/latest_job.h"
#include "views/models/drop_proposals.h"
#include "views/models/graph_folding.h"
#include "views/models/pipeline_graph.h"
#include "views/models/snapshots.h"
#include "views/widgets/picture.h"

#include <QWidget>

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

class QKeyEvent;
class QMenu;

namespace loopscope::views {

class Bubble;
class DirectiveMenu;
class EmptyState;
class GraphOverview;
class SearchField;

constexpr double kFoldMarkRoom = 15; // beside a node's name

class PipelineGraphView : public QWidget, public Pictured {
    Q_OBJECT
public:
    explicit PipelineGraphView(QWidget* parent = nullptr);
    ~PipelineGraphView() override;

    // Null: the empty state. Lays out again only when nodes, edges or kernels changed: an edit
    // leaves nodes on their sides of each other, zoom and place. Another pipeline is shown anew,
    // whole or, where it could not be read so, from its beginning.
    void set_tree(ScheduleTreePtr tree);
    void set_estimate(EstimatePtr estimate); // null: nodes without colour
    void set_services(EditServices services);
    // The broken dependence behind a refusal, drawn until the tree or the selection changes. May be
    // null.
    void show_conflict(std::shared_ptr<const Conflict> conflict);
    // Marks the node of the identity's stage, and brings it into view; does not emit. The first one
    // of a pipeline, which it opens with, is marked where it is.
    void set_selected(const NodeId& id);
    // What is selected beside it: their stages' nodes are marked, and directives are for all.
    void set_selected_too(std::vector<NodeId> nodes);
    // Nodes whose name contains the text stay, others fade; empty: all stay. Brings the first into
    // view.
    void set_search(const QString& text);
    void zoom_to_fit();
    void zoom_by(double factor);
    void show_beginning(); // at the zoom as it is: what a graph too large to be read opens with
    void show_end();       // its output
    void set_overview_shown(bool shown); // while not all of the graph is in sight
    bool overview_wanted() const { return overview_wanted_; }
    double zoom() const { return scale_; }
    const PipelineGraph& graph() const {
        return graph_;
    } // as it is shown: folded groups are one node
    // Folds exactly these groups (graph_folding.h); unknown ones are kept and change nothing. The
    // folding survives every edit of the schedule; another pipeline starts with
    // folded_at_opening().
    void set_folded(std::set<std::string> groups);
    const std::set<std::string>& folded() const { return folded_; }
    std::map<std::string, std::string> folded_stages() const; // of each folded stage, its group
    void add_fold_entries(QMenu& menu, const std::string& stage);
    const GraphLayout& layout_shown() const { return layout_; }
    bool layout_pending() const;
    Result<Picture> picture() override; // as it is folded
    // Where a stage's node is on the widget, that of its folded group if it is in one; empty if it
    // has none.
    QRectF node_rectangle(const std::string& stage) const;
    // What stands on it at this zoom.
    struct NodeText {
        QString name;
        double name_pixels = 0; // on the screen
        bool detail = false;    // and the second line
    };
    NodeText text_on(const std::string& stage) const;
    // Where its fold mark is; empty if it belongs to no group.
    QRectF fold_mark(const std::string& stage) const;
    QSize sizeHint() const override { return {280, 380}; }

signals:
    // (stage, -1, "@stage"), or (input, -1, "@storage")
    void nodeSelected(const loopscope::NodeId& id); // alone
    // Ctrl or Shift: beside the others, or no more; of a folded group all of its stages.
    void nodeToggled(const loopscope::NodeId& id);
    void nodesAdded(const std::vector<loopscope::NodeId>& nodes);
    // What Shift drags a frame around, and Ctrl+A: all of these.
    void nodesSelected(const std::vector<loopscope::NodeId>& nodes);
    void layoutFinished();
    void foldingChanged();
    void overviewShown(bool shown); // a person wants it, or does not
    void directiveRequested(const QString& line);
    // A key of a directive was pressed that the graph has no use of its own for (DirectiveKey).
    void directiveKeyPressed(const loopscope::NodeId& stage, const QString& verb);
    // A stage is dragged here, beyond the graph too; and let go: to be dropped where it is, or not.
    void stageCarried(const loopscope::NodeId& stage, const QPoint& global);
    void stageLetGo(bool drop);
    // A drop or a key asked for what cannot be. `line` may be empty.
    void directiveRefused(const QString& line, const QString& reason);

public slots:
    void start_search(); // shows the search field and takes the keyboard
    void fold_all();     // outermost_groups()
    void unfold_all();
    void toggle_fold_of(const QString& stage); // as G on it
    void toggle_all_folds();                   // as Shift+G

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    void begin_pipeline();
    std::vector<std::optional<Rectangle>> stood_nodes() const;
    // `before`: what was shown until now. `most`: what a layout may take that is not for a job.
    void describe(PipelineGraph before, LayoutTime most = LayoutTime::Hundredths);
    void lay_out_beside(PipelineGraph before);
    void show_layout(const GraphLayout& layout);
    void paint_window(QPainter& painter) const;
    void swap_former();
    void paint_former(QPainter& painter);
    void catch_up(); // with the layout under way, if it is about to be there
    void paint_picture(QPainter& painter);
    // In the graph's own coordinates.
    void paint_graph(QPainter& painter, const Theme& theme, const Rectangle& seen) const;
    enum class EdgeLook { Faded, Plain, Near }; // from below upwards
    EdgeLook look_of(const PipelineEdge& edge) const;
    void paint_edges(QPainter& painter, const Theme& theme, const Rectangle& seen) const;
    void paint_group(QPainter& painter, const Theme& theme, std::size_t group) const;
    static constexpr double kWidestName = 260; // pixels; what is longer is said by the tooltip
    static constexpr double kTitleMargin = 4;  // of both sides of an enclosure's title
    QString group_title(const std::string& root) const; // without its time
    void paint_group_title(QPainter& painter, const Theme& theme, std::size_t group) const;
    void paint_edge(QPainter& painter, const Theme& theme, std::size_t edge, EdgeLook look) const;
    bool draws_whole(const PipelineEdge& edge, EdgeLook look) const;
    void paint_edge_label(QPainter& painter, const Theme& theme, std::size_t edge) const;
    void paint_node(QPainter& painter, const Theme& theme, std::size_t node) const;
    void paint_node_text(QPainter& painter, const Theme& theme, std::size_t node,
                         const QColor& fill) const;
    void paint_first_line(QPainter& painter, const PipelineNode& node, const QString& name,
                          double larger, const QRectF& line, const QColor& name_colour,
                          const QColor& share_colour) const;
    double room_for_name(std::size_t node) const; // in the graph's coordinates
    NodeText node_text(std::size_t node) const;
    bool all_names_legible() const;
    bool faded(const PipelineNode& node) const;
    bool faded(const PipelineEdge& edge) const;
    bool touches_selected(const PipelineEdge& edge) const;
    double seconds_of(const PipelineNode& node) const; // negative: unknown
    double share_of(const PipelineNode& node) const;   // of the time; negative: unknown
    void show_folding();
    void toggle_fold(int node);
    QRectF mark_in(int node) const; // in the graph's coordinates
    int mark_under(const QPointF& position) const;
    void add_node_folds(QMenu& menu, int node);
    void say_selection();
    int node_under(const QPointF& position) const;
    QString tooltip(const PipelineNode& node) const;
    static QString shown_name(const PipelineNode& node); // of a long one the middle is left out
    static QString shown_detail(const PipelineNode& node);
    QPointF to_graph(const QPointF& position) const { return (position - offset_) / scale_; }
    void select(int node);
    bool is_selected(int node) const; // alone, or among others
    NodeId id_of(const std::string& stage) const;
    std::vector<NodeId> ids_of(int node) const; // of a folded group's stages
    void toggle_selected(int node);
    void select_framed();
    void select_all_stages();
    void step_selection(int key);
    void bring_into_view(int node);
    void fit();
    void frame();
    void frame_part();
    void place_around(std::size_t node);
    void place_beginning();
    std::size_t first_node() const;
    void show_centre(const QPointF& in_graph);
    bool pan_by_key(const QKeyEvent& event);
    void show_part();      // zoom or place have changed
    bool laid_out() const; // layout_ is of graph_
    bool waits_with_former() const { return former_ && !laid_out(); }
    Rectangle part_in_sight() const; // in the graph's coordinates
    bool all_in_sight() const;
    void place_overview();
    void renew_overview();
    QPoint overview_corner() const;
    std::vector<Rectangle> selected_places() const;
    void paint_marks(QPainter& painter, double pixel) const;
    void show_selected();
    void next_match(bool forward);
    QPoint below_selected() const; // on the screen: where a menu of the selected node opens
    void open_menu(const QPoint& at);
    void open_ground_menu(const QPoint& at); // of no node
    void open_places(const DirectiveGroup& places, const QPoint& at);
    void end_press();
    void begin_drag(int node);
    void drag_to(const QPointF& position, Qt::KeyboardModifiers modifiers);
    void end_drag(bool drop, const QPoint& at = {});
    // the nodes are others: the gesture is over, and what is left of it moves nothing
    void drop_dragged();
    void show_drag_bubble();
    bool dragged_outside() const; // another view says what a drop there does
    void paint_drag(QPainter& painter, const Theme& theme) const;
    void paint_frame(QPainter& painter, const Theme& theme) const;
    void paint_conflict_arrow(QPainter& painter, const Theme& theme) const;
    QString dragged_line() const; // what a drop here would ask for first; empty: nothing

    ScheduleTreePtr tree_;
    EstimatePtr estimate_;
    PipelineGraph whole_, graph_; // without and with folding
    std::set<std::string> folded_;
    std::map<std::string, double> seconds_; // by stage
    GraphDescription description_;          // of layout_, or of the layout under way
    GraphLayout layout_;
    // Of the layout before, by folded group and stage.
    std::map<std::pair<std::string, std::string>, Rectangle> stood_;
    // The graph as it was, drawn while layout_ is under way; none: it was another pipeline's.
    struct Former {
        PipelineGraph graph;
        GraphLayout layout;
        EstimatePtr estimate;
        std::map<std::string, double> seconds;
    };
    std::optional<Former> former_;
    std::unique_ptr<LatestJob<GraphDescription, GraphLayout>> job_;
    EmptyState* empty_;
    SearchField* search_field_;
    GraphOverview* overview_;
    bool overview_wanted_ = true;
    QString search_;
    std::string selected_;
    NodeId selected_id_; // what of that stage is: itself, or one of its loops
    std::vector<NodeId> selected_too_;
    double scale_ = 1;
    QPointF offset_;
    QPointF press_;
    bool pressed_ = false, panning_ = false;
    bool shown_since_press_ = false;  // another layout: what is under the pointer is another node
    bool wanted_in_view_ = false;     // the selected node, once there is a layout
    std::optional<QRectF> selecting_; // the frame that Shift drags, on the screen
    EditServices services_;
    std::shared_ptr<const Conflict> conflict_;
    Bubble* bubble_;
    struct Drag {
        int node = -1, over = -1;            // -1: none
        std::map<std::string, bool> targets; // stages that a drop may fuse with
        Fusion fusion;                       // with the node under the pointer
        QPointF at;
        bool inlining = false; // Alt is held
        Verdict verdict;       // on dragged_line(), once known
        Preview preview;
        int question = 0; // answers to earlier questions are dropped
    } drag_;
    bool fitted_ = true;   // keeps fitting on resize until the person zooms or pans
    bool partial_ = false; // frame() left some of the graph out
    // What it shows then: the beginning, until something is selected beside what it opened with.
    enum class Framing { Opening, Beginning, Selection } framing_ = Framing::Opening;
};

} // namespace loopscope::views
