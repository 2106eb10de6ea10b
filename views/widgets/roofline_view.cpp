#include "views/widgets/roofline_view.h"

#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/style/number_format.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/said_state.h"
#include "views/widgets/wrapped_label.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPicture>
#include <QScopeGuard>
#include <QStackedWidget>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace loopscope::views {

namespace {
constexpr double kGiga = 1e9, kTera = 1e12;
constexpr double kFast = 2e13; // FLOP/s: from here on the vertical axis is in TFLOP/s
constexpr double kNear = 12;   // pixels around a dot that still hit it
constexpr int kMostTold = 8;   // points of one tooltip
constexpr int kPictureHeight = 640;

// Fixes the axis rectangle: what replot() begins with.
void lay_out(QCustomPlot& plot) {
    for (const auto phase :
         {QCPLayoutElement::upPreparation, QCPLayoutElement::upMargins, QCPLayoutElement::upLayout})
        plot.plotLayout()->update(phase);
}
} // namespace

RooflineView::RooflineView(QWidget* parent)
    : QWidget(parent),
      plot_(new QCustomPlot),
      levels_(new QComboBox),
      note_(new WrappedLabel),
      empty_(new EmptyState(
          tr("How near each kernel comes to what the processor and its memories can do."),
          tr("It needs a device whose peaks are known."))),
      stack_(new QStackedWidget) {
    setAccessibleName(tr("Roofline"));
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    keep_font(*note_, small_font);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(14, 4, 14, 0);
    head->setSpacing(kGap);
    head->addWidget(note_, 1);
    head->addWidget(levels_);
    levels_->setAccessibleName(tr("Memory level"));
    levels_->setToolTip(tr("The memory level whose bytes make the arithmetic intensity."));
    column->addLayout(head);
    stack_->addWidget(empty_);
    stack_->addWidget(plot_);
    column->addWidget(stack_, 1);
    plot_->setAccessibleName(tr("Roofline plot"));
    plot_->setFocusPolicy(Qt::StrongFocus);
    plot_->setMinimumSize(160, 120);
    plot_->installEventFilter(this);
    plot_->setNoAntialiasingOnDrag(true);
    plot_->setAutoAddPlottableToLegend(false); // there is none, and keeping it takes quadratic time
    connect(levels_, &QComboBox::currentTextChanged, this, [this](const QString& level) {
        if (quiet_ || level.isEmpty())
            return;
        redraw();
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

void RooflineView::set_measured(std::optional<MeasuredTime> measured) {
    if (measured && measured->stale)
        measured.reset();
    if (measured_ == measured)
        return;
    measured_ = std::move(measured);
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

QString RooflineView::level() const { return levels_->currentText(); }

QString RooflineView::operation() const {
    return integers_ ? QStringLiteral("OP") : QStringLiteral("FLOP");
}

QString RooflineView::format_operations(double rate) const {
    return integers_ ? format_integers_per_second(rate) : format_flops_per_second(rate);
}

void RooflineView::fill_levels() {
    QStringList names;
    if (estimate_)
        for (const model::KernelEstimate& kernel : estimate_->kernels)
            for (const model::LevelTraffic& traffic : kernel.traffic)
                if (!names.contains(to_qstring(traffic.level)))
                    names << to_qstring(traffic.level);
    // keep what was chosen: the next estimate has the same levels
    if (names.isEmpty())
        return;
    const QString kept = level();
    QStringList shown;
    for (int i = 0; i < levels_->count(); ++i)
        shown << levels_->itemText(i);
    if (shown == names)
        return;
    quiet_ = true;
    levels_->clear();
    levels_->addItems(names);
    levels_->setCurrentIndex(names.contains(kept)
                                 ? static_cast<int>(names.indexOf(kept))
                                 : static_cast<int>(names.size()) - 1); // memory is the last
    quiet_ = false;
}

void RooflineView::redraw() {
    collect_dots();
    stack_->setCurrentWidget(ceilings_.empty() && dots_.empty() ? static_cast<QWidget*>(empty_)
                                                                : plot_);
    levels_->setVisible(levels_->count() > 0 && stack_->currentWidget() == plot_);
    if (stack_->currentWidget() == empty_)
        return say_state(*this, {});
    draw(theme_of(*this), plot_->hasFocus());
    plot_->replot(QCustomPlot::rpQueuedRefresh); // it is seen with everything else
    QString text;
    for (const Dot& dot : dots_)
        text += tooltip(dot) + ' ';
    say_state(*plot_, text);
    say_state(*this,
              dots_.size() == 1
                  ? tr("1 point under %1 ceilings").arg(ceilings_.size())
                  : tr("%1 points under %2 ceilings").arg(dots_.size()).arg(ceilings_.size()));
}

void RooflineView::draw(const Theme& t, bool with_keyboard) {
    labels_.clear();
    shown_ = shown_ceilings();
    unit_ = best_compute() >= kFast ? kTera : kGiga;
    plot_->clearPlottables();
    plot_->clearItems();
    lay_out(*plot_); // dots stand inside of it, whole
    draw_axes(t, with_keyboard);
    draw_ceilings(t);
    draw_dots(t);
    lay_out(*plot_); // label places are computed in it
    draw_labels(t);
}

Point RooflineView::pixel(double intensity, double rate) const {
    return {plot_->xAxis->coordToPixel(intensity), plot_->yAxis->coordToPixel(rate)};
}

std::vector<const RooflineView::Dot*> RooflineView::dots_at(const QPoint& position) const {
    std::vector<std::pair<double, const Dot*>> near;
    for (const Dot& dot : dots_) {
        const Point p = pixel(dot.intensity, dot.rate / unit_);
        const double distance = std::hypot(p.x - position.x(), p.y - position.y());
        if (distance <= std::max(kNear, dot.radius))
            near.emplace_back(distance, &dot);
    }
    std::stable_sort(near.begin(), near.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<const Dot*> dots;
    for (const auto& [distance, dot] : near)
        dots.push_back(dot);
    return dots;
}

// The kernel before or after the marked one.
void RooflineView::step_kernel(int step) {
    std::vector<const Dot*> kernels;
    int at = -1;
    for (const Dot& dot : dots_)
        if (dot.kind == Dot::Kind::Kernel) {
            if (dot.node.stage == kernel_)
                at = static_cast<int>(kernels.size());
            kernels.push_back(&dot);
        }
    if (kernels.empty())
        return;
    const int last = static_cast<int>(kernels.size()) - 1;
    const int next = at < 0 ? (step > 0 ? 0 : last) : std::clamp(at + step, 0, last);
    const NodeId node = kernels[static_cast<std::size_t>(next)]->node; // a copy: the answer redraws
    emit nodeSelected(node);
}

QString RooflineView::tooltip(const Dot& dot) const {
    const QString who = dot.kind == Dot::Kind::Kernel ? tr("Kernel %1").arg(dot.name)
                        : dot.kind == Dot::Kind::MeasuredKernel
                            ? tr("Kernel %1, measured").arg(dot.name)
                        : dot.kind == Dot::Kind::Measured ? tr("Whole program, measured")
                                                          : tr("Whole program, predicted");
    return tr("%1: %2, %3, %4 %5 per byte of %6.")
        .arg(who, format_seconds(dot.seconds), format_operations(dot.rate),
             format_significant(dot.intensity), operation(), level());
}

// Of all points there: names of close ones may have no room in the plot.
QString RooflineView::tooltip_at(const QPoint& position) const {
    const auto dots = dots_at(position);
    QStringList lines;
    for (const Dot* dot : dots) {
        if (lines.size() == kMostTold)
            break;
        lines << tooltip(*dot);
    }
    if (const auto others = static_cast<int>(dots.size()) - kMostTold; others > 0)
        lines << tr("%n more", nullptr, others);
    return lines.join('\n');
}

bool RooflineView::eventFilter(QObject* watched, QEvent* event) {
    if (watched != plot_)
        return QWidget::eventFilter(watched, event);
    switch (event->type()) {
    case QEvent::MouseButtonRelease: {
        auto* mouse = static_cast<QMouseEvent*>(event);
        const auto dots = dots_at(mouse->pos());
        if (mouse->button() != Qt::LeftButton || dots.empty() || dots.front()->node.stage.empty())
            break;
        const NodeId node = dots.front()->node; // a copy: the answer redraws
        emit nodeSelected(node);
        break;
    }
    case QEvent::KeyPress: {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key != Qt::Key_Left && key != Qt::Key_Right)
            break;
        step_kernel(key == Qt::Key_Right ? 1 : -1);
        return true;
    }
    case QEvent::FocusIn:
    case QEvent::FocusOut:
        QMetaObject::invokeMethod(this, [this] { redraw(); }, Qt::QueuedConnection);
        break;
    case QEvent::ToolTip: {
        auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), tooltip_at(help->pos()), plot_);
        return true;
    }
    case QEvent::ContextMenu: {
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        add_picture_entries(*menu);
        if (menu->isEmpty())
            menu->deleteLater();
        else
            menu->popup(static_cast<QContextMenuEvent*>(event)->globalPos());
        return true;
    }
    case QEvent::Resize:
        QMetaObject::invokeMethod(this, [this] { redraw(); }, Qt::QueuedConnection);
        break; // labels go by pixels
    default: break;
    }
    return QWidget::eventFilter(watched, event);
}

void RooflineView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (is_theme_change(*event) && stack_->count() > 0)
        redraw();
}

Result<Picture> RooflineView::picture() {
    if (stack_->currentWidget() == empty_)
        return error("there is no roofline to draw", "measure this machine's peaks first");
    const QSize size(kPictureWidth, kPictureHeight);
    return Picture{QStringLiteral("roofline"),
                   level().isEmpty() ? tr("Roofline") : tr("Roofline of %1").arg(level()), size,
                   [this, size](QPainter& painter) { paint_picture(painter, size); }};
}

// Labels are placed by pixels: the plot is laid out at the picture's size first, and at its own
// again afterwards.
void RooflineView::paint_picture(QPainter& painter, const QSize& size) {
    const QRect shown = plot_->viewport();
    plot_->setViewport(QRect(QPoint(0, 0), size));
    draw(picture_theme(), false);
    const auto restore = qScopeGuard([&] {
        plot_->setViewport(shown);
        redraw();
    });
    QPicture commands; // the plot has a painter of its own kind
    QCPPainter plotting(&commands);
    plotting.setMode(QCPPainter::pmVectorized);
    plotting.setMode(QCPPainter::pmNoCaching);
    plot_->toPainter(&plotting, size.width(), size.height());
    plotting.end();
    painter.drawPicture(QPointF(0, 0), commands);
}

} // namespace loopscope::views
