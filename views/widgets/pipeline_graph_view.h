#pragma once
// The pipeline as a graph: stages and inputs as nodes coloured by their share of the time, data between them as edges
// labelled with bytes, kernels as enclosures. Wheel zooms, dragging pans, F fits, `/` searches.

#include "views/geometry/graph_layout.h"
#include "views/jobs/latest_job.h"
#include "views/models/snapshots.h"

#include <QGraphicsView>


namespace loopscope::views {

class EmptyState;
class SearchField;

class PipelineGraphView : public QGraphicsView {
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
    double zoom() const;
    const GraphLayout& layout() const { return layout_; } // as drawn last
    bool layout_pending() const;

signals:
    void nodeSelected(const loopscope::NodeId& id); // a stage's node: (stage, -1, "@stage"); an input: (input, -1, "@storage")
    void layoutFinished();

public slots:
    void start_search(); // shows the search field and takes the keyboard

protected:
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void drawBackground(QPainter* painter, const QRectF& rectangle) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Content;
    void rebuild();
    void show_layout(const GraphLayout& layout);
    void recolour();
    void choose(const QString& stage);
    void step_selection(int direction, bool along_edges);

    ScheduleTreePtr tree_;
    EstimatePtr estimate_;
    std::unique_ptr<Content> content_;
    GraphLayout layout_;
    std::unique_ptr<LatestJob<GraphDescription, GraphLayout>> job_;
    EmptyState* empty_;
    SearchField* search_field_;
    QString search_;
    std::string selected_;
    QPoint press_;
    bool panning_ = false;
    bool fitted_ = true; // keeps fitting on resize until the person zooms or pans
};

} // namespace loopscope::views
