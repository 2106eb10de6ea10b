#pragma once
// The pipeline as a graph: stages and inputs as nodes coloured by their share of the time, data between them as edges
// labelled with bytes, kernels as enclosures. The wheel zooms, dragging pans, F fits, `/` searches, arrow keys walk.

#include "views/geometry/graph_layout.h"
#include "views/jobs/latest_job.h"
#include "views/models/pipeline_graph.h"
#include "views/models/snapshots.h"

#include <QWidget>

#include <map>

namespace loopscope::views {

class EmptyState;
class SearchField;
struct Theme;

class PipelineGraphView : public QWidget {
    Q_OBJECT
public:
    explicit PipelineGraphView(QWidget* parent = nullptr);
    ~PipelineGraphView() override;

    // Null: the empty state. Lays out again only when nodes, edges or kernels changed.
    void set_tree(ScheduleTreePtr tree);
    void set_estimate(EstimatePtr estimate); // null: nodes without colour
    // Marks the node of the identity's stage; does not emit.
    void set_selected(const NodeId& id);
    // Nodes whose name contains the text stay, others fade; empty: all stay. Brings the first into view.
    void set_search(const QString& text);
    void zoom_to_fit();
    void zoom_by(double factor);
    double zoom() const { return scale_; }
    const PipelineGraph& graph() const { return graph_; }
    const GraphLayout& layout_shown() const { return layout_; }
    bool layout_pending() const;
    // Where a stage's node is on the widget; empty if it has none.
    QRectF node_rectangle(const std::string& stage) const;
    QSize sizeHint() const override { return {280, 380}; }

signals:
    void
    nodeSelected(const loopscope::NodeId& id); // (stage, -1, "@stage"), or (input, -1, "@storage")
    void layoutFinished();

public slots:
    void start_search(); // shows the search field and takes the keyboard

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    void describe();
    void show_layout(const GraphLayout& layout);
    void paint_group(QPainter& painter, const Theme& theme, std::size_t group) const;
    void paint_group_title(QPainter& painter, const Theme& theme, std::size_t group) const;
    void paint_edge(QPainter& painter, const Theme& theme, std::size_t edge) const;
    void paint_node(QPainter& painter, const Theme& theme, std::size_t node) const;
    bool faded(const PipelineNode& node) const;
    double share_of(const std::string& stage) const; // of the time; negative: unknown
    int node_under(const QPointF& position) const;
    QString tooltip(const PipelineNode& node) const;
    QPointF to_graph(const QPointF& position) const { return (position - offset_) / scale_; }
    void select(int node);
    void step_selection(int key);
    void bring_into_view(int node);
    void next_match(bool forward);

    ScheduleTreePtr tree_;
    EstimatePtr estimate_;
    PipelineGraph graph_;
    std::map<std::string, double> seconds_; // by stage
    GraphDescription description_;          // of layout_, or of the layout under way
    GraphLayout layout_;
    std::unique_ptr<LatestJob<GraphDescription, GraphLayout>> job_;
    EmptyState* empty_;
    SearchField* search_field_;
    QString search_;
    std::string selected_;
    double scale_ = 1;
    QPointF offset_;
    QPointF press_;
    bool pressed_ = false, panning_ = false;
    bool fitted_ = true; // keeps fitting on resize until the person zooms or pans
};

} // namespace loopscope::views
