#include "views/widgets/roofline_view.h"

#include "views/geometry/log_axes.h"
#include "views/style/fonts.h"
#include "views/style/number_format.h"
#include "views/widgets/empty_state.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QScopeGuard>
#include <QStackedWidget>
#include <QSvgGenerator>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace loopscope::views {

namespace {

constexpr double kGiga = 1e9; // the vertical axis is in GFLOP/s
constexpr double kNear = 12;  // pixels around a dot that still hit it

Meaning meaning_of_bound(const std::string& bound) {
    return bound == "compute" ? Meaning::Block : bound == "memory" ? Meaning::Pipelined : bound == "overhead" ? Meaning::Serial : Meaning::Unrolled;
}

// Ceilings are named as models name levels: "L2", "memory", perhaps with a suffix.
bool names_level(const std::string& ceiling, const QString& level) { return QString::fromStdString(ceiling).startsWith(level, Qt::CaseInsensitive); }

} // namespace

struct RooflineView::Label {
    QString text;
    enum class Side { RightOf, AboveLeft, AlongDiagonal } side = Side::RightOf;
    double intensity = 1, rate = 1;         // the point that the text belongs to; of a diagonal its lower end
    double end_intensity = 1, end_rate = 1; // of a diagonal its upper end
    bool strong = false;
};

RooflineView::RooflineView(QWidget* parent)
    : QWidget(parent), plot_(new QCustomPlot), levels_(new QComboBox), note_(new QLabel),
      empty_(new EmptyState(tr("How near each kernel comes to what the processor and its memories can do."),
                            tr("It needs a device whose peaks are known."))),
      stack_(new QStackedWidget) {
    setAccessibleName(tr("Roofline"));
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    note_->setFont(small_font());
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(14, 4, kGap, 0);
    head->addWidget(note_, 1);
    note_->setWordWrap(true);
    head->addWidget(levels_);
    levels_->setAccessibleName(tr("Memory level"));
    levels_->setToolTip(tr("The memory level whose bytes make the arithmetic intensity."));
    column->addLayout(head);
    stack_->addWidget(empty_);
    stack_->addWidget(plot_);
    column->addWidget(stack_, 1);
    plot_->setAccessibleName(tr("Roofline plot"));
    plot_->setMinimumSize(160, 120);
    plot_->installEventFilter(this);
    plot_->setNoAntialiasingOnDrag(true);
    connect(levels_, &QComboBox::currentTextChanged, this, [this](const QString& level) {
        if (quiet_ || level.isEmpty())
            return;
        redraw();
        emit levelChanged(level);
    });
    redraw();
}

RooflineView::~RooflineView() = default;

void RooflineView::set_ceilings(std::vector<model::Ceiling> ceilings) {
    ceilings_ = std::move(ceilings);
    fill_levels();
    redraw();
}

void RooflineView::set_estimate(EstimatePtr estimate) {
    estimate_ = std::move(estimate);
    fill_levels();
    redraw();
}

void RooflineView::set_measured(std::optional<double> seconds) {
    measured_ = seconds;
    redraw();
}

void RooflineView::set_tree(ScheduleTreePtr tree) {
    tree_ = std::move(tree);
    set_selected(selected_);
}

void RooflineView::set_selected(const NodeId& id) {
    selected_ = id;
    const std::string before = kernel_;
    kernel_.clear();
    if (tree_)
        if (const auto path = tree_->path(id); path.size() > 1)
            kernel_ = path[1]->id.stage;
    if (kernel_ != before)
        redraw();
}

void RooflineView::set_level(const QString& level) {
    const int index = levels_->findText(level);
    if (index < 0 || index == levels_->currentIndex())
        return;
    quiet_ = true;
    levels_->setCurrentIndex(index);
    quiet_ = false;
    redraw();
}

QString RooflineView::level() const { return levels_->currentText(); }

void RooflineView::fill_levels() {
    QStringList names;
    if (estimate_)
        for (const model::KernelEstimate& kernel : estimate_->kernels)
            for (const model::LevelTraffic& traffic : kernel.traffic)
                if (!names.contains(to_qstring(traffic.level)))
                    names << to_qstring(traffic.level);
    if (names.isEmpty())
        return; // keep what was chosen: the next estimate has the same levels
    const QString kept = level();
    QStringList shown;
    for (int i = 0; i < levels_->count(); ++i)
        shown << levels_->itemText(i);
    if (shown == names)
        return;
    quiet_ = true;
    levels_->clear();
    levels_->addItems(names);
    levels_->setCurrentIndex(names.contains(kept) ? static_cast<int>(names.indexOf(kept)) : static_cast<int>(names.size()) - 1); // memory is the last
    quiet_ = false;
}

void RooflineView::collect_dots() {
    dots_.clear();
    QStringList without;
    if (!estimate_) {
        note_->clear();
        return;
    }
    const std::string chosen = level().toStdString();
    double total_bytes = 0, total_seconds = 0, total_flops = 0;
    for (const model::KernelEstimate& kernel : estimate_->kernels)
        total_seconds += kernel.seconds;
    for (const model::KernelEstimate& kernel : estimate_->kernels) {
        double bytes = 0;
        for (const model::LevelTraffic& traffic : kernel.traffic)
            if (traffic.level == chosen)
                bytes += traffic.bytes;
        total_bytes += bytes;
        total_flops += kernel.flops;
        if (kernel.flops <= 0 || bytes <= 0 || kernel.seconds <= 0) {
            without << to_qstring(kernel.name);
            continue;
        }
        Dot dot;
        dot.name = to_qstring(kernel.name);
        dot.node = kernel.node;
        dot.intensity = kernel.flops / bytes;
        dot.flops_per_second = kernel.flops / kernel.seconds;
        dot.seconds = kernel.seconds;
        dot.bound = kernel.bound;
        dot.radius = 4 + 8 * std::sqrt(kernel.seconds / std::max(total_seconds, kernel.seconds)); // area is time
        dots_.push_back(dot);
    }
    note_->setText(without.isEmpty() ? QString() : tr("Not shown, for want of arithmetic or traffic: %1.").arg(without.join(", ")));
    set_text_colour(*note_, theme_of(*this).faint);
    if (total_flops <= 0 || total_bytes <= 0)
        return;
    Dot whole;
    whole.kind = Dot::Kind::Predicted;
    whole.intensity = total_flops / total_bytes;
    whole.bound = estimate_->bound;
    if (estimate_->seconds && *estimate_->seconds > 0 && (measured_ || estimate_->kernels.size() > 1)) {
        whole.name = tr("predicted");
        whole.seconds = *estimate_->seconds;
        whole.flops_per_second = total_flops / whole.seconds;
        dots_.push_back(whole);
    }
    if (measured_ && *measured_ > 0) {
        whole.kind = Dot::Kind::Measured;
        whole.name = tr("measured");
        whole.seconds = *measured_;
        whole.flops_per_second = total_flops / whole.seconds;
        dots_.push_back(whole);
    }
}

// The ceilings of the element types that the program computes with; all, where nothing is known of it.
std::vector<model::Ceiling> RooflineView::shown_ceilings() const {
    std::set<std::string> used;
    if (tree_)
        for (const DerivedStage& stage : tree_->stages)
            for (ScalarType type : stage.stage.types)
                if (is_float(type))
                    used.insert(name(type));
    std::vector<model::Ceiling> shown;
    for (const model::Ceiling& c : ceilings_) {
        ScalarType type;
        const std::string first = c.name.substr(0, c.name.find(' '));
        if (c.bandwidth || used.empty() || !parse_scalar_type(first, type) || used.count(first))
            shown.push_back(c);
    }
    return shown;
}

double RooflineView::best_bandwidth() const {
    double best = 0;
    for (const model::Ceiling& c : ceilings_)
        if (c.bandwidth)
            best = std::max(best, c.value);
    return best;
}

double RooflineView::best_compute() const {
    double best = 0;
    for (const model::Ceiling& c : shown_ceilings())
        if (!c.bandwidth)
            best = std::max(best, c.value);
    return best;
}

void RooflineView::redraw() {
    collect_dots();
    labels_.clear();
    stack_->setCurrentWidget(ceilings_.empty() && dots_.empty() ? static_cast<QWidget*>(empty_) : plot_);
    levels_->setVisible(levels_->count() > 0 && stack_->currentWidget() == plot_);
    if (stack_->currentWidget() == empty_)
        return;
    const Theme& t = theme_of(*this);
    plot_->clearPlottables();
    plot_->clearItems();
    draw_axes(t);
    draw_ceilings(t);
    draw_dots(t);
    plot_->replot(); // fixes the axis rectangle, which label places are computed in
    draw_labels(t);
    plot_->replot();
    QString text;
    for (const Dot& dot : dots_)
        text += tooltip(dot) + ' ';
    plot_->setAccessibleDescription(text);
}

void RooflineView::draw_axes(const Theme& t) {
    std::vector<double> x, y;
    const double compute = best_compute();
    for (const model::Ceiling& c : shown_ceilings()) {
        if (!c.bandwidth)
            y.push_back(c.value / kGiga);
        else if (compute > 0)
            x.push_back(ridge(compute, c.value));
    }
    for (const Dot& dot : dots_) {
        x.push_back(dot.intensity);
        y.push_back(dot.flops_per_second / kGiga);
    }
    LogRange across = decades_around(x, 3), up = decades_around(y, 3);
    if (!y.empty()) // the ceilings' labels stand above them
        up.high = 2.5 * *std::max_element(y.begin(), y.end());
    plot_->setBackground(t.surface);
    plot_->axisRect()->setBackground(t.surface);
    for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) {
        axis->setScaleType(QCPAxis::stLogarithmic);
        axis->setTicker(QSharedPointer<QCPAxisTickerLog>(new QCPAxisTickerLog));
        axis->setNumberFormat("g");
        axis->setNumberPrecision(6);
        axis->setBasePen(QPen(t.line));
        axis->setTickPen(QPen(t.line));
        axis->setSubTickPen(QPen(Qt::NoPen));
        axis->setTickLength(0, 0);
        axis->setSubTickLength(0, 0);
        axis->setTickLabelColor(t.faint);
        axis->setTickLabelFont(small_font());
        axis->setLabelColor(t.faint);
        axis->setLabelFont(small_font());
        axis->setLabelPadding(2);
        axis->grid()->setPen(QPen(mix(t.surface, t.line, 0.8), 1));
        axis->grid()->setSubGridVisible(false);
    }
    plot_->xAxis->setRange(across.low, across.high);
    plot_->yAxis->setRange(up.low, up.high);
    plot_->xAxis->setLabel(level().isEmpty() ? tr("FLOP per byte") : tr("FLOP per byte (%1)").arg(level()));
    plot_->yAxis->setLabel(QStringLiteral("GFLOP/s"));
}

void RooflineView::draw_ceilings(const Theme& t) {
    const double compute = best_compute(), bandwidth = best_bandwidth();
    const double left = plot_->xAxis->range().lower, right = plot_->xAxis->range().upper, low = plot_->yAxis->range().lower;
    auto line = [&](double x0, double y0, double x1, double y1, const QPen& pen) {
        QCPGraph* graph = plot_->addGraph();
        graph->setData({x0, x1}, {y0, y1});
        graph->setPen(pen);
    };
    const std::vector<model::Ceiling> ceilings = shown_ceilings();
    // "f32 FMA, all cores": what all names share goes without saying.
    auto short_name = [&](const std::string& name) { return to_qstring(name).section(',', 0, 0); };
    std::map<double, QStringList> named; // ceilings of one height have one label
    for (const model::Ceiling& c : ceilings)
        if (!c.bandwidth)
            named[c.value] << short_name(c.name);
    for (const auto& [value, names] : named) {
        const bool top = value >= compute;
        const double begin = bandwidth > 0 ? std::max(left, ridge(value, bandwidth)) : left;
        QPen pen(top ? t.text : t.faint, top ? 1.8 : 1.1);
        if (!top)
            pen.setDashPattern({5, 3});
        line(begin, value / kGiga, right, value / kGiga, pen);
        labels_.push_back({names.join(QStringLiteral(" · ")) + ' ' + format_flops_per_second(value), Label::Side::AboveLeft, right, value / kGiga, right, value / kGiga, top});
    }
    static const QList<QVector<qreal>> dashes{{6, 3}, {2, 2}, {6, 2, 2, 2}};
    int number = 0;
    for (const model::Ceiling& c : ceilings) {
        if (!c.bandwidth)
            continue;
        const bool chosen = names_level(c.name, level());
        const double end = compute > 0 ? std::min(right, ridge(compute, c.value)) : right;
        const double begin = std::max(left, low * kGiga / c.value); // where it enters the plot
        if (begin >= end)
            continue;
        QPen pen(chosen ? t.text : t.faint, chosen ? 1.8 : 1.1);
        if (!chosen)
            pen.setDashPattern(dashes[number++ % 3]);
        const double from = attainable(c.value, begin) / kGiga, to = attainable(c.value, end) / kGiga;
        line(begin, from, end, to, pen);
        labels_.push_back({short_name(c.name) + ' ' + format_bytes_per_second(c.value), Label::Side::AlongDiagonal, begin, from, end, to, chosen});
    }
}

void RooflineView::draw_dots(const Theme& t) {
    const Dot *predicted = nullptr, *measured = nullptr;
    for (const Dot& dot : dots_) {
        predicted = dot.kind == Dot::Kind::Predicted ? &dot : predicted;
        measured = dot.kind == Dot::Kind::Measured ? &dot : measured;
    }
    if (predicted && measured) {
        QCPGraph* joined = plot_->addGraph();
        joined->setData({predicted->intensity, measured->intensity * 1.0000001}, {predicted->flops_per_second / kGiga, measured->flops_per_second / kGiga});
        joined->setPen(QPen(t.text, 1, Qt::DotLine));
    }
    for (const Dot& dot : dots_) {
        const bool fades = dot.kind == Dot::Kind::Kernel && !kernel_.empty() && dot.node.stage != kernel_;
        QColor fill = t.mark(meaning_of_bound(dot.bound));
        fill.setAlphaF(fades ? 0.35 : 0.9);
        QCPScatterStyle style;
        if (dot.kind == Dot::Kind::Kernel)
            style = QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(kernel_ == dot.node.stage ? t.text : t.surface, kernel_ == dot.node.stage ? 2 : 1), QBrush(fill), 2 * dot.radius);
        else
            style = QCPScatterStyle(dot.kind == Dot::Kind::Measured ? QCPScatterStyle::ssDiamond : QCPScatterStyle::ssCross, QPen(t.text, 1.8),
                                    QBrush(t.surface), dot.kind == Dot::Kind::Measured ? 10 : 8);
        QCPGraph* graph = plot_->addGraph();
        graph->setLineStyle(QCPGraph::lsNone);
        graph->setScatterStyle(style);
        graph->setData({dot.intensity}, {dot.flops_per_second / kGiga});
        const QString text = dot.kind == Dot::Kind::Kernel ? dot.name : dot.name + ' ' + format_seconds(dot.seconds);
        labels_.push_back({text, Label::Side::RightOf, dot.intensity, dot.flops_per_second / kGiga, 0, 0, !fades});
    }
}

Point RooflineView::pixel(double intensity, double rate) const {
    return {plot_->xAxis->coordToPixel(intensity), plot_->yAxis->coordToPixel(rate)};
}

void RooflineView::add_text(const Label& label, Point centre, double degrees, const Theme& t) {
    auto* text = new QCPItemText(plot_);
    text->setText(label.text);
    text->setFont(small_font());
    text->setColor(label.strong ? t.text : t.faint);
    text->setClipToAxisRect(false);
    text->position->setType(QCPItemPosition::ptAbsolute);
    text->setPositionAlignment(Qt::AlignCenter);
    text->position->setCoords(centre.x, centre.y);
    text->setRotation(degrees);
}

void RooflineView::draw_labels(const Theme& t) {
    const QFontMetricsF metrics(small_font());
    const QRect inside = plot_->axisRect()->rect();
    const Rectangle bounds{inside.x() + 2.0, inside.y() + 1.0, inside.width() - 4.0, inside.height() - 2.0};
    std::vector<PlacedLabel> places;
    for (const Dot& dot : dots_) {
        const Point p = pixel(dot.intensity, dot.flops_per_second / kGiga);
        places.push_back({{p.x - dot.radius, p.y - dot.radius, 2 * dot.radius, 2 * dot.radius}, false, true});
    }
    // Dots first: their names matter most.
    std::vector<const Label*> owners;
    for (Label::Side side : {Label::Side::RightOf, Label::Side::AboveLeft})
        for (const Label& label : labels_) {
            if (label.side != side)
                continue;
            const double width = metrics.horizontalAdvance(label.text) + 4, height = metrics.height();
            const Point p = pixel(label.intensity, label.rate);
            const Rectangle r = side == Label::Side::RightOf ? Rectangle{p.x + 12, p.y - height / 2, width, height}
                                                             : Rectangle{p.x - width - 2, p.y - height - 1, width, height};
            places.push_back({r, true, true});
            owners.push_back(&label);
        }
    const std::size_t first = places.size() - owners.size();
    separate_labels(places, bounds);
    std::vector<Rectangle> taken;
    for (std::size_t k = 0; k < places.size(); ++k) {
        if (!places[k].shown)
            continue;
        taken.push_back(places[k].rectangle);
        if (k >= first)
            add_text(*owners[k - first], places[k].rectangle.centre(), 0, t);
    }
    for (const Label& label : labels_)
        if (label.side == Label::Side::AlongDiagonal)
            draw_diagonal_label(label, bounds, taken, t);
}

// Slides the text along its line until it covers nothing; a text without a place is left out (the tooltip of the level
// names it).
void RooflineView::draw_diagonal_label(const Label& label, const Rectangle& bounds, std::vector<Rectangle>& taken, const Theme& t) {
    const QFontMetricsF metrics(small_font());
    const double width = metrics.horizontalAdvance(label.text), height = metrics.height();
    const Point from = pixel(label.intensity, label.rate), to = pixel(label.end_intensity, label.end_rate);
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    if (length < 1)
        return;
    const Point along{(to.x - from.x) / length, (to.y - from.y) / length};
    const Point above{along.y, -along.x}; // a quarter turn towards the upper left
    for (double start = 6; start + width + 6 < length; start += 6) {
        // The rotated rectangle as small squares along its middle.
        std::vector<Rectangle> squares;
        const double lift = height / 2 + 2, side = height * 0.9;
        const int count = static_cast<int>(std::ceil(width / side)) + 1;
        for (int s = 0; s < count; ++s) {
            const double at = start + width * s / (count - 1);
            squares.push_back({from.x + along.x * at + above.x * lift - side / 2, from.y + along.y * at + above.y * lift - side / 2, side, side});
        }
        const bool free = std::all_of(squares.begin(), squares.end(), [&](const Rectangle& q) {
            return q.x >= bounds.x && q.y >= bounds.y && q.right() <= bounds.right() && q.bottom() <= bounds.bottom() &&
                   std::none_of(taken.begin(), taken.end(), [&](const Rectangle& o) { return q.overlaps(o); });
        });
        if (!free)
            continue;
        taken.insert(taken.end(), squares.begin(), squares.end());
        const double middle = start + width / 2;
        add_text(label, {from.x + along.x * middle + above.x * lift, from.y + along.y * middle + above.y * lift},
                 std::atan2(along.y, along.x) * 180 / M_PI, t);
        return;
    }
}

const RooflineView::Dot* RooflineView::dot_at(const QPoint& position) const {
    const Dot* best = nullptr;
    double nearest = 1e9;
    for (const Dot& dot : dots_) {
        const Point p = pixel(dot.intensity, dot.flops_per_second / kGiga);
        const double distance = std::hypot(p.x - position.x(), p.y - position.y());
        if (distance <= std::max(kNear, dot.radius) && distance < nearest) {
            nearest = distance;
            best = &dot;
        }
    }
    return best;
}

QString RooflineView::tooltip(const Dot& dot) const {
    const QString who = dot.kind == Dot::Kind::Kernel ? tr("Kernel %1").arg(dot.name) : dot.kind == Dot::Kind::Measured ? tr("Whole program, measured") : tr("Whole program, predicted");
    return tr("%1: %2, %3, %4 FLOP per byte of %5.")
        .arg(who, format_seconds(dot.seconds), format_flops_per_second(dot.flops_per_second), format_significant(dot.intensity), level());
}

bool RooflineView::eventFilter(QObject* watched, QEvent* event) {
    if (watched != plot_)
        return QWidget::eventFilter(watched, event);
    switch (event->type()) {
    case QEvent::MouseButtonRelease: {
        auto* mouse = static_cast<QMouseEvent*>(event);
        const Dot* dot = dot_at(mouse->pos());
        if (mouse->button() == Qt::LeftButton && dot && dot->kind == Dot::Kind::Kernel)
            emit nodeSelected(dot->node);
        break;
    }
    case QEvent::ToolTip: {
        auto* help = static_cast<QHelpEvent*>(event);
        const Dot* dot = dot_at(help->pos());
        QToolTip::showText(help->globalPos(), dot ? tooltip(*dot) : QString(), plot_);
        return true;
    }
    case QEvent::ContextMenu: {
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addAction(tr("Export…"), this, &RooflineView::exportRequested)->setToolTip(tr("Saves the plot as PNG, SVG or PDF."));
        menu->popup(static_cast<QContextMenuEvent*>(event)->globalPos());
        return true;
    }
    case QEvent::Resize: QMetaObject::invokeMethod(this, [this] { redraw(); }, Qt::QueuedConnection); break; // labels go by pixels
    default: break;
    }
    return QWidget::eventFilter(watched, event);
}

void RooflineView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (is_theme_change(*event) && stack_->count() > 0)
        redraw();
}

Status RooflineView::export_to(const QString& path, const QSize& size) {
    const QString ending = path.section('.', -1).toLower();
    bool done = false;
    // Labels are placed by pixels: the plot is laid out at the picture's size first, and at its own again afterwards.
    const QRect shown = plot_->viewport();
    plot_->setViewport(QRect(QPoint(0, 0), size));
    redraw();
    const auto restore = qScopeGuard([&] {
        plot_->setViewport(shown);
        redraw();
    });
    if (ending == "png") {
        done = plot_->savePng(path, size.width(), size.height(), 2);
    } else if (ending == "pdf") {
        done = plot_->savePdf(path, size.width(), size.height(), QCP::epNoCosmetic, tr("Loopscope"), tr("Roofline"));
    } else if (ending == "svg") {
        QSvgGenerator svg;
        svg.setFileName(path);
        svg.setSize(size);
        svg.setViewBox(QRect(QPoint(0, 0), size));
        svg.setTitle(tr("Roofline"));
        QCPPainter painter;
        done = painter.begin(&svg);
        if (done) {
            painter.setMode(QCPPainter::pmVectorized);
            painter.setMode(QCPPainter::pmNoCaching);
            plot_->toPainter(&painter, size.width(), size.height());
            done = painter.end();
        }
    } else {
        return error("a plot cannot be saved as ." + ending.toStdString(), "choose a name that ends in .png, .svg or .pdf");
    }
    if (!done)
        return error("cannot write " + path.toStdString(), "choose another folder");
    return success();
}

} // namespace loopscope::views
