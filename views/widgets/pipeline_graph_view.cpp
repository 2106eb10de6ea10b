// The graph as a widget: zoom, selection, hover, keys. Longer than files are here, though painting,
// dragging and folding have files of their own: what is left shares one state of the pointer.
#include "views/widgets/pipeline_graph_view.h"

#include "views/models/directive_lines.h"
#include "views/style/fonts.h"
#include "views/style/number_format.h"
#include "views/style/text_metrics.h"
#include "views/style/theme.h"
#include "views/widgets/bubble.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/search_field.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace loopscope::views {

namespace {
constexpr double kMinZoom = 0.002, kMaxZoom = 4, kMaxFit = 1.15;
constexpr double kGraphMargin = 14;
// Zooms: what a whole graph may shrink to, names of six pixels; what is taken instead.
constexpr double kReadable = 0.45, kReading = 0.8;
} // namespace

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
      bubble_(new Bubble(this)) {
    setAccessibleName(tr("Pipeline graph"));
    setAccessibleDescription(
        tr("Arrow keys walk from stage to stage, M moves a stage into another, Shift+M its memory, "
           "the menu key offers "
           "directives, G folds a group of stages, F fits the graph to the panel, / searches."));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setMinimumSize(120, 100);
    connect(search_field_, &SearchField::textChanged, this, &PipelineGraphView::set_search);
    connect(search_field_, &SearchField::nextRequested, this, &PipelineGraphView::next_match);
}

PipelineGraphView::~PipelineGraphView() = default;

void PipelineGraphView::set_tree(ScheduleTreePtr tree) {
    drop_dragged();
    conflict_.reset();
    if (!tree || !tree_ || tree->pipeline != tree_->pipeline) {
        folded_.clear();
        description_ = {}; // a picture of a pipeline does not depend on the one before
        layout_ = {};
        earlier_ = {};
    }
    tree_ = std::move(tree);
    whole_ = tree_ ? pipeline_graph(*tree_) : PipelineGraph{};
    PipelineGraph before = std::exchange(graph_, fold(whole_, folded_));
    seconds_ =
        tree_ && estimate_ ? stage_seconds(*tree_, *estimate_) : std::map<std::string, double>{};
    empty_->setVisible(graph_.nodes.empty());
    describe(std::move(before));
    update();
}

void PipelineGraphView::set_estimate(EstimatePtr estimate) {
    estimate_ = std::move(estimate);
    seconds_ =
        tree_ && estimate_ ? stage_seconds(*tree_, *estimate_) : std::map<std::string, double>{};
    update();
}

QString PipelineGraphView::shown_name(const PipelineNode& node) {
    return TextMetrics(bold_font()).elided(node.name, Qt::ElideMiddle, kWidestName);
}

QString PipelineGraphView::shown_detail(const PipelineNode& node) {
    return TextMetrics(small_font()).elided(node.detail, Qt::ElideMiddle, kWidestName + 60);
}

void PipelineGraphView::describe(PipelineGraph before) {
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
    if (has_room_for(description_, d) && (layout_.nodes.size() == d.nodes.size() || job_->busy()))
        return;
    description_ = d = with_room(description_, std::move(d));
    if (const auto layout = layout_at_once(d)) {
        job_->cancel();
        show_layout(*layout);
    } else {
        keep_picture(std::move(before));
        layout_ = {}; // the old one belongs to other nodes
        job_->request(d);
    }
}

// What was shown until now, for as long as the new layout takes.
void PipelineGraphView::keep_picture(PipelineGraph before) {
    if (layout_.nodes.empty() || layout_.nodes.size() != before.nodes.size() || !isVisible())
        return;
    std::swap(graph_, before);
    earlier_ = QPixmap(size() * devicePixelRatio());
    earlier_.setDevicePixelRatio(devicePixelRatio());
    QPainter painter(&earlier_);
    paint_graph(painter);
    std::swap(graph_, before);
}

void PipelineGraphView::show_layout(const GraphLayout& layout) {
    layout_ = layout;
    earlier_ = {};
    if (fitted_)
        frame();
    update();
    emit layoutFinished();
}

bool PipelineGraphView::layout_pending() const { return job_->busy(); }

QRectF PipelineGraphView::node_rectangle(const std::string& stage) const {
    const int node = graph_.index_of(stage);
    if (node < 0 || static_cast<std::size_t>(node) >= layout_.nodes.size())
        return {};
    const Rectangle& r = layout_.nodes[static_cast<std::size_t>(node)];
    return {r.x * scale_ + offset_.x(), r.y * scale_ + offset_.y(), r.width * scale_,
            r.height * scale_};
}

void PipelineGraphView::set_selected(const NodeId& id) {
    if (selected_ == id.stage)
        return;
    selected_ = id.stage;
    conflict_.reset();
    if (const int node = graph_.index_of(selected_); node >= 0) {
        if (!fitted_)
            bring_into_view(node);
        else if (scale_ == kReading)
            frame();
    }
    say_selection();
    update();
}

void PipelineGraphView::set_search(const QString& text) {
    search_ = text.trimmed();
    if (!search_.isEmpty())
        for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
            if (!faded(graph_.nodes[n])) {
                bring_into_view(static_cast<int>(n));
                break;
            }
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

// ---- moving about -------------------------------------------------------------------------------

void PipelineGraphView::zoom_to_fit() {
    fitted_ = true;
    const Rectangle& b = layout_.bounds;
    if (b.width <= 0 || b.height <= 0 || width() < 4 * kGraphMargin || height() < 4 * kGraphMargin)
        return;
    scale_ = std::clamp(
        std::min((width() - 2 * kGraphMargin) / b.width, (height() - 2 * kGraphMargin) / b.height),
        kMinZoom, kMaxFit);
    offset_ = QPointF(width() / 2.0, height() / 2.0) - QPointF(b.centre().x, b.centre().y) * scale_;
    update();
}

// The whole graph; of one that would be too small to read the part around the selection, until the
// person zooms.
void PipelineGraphView::frame() {
    zoom_to_fit();
    const int node = std::max(0, graph_.index_of(selected_));
    if (scale_ >= kReadable || static_cast<std::size_t>(node) >= layout_.nodes.size())
        return;
    const Point centre = layout_.nodes[static_cast<std::size_t>(node)].centre();
    scale_ = kReading;
    // No room is left empty beyond an end of the graph while its other end is out of sight.
    const auto begin = [this](double centre, double low, double length, int room) {
        if (length * scale_ + 2 * kGraphMargin <= room)
            return room / 2.0 - (low + length / 2) * scale_;
        return std::clamp(room / 2.0 - centre * scale_,
                          room - kGraphMargin - (low + length) * scale_,
                          kGraphMargin - low * scale_);
    };
    const Rectangle& b = layout_.bounds;
    offset_ =
        QPointF(begin(centre.x, b.x, b.width, width()), begin(centre.y, b.y, b.height, height()));
}

void PipelineGraphView::zoom_by(double factor) {
    const QPointF anchor =
        underMouse() ? QPointF(mapFromGlobal(QCursor::pos())) : QPointF(rect().center());
    const QPointF fixed = to_graph(anchor);
    scale_ = std::clamp(scale_ * factor, kMinZoom, kMaxZoom);
    offset_ = anchor - fixed * scale_;
    fitted_ = false;
    update();
}

void PipelineGraphView::bring_into_view(int node) {
    if (static_cast<std::size_t>(node) >= layout_.nodes.size())
        return;
    const QRectF r = node_rectangle(graph_.nodes[static_cast<std::size_t>(node)].members.front());
    if (QRectF(rect()).adjusted(8, 8, -8, -8).contains(r))
        return;
    fitted_ = false;
    offset_ += QPointF(rect().center()) - r.center();
    update();
}

void PipelineGraphView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    empty_->setGeometry(rect());
    search_field_->place(rect());
    if (fitted_)
        frame();
}

void PipelineGraphView::wheelEvent(QWheelEvent* event) {
    if (event->angleDelta().y() != 0)
        zoom_by(std::pow(1.0015, event->angleDelta().y()));
    event->accept();
}

void PipelineGraphView::mousePressEvent(QMouseEvent* event) {
    pressed_ = event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton;
    press_ = event->position();
    panning_ = false;
    drag_.node =
        event->button() == Qt::LeftButton && mark_under(press_) < 0 ? node_under(press_) : -1;
    if (drag_.node >= 0 && (graph_.nodes[static_cast<std::size_t>(drag_.node)].is_input ||
                            graph_.nodes[static_cast<std::size_t>(drag_.node)].stage.empty()))
        drag_.node = -1; // inputs and folded groups move nowhere: the ground is dragged
}

void PipelineGraphView::mouseMoveEvent(QMouseEvent* event) {
    if (!pressed_) {
        setCursor(node_under(event->position()) >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
        return;
    }
    const QPointF moved = event->position() - press_;
    if (!panning_ && moved.manhattanLength() < QApplication::startDragDistance())
        return;
    if (drag_.node >= 0) {
        if (!panning_)
            begin_drag(drag_.node);
        panning_ = true;
        drag_to(event->position(), event->modifiers());
        return;
    }
    panning_ = true;
    fitted_ = false;
    setCursor(Qt::ClosedHandCursor);
    offset_ += moved;
    press_ = event->position();
    update();
}

void PipelineGraphView::mouseReleaseEvent(QMouseEvent* event) {
    if (pressed_ && !panning_ && event->button() == Qt::LeftButton) {
        if (const int mark = mark_under(event->position()); mark >= 0)
            toggle_fold(mark);
        else if (const int node = node_under(event->position()); node >= 0)
            select(node);
    }
    if (panning_ && drag_.node >= 0) {
        drag_to(event->position(), event->modifiers());
        end_drag(true, event->globalPosition().toPoint());
    }
    drag_.node = -1;
    pressed_ = panning_ = false;
    unsetCursor();
}

void PipelineGraphView::mouseDoubleClickEvent(QMouseEvent* event) {
    const int node = node_under(event->position());
    if (node < 0)
        zoom_to_fit();
    else if (!graph_.nodes[static_cast<std::size_t>(node)].folded.empty())
        toggle_fold(node);
}

void PipelineGraphView::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void PipelineGraphView::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

void PipelineGraphView::keyPressEvent(QKeyEvent* event) {
    if (drag_.node >= 0 && panning_) {
        if (event->key() == Qt::Key_Escape) {
            end_drag(false);
            pressed_ = panning_ = false;
        } else if (event->key() == Qt::Key_Alt) {
            drag_to(drag_.at, Qt::AltModifier);
        }
        return;
    }
    switch (event->key()) {
    case Qt::Key_Menu: open_menu(below_selected()); return;
    case Qt::Key_F10:
        if (event->modifiers() == Qt::ShiftModifier) {
            open_menu(below_selected());
            return;
        }
        break;
    case Qt::Key_M:
        if (const int node = graph_.index_of(selected_);
            tree_ && !(event->modifiers() & ~Qt::ShiftModifier) && node >= 0 &&
            !graph_.nodes[static_cast<std::size_t>(node)].stage.empty()) {
            const NodeId stage{selected_, -1, "@stage"};
            const bool store = event->modifiers() == Qt::ShiftModifier;
            const DirectiveGroup places =
                store ? store_group(*tree_, stage) : move_group(*tree_, stage);
            if (places.choices.empty())
                emit directiveRefused({}, places.absent);
            else
                open_places(places, below_selected());
            return;
        }
        break;
    case Qt::Key_G:
        if (event->modifiers() == Qt::ShiftModifier) {
            toggle_all_folds();
            return;
        }
        if (event->modifiers() == Qt::NoModifier) {
            toggle_fold(graph_.index_of(selected_));
            return;
        }
        break;
    case Qt::Key_Slash: start_search(); return;
    case Qt::Key_F:
    case Qt::Key_0:
        if (event->modifiers() == Qt::NoModifier) {
            zoom_to_fit();
            return;
        }
        break;
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom_by(1.25); return;
    case Qt::Key_Minus: zoom_by(0.8); return;
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down: step_selection(event->key()); return;
    default: break;
    }
    if (event->matches(QKeySequence::Find)) {
        start_search();
        return;
    }
    // Of the selected stage, as in the tree.
    if (const auto directive = directive_of_key(*event);
        !directive.isEmpty() && graph_.index_of(selected_) >= 0) {
        emit directiveKeyPressed(NodeId{selected_, -1, "@stage"}, directive);
        return;
    }
    QWidget::keyPressEvent(event);
}

// The nearest node in the arrow's direction, with a preference for straight ahead.
void PipelineGraphView::step_selection(int key) {
    const int from = graph_.index_of(selected_);
    if (from < 0 || static_cast<std::size_t>(from) >= layout_.nodes.size()) {
        if (!layout_.nodes.empty())
            select(0);
        return;
    }
    const Point here = layout_.nodes[static_cast<std::size_t>(from)].centre();
    int best = -1;
    double least = 0;
    for (std::size_t n = 0; n < layout_.nodes.size(); ++n) {
        const Point there = layout_.nodes[n].centre();
        const double dx = there.x - here.x, dy = there.y - here.y;
        const bool vertical = key == Qt::Key_Up || key == Qt::Key_Down;
        const double ahead = key == Qt::Key_Left    ? -dx
                             : key == Qt::Key_Right ? dx
                             : key == Qt::Key_Up    ? -dy
                                                    : dy;
        const double distance = ahead + 2 * std::abs(vertical ? dx : dy);
        if (ahead > 1 && (best < 0 || distance < least)) {
            best = static_cast<int>(n);
            least = distance;
        }
    }
    if (best >= 0)
        select(best);
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
    bring_into_view(node);
    say_selection();
    update();
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
    if (is_theme_change(*event))
        update();
}

bool PipelineGraphView::event(QEvent* event) {
    // Escape ends the drag before it is anybody's shortcut.
    if (event->type() == QEvent::ShortcutOverride && drag_.node >= 0 && panning_ &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const int node = node_under(help->pos());
        if (mark_under(help->pos()) >= 0)
            QToolTip::showText(help->globalPos(), tr("Folds or unfolds the group (G)."), this);
        else if (node >= 0)
            QToolTip::showText(help->globalPos(),
                               tooltip(graph_.nodes[static_cast<std::size_t>(node)]), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
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
            text += ", " + format_share(share) + ' ' + tr("of the time");
    }
    return text + '.';
}

} // namespace loopscope::views
