// The graph as a widget: what it shows, its layout, selection, search and hover.
#include "views/widgets/pipeline_graph_view.h"

#include "views/style/fonts.h"
#include "views/style/number_format.h"
#include "views/style/text_metrics.h"
#include "views/style/theme.h"
#include "views/widgets/bubble.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/graph_overview.h"
#include "views/widgets/search_field.h"

#include <QEvent>
#include <QPainter>
#include <QResizeEvent>

#include <algorithm>
#include <cmath>

namespace loopscope::views {

PipelineGraphView::PipelineGraphView(QWidget* parent)
    : QWidget(parent),
      job_(std::make_unique<LatestJob<GraphDescription, GraphLayout>>(
          [](const GraphDescription& d, const CancelToken& token) {
              return layout_graph(d, [&token] { return token.cancelled(); });
          },
          [this](const GraphDescription&, const GraphLayout& layout) { show_layout(layout); })),
      empty_(new EmptyState(tr("The pipeline's stages and the data between them."),
                            tr("Ctrl+O opens a pipeline."), this)),
      search_field_(new SearchField(this)),
      overview_(new GraphOverview(
          [this](QPainter& painter, double pixel) {
              const bool former = waits_with_former();
              if (former)
                  swap_former();
              paint_marks(painter, pixel);
              if (former)
                  swap_former();
          },
          this)),
      bubble_(new Bubble(this)) {
    setAccessibleName(tr("Pipeline graph"));
    say_selection();
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setMinimumSize(120, 100);
    connect(search_field_, &SearchField::textChanged, this, &PipelineGraphView::set_search);
    connect(search_field_, &SearchField::nextRequested, this, &PipelineGraphView::next_match);
    overview_->hide();
    connect(overview_, &GraphOverview::centreWanted, this, &PipelineGraphView::show_centre);
    connect(overview_, &GraphOverview::menuWanted, this, &PipelineGraphView::open_ground_menu);
}

PipelineGraphView::~PipelineGraphView() = default;

void PipelineGraphView::set_tree(ScheduleTreePtr tree) {
    drop_dragged();
    if (std::exchange(conflict_, nullptr))
        update();
    const bool another = !tree || !tree_ || another_pipeline(*tree_->pipeline, *tree->pipeline);
    tree_ = std::move(tree);
    whole_ = tree_ ? pipeline_graph(*tree_) : PipelineGraph{};
    if (another)
        begin_pipeline();
    PipelineGraph before = std::exchange(graph_, fold(whole_, folded_));
    seconds_ =
        tree_ && estimate_ ? stage_seconds(*tree_, *estimate_) : std::map<std::string, double>{};
    empty_->setVisible(graph_.nodes.empty());
    // An edit has more to show, beside which a larger graph is laid out.
    const bool edit = former_ || (!layout_.nodes.empty() && isVisible());
    describe(std::move(before), edit ? LayoutTime::Milliseconds : LayoutTime::Hundredths);
    say_selection();
    renew_overview();
    if (!waits_with_former())
        show_part();
}

// A picture of a pipeline does not depend on the one before.
void PipelineGraphView::begin_pipeline() {
    folded_ = folded_at_opening(whole_);
    description_ = {};
    layout_ = {};
    stood_.clear();
    former_.reset();
    wanted_in_view_ = false;
    fitted_ = true;
    framing_ = Framing::Opening;
}

void PipelineGraphView::set_estimate(EstimatePtr estimate) {
    estimate_ = std::move(estimate);
    seconds_ =
        tree_ && estimate_ ? stage_seconds(*tree_, *estimate_) : std::map<std::string, double>{};
    say_selection();
    renew_overview();
    if (!waits_with_former())
        update();
}

namespace {
bool same_nodes(const PipelineGraph& a, const PipelineGraph& b) {
    return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                      [](const PipelineNode& x, const PipelineNode& y) {
                          return x.stage == y.stage && x.folded == y.folded;
                      });
}
} // namespace

void PipelineGraphView::describe(PipelineGraph before, LayoutTime most) {
    const TextMetrics bold(bold_font()), plain(text_font()), small(small_font());
    GraphDescription d;
    d.groups = static_cast<int>(graph_.groups.size());
    d.group_title_height = small.height() + 6;
    for (const auto& group : graph_.groups) { // with room for any time
        const QString title = group_title(group.root);
        auto width = [&](const QString& text) {
            return std::ceil(small.width(text)) + kTitleMargin;
        };
        d.titles.push_back({width(title + QStringLiteral(" · 88.8 ms")), width(title)});
    }
    const double any_share = plain.width(QStringLiteral("  100 %"));
    for (const PipelineNode& node : graph_.nodes) {
        // A share may stand beside the name; room is kept so that an estimate never moves the
        // nodes.
        const double name =
            bold.width(shown_name(node)) + (node.is_input || node.inlined ? 0 : any_share);
        const double mark = node.folds.empty() && node.folded.empty() ? 0 : 2 * kFoldMarkRoom;
        const double width = std::max({name + mark, small.width(shown_detail(node)), 40.0}) + 20;
        d.nodes.push_back(
            {std::ceil(width), std::ceil(bold.height() + small.height() + 8), node.group});
    }
    for (const PipelineEdge& edge : graph_.edges) {
        const double width = edge.bytes > 0 ? small.width(format_capacity(edge.bytes)) + 4 : 0;
        d.edges.push_back({edge.from, edge.to, width, width > 0 ? small.height() : 0});
    }
    d.stood = stood_nodes();
    if (same_nodes(before, graph_) && has_room_for(description_, d) &&
        (layout_.nodes.size() == d.nodes.size() || job_->busy()))
        return;
    description_ = d = with_room(description_, std::move(d));
    if (const auto layout = layout_at_once(d, most)) {
        job_->cancel();
        show_layout(*layout);
    } else {
        lay_out_beside(std::move(before));
    }
}

// What was shown until now stays for as long as the layout takes. Meanwhile the edit is painted
// elsewhere; the graph is only where something asks for it.
void PipelineGraphView::lay_out_beside(PipelineGraph before) {
    if (!layout_.nodes.empty() && layout_.nodes.size() == before.nodes.size())
        former_ = Former{std::move(before), std::move(layout_), estimate_, seconds_};
    layout_ = {}; // the old one belongs to other nodes
    job_->request(description_);
}

std::vector<std::optional<Rectangle>> PipelineGraphView::stood_nodes() const {
    std::vector<std::optional<Rectangle>> stood;
    if (stood_.empty())
        return stood;
    for (const PipelineNode& node : graph_.nodes) {
        const auto found = stood_.find({node.folded, node.stage});
        stood.push_back(found == stood_.end() ? std::nullopt : std::optional(found->second));
    }
    return stood;
}

void PipelineGraphView::show_layout(const GraphLayout& layout) {
    layout_ = layout;
    stood_.clear();
    for (std::size_t n = 0; n < layout_.nodes.size(); ++n)
        stood_[{graph_.nodes[n].folded, graph_.nodes[n].stage}] = layout_.nodes[n];
    former_.reset();
    shown_since_press_ = true;
    if (fitted_)
        frame();
    if (std::exchange(wanted_in_view_, false))
        bring_into_view(graph_.index_of(selected_));
    renew_overview();
    show_part();
    emit layoutFinished();
}

bool PipelineGraphView::layout_pending() const { return job_->busy(); }

// A person points at what is there: of an edit that is shown elsewhere this may be gone.
void PipelineGraphView::catch_up() {
    constexpr std::chrono::milliseconds kTwoFrames(33);
    if (waits_with_former())
        job_->settle(kTwoFrames);
}

QRectF PipelineGraphView::node_rectangle(const std::string& stage) const {
    const int node = graph_.index_of(stage);
    if (node < 0 || static_cast<std::size_t>(node) >= layout_.nodes.size())
        return {};
    const Rectangle& r = layout_.nodes[static_cast<std::size_t>(node)];
    return {r.x * scale_ + offset_.x(), r.y * scale_ + offset_.y(), r.width * scale_,
            r.height * scale_};
}

void PipelineGraphView::set_selected(const NodeId& id) {
    const bool opening = framing_ == Framing::Opening;
    if (opening)
        framing_ = Framing::Beginning;
    selected_id_ = id;
    if (selected_ == id.stage)
        return;
    selected_ = id.stage;
    conflict_.reset();
    if (!opening)
        show_selected();
    say_selection();
    show_part();
}

void PipelineGraphView::set_search(const QString& text) {
    search_ = text.trimmed();
    const auto found = std::find_if(graph_.nodes.begin(), graph_.nodes.end(),
                                    [this](const PipelineNode& node) { return !faded(node); });
    if (!search_.isEmpty() && found != graph_.nodes.end())
        bring_into_view(static_cast<int>(found - graph_.nodes.begin()));
    search_field_->say_found(found != graph_.nodes.end());
    renew_overview();
    update();
}

// A folded group is found by its name and by its stages'.
bool PipelineGraphView::faded(const PipelineNode& node) const {
    if (search_.isEmpty() || node.name.contains(search_, Qt::CaseInsensitive))
        return false;
    return std::none_of(node.members.begin(), node.members.end(), [&](const std::string& stage) {
        return to_qstring(stage).contains(search_, Qt::CaseInsensitive);
    });
}

void PipelineGraphView::next_match(bool forward) {
    const int count = static_cast<int>(graph_.nodes.size());
    const int from = graph_.index_of(selected_);
    for (int step = 1; step <= count && !search_.isEmpty(); ++step) {
        const int node =
            ((forward ? from + step : from - step + (from < 0)) % count + count) % count;
        if (!faded(graph_.nodes[static_cast<std::size_t>(node)])) {
            select(node);
            return;
        }
    }
}

double PipelineGraphView::seconds_of(const PipelineNode& node) const {
    double sum = 0;
    bool known = false;
    for (const std::string& stage : node.members)
        if (const auto found = seconds_.find(stage); found != seconds_.end()) {
            sum += found->second;
            known = true;
        }
    return known ? sum : -1;
}

double PipelineGraphView::share_of(const PipelineNode& node) const {
    const double seconds = seconds_of(node);
    if (seconds < 0 || !estimate_ || !estimate_->seconds || *estimate_->seconds <= 0)
        return -1;
    return std::clamp(seconds / *estimate_->seconds, 0.0, 1.0);
}

void PipelineGraphView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    empty_->setGeometry(rect());
    search_field_->place(rect());
    if (fitted_)
        frame();
    place_overview();
}

// A chosen folded group selects its slowest stage, so that the other views have something to show.
void PipelineGraphView::select(int node) {
    const PipelineNode& chosen = graph_.nodes[static_cast<std::size_t>(node)];
    const bool inside = graph_.index_of(selected_) == node && !chosen.folded.empty();
    if (!inside)
        selected_ = *std::max_element(chosen.members.begin(), chosen.members.end(),
                                      [&](const std::string& a, const std::string& b) {
                                          const auto first = seconds_.find(a),
                                                     second = seconds_.find(b);
                                          return (first == seconds_.end() ? 0 : first->second) <
                                                 (second == seconds_.end() ? 0 : second->second);
                                      });
    framing_ = Framing::Selection;
    bring_into_view(node);
    say_selection();
    show_part();
    emit nodeSelected(whole_.nodes[static_cast<std::size_t>(whole_.index_of(selected_))].id);
}

int PipelineGraphView::node_under(const QPointF& position) const {
    const QPointF p = to_graph(position);
    return node_at(layout_, {p.x(), p.y()});
}

void PipelineGraphView::start_search() {
    search_field_->place(rect());
    search_field_->open();
}

void PipelineGraphView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        describe(graph_);
    if (is_theme_change(*event)) {
        renew_overview();
        update();
    }
}

QString PipelineGraphView::tooltip(const PipelineNode& node) const {
    const QString what = !node.folded.empty() ? tr("Folded group")
                         : node.is_input      ? tr("Input")
                         : node.inlined       ? tr("Stage, computed wherever it is read")
                         : node.made          ? tr("Copy made by the schedule")
                         : node.is_output     ? tr("Output")
                                              : tr("Stage");
    QString text = what + ' ' + node.name + ", " + node.detail;
    if (const double seconds = seconds_of(node); seconds >= 0) {
        text += ": " + format_seconds(seconds);
        if (const double share = share_of(node); share >= 0)
            text += ", " + format_share(share) + ' ' + tr("of the time by itself");
    }
    return text + '.';
}

} // namespace loopscope::views
