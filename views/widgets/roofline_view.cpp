#include "views/widgets/roofline_view.h"

#include "core/ir/cost.h"
#include "core/schedule/intrinsics.h"
#include "views/geometry/log_axes.h"
#include "views/style/fonts.h"
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
#include <map>
#include <set>

namespace loopscope::views {

namespace {
constexpr double kGiga = 1e9, kTera = 1e12;
constexpr double kFast = 2e13; // FLOP/s: from here on the vertical axis is in TFLOP/s
constexpr double kNear = 12;   // pixels around a dot that still hit it
constexpr int kNamedAbsent = 4;
constexpr int kPictureHeight = 640;
constexpr std::size_t kMaxDots = 60; // more are a cloud, in which none can be told from another

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
    note_->setFont(small_font());
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

namespace {

// "i16": of the operations on integers that the stage's values are made by, wherever they are kept.
void add_integer_widths(const Stage& stage, std::set<std::string>& widths) {
    for (const Definition& definition : stage.definitions) {
        if (definition.kind == DefinitionKind::Reduction) // which adds to the value so far
            for (ScalarType type : stage.types)
                if (!is_float(type) && type != ScalarType::Bool)
                    widths.insert("i" + std::to_string(bits(type)));
        for (const ExprPtr& value : definition.values)
            visit(value, [&](const Expr& e) {
                if (cost_of_node(e).integer_operations > 0)
                    widths.insert("i" + std::to_string(bits(e.type)));
                return e.kind != ExprKind::Load;
            });
    }
}

} // namespace

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

void RooflineView::collect_dots() {
    dots_.clear();
    QStringList without;
    if (!estimate_) {
        note_->clear();
        return;
    }
    const std::string chosen = level().toStdString();
    double total_bytes = 0, total_seconds = 0, total_operations = 0;
    double total_flops = 0, total_integers = 0;
    for (const model::KernelEstimate& kernel : estimate_->kernels) {
        total_seconds += kernel.seconds;
        total_flops += kernel.flops;
        total_integers += kernel.integer_operations;
    }
    // What it computes most with; a table of floats makes no program of floats.
    integers_ = total_integers > total_flops;
    for (const model::KernelEstimate& kernel : estimate_->kernels) {
        double bytes = 0;
        for (const model::LevelTraffic& traffic : kernel.traffic)
            if (traffic.level == chosen)
                bytes += traffic.bytes;
        total_bytes += bytes;
        const double operations = integers_ ? kernel.integer_operations : kernel.flops;
        total_operations += operations;
        if (operations <= 0 || bytes <= 0 || kernel.seconds <= 0) {
            without << to_qstring(kernel.name);
            continue;
        }
        Dot dot;
        dot.name = to_qstring(kernel.name);
        dot.node = kernel.node;
        dot.intensity = operations / bytes;
        dot.rate = operations / kernel.seconds;
        dot.seconds = kernel.seconds;
        dot.bound = kernel.bound;
        // area is time
        dot.radius = 4 + 8 * std::sqrt(kernel.seconds / std::max(total_seconds, kernel.seconds));
        dots_.push_back(dot);
        // Of one kernel the whole program's point is its own.
        if (const auto* measured = measured_ && estimate_->kernels.size() > 1
                                       ? measured_->kernel(kernel.name)
                                       : nullptr;
            measured && measured->seconds && *measured->seconds > 0) {
            dot.kind = Dot::Kind::MeasuredKernel;
            dot.rate = operations / *measured->seconds;
            dot.seconds = *measured->seconds;
            dot.radius = 4;
            dots_.push_back(dot);
        }
    }
    QStringList notes;
    if (const std::size_t left_out = keep_greatest_dots(); left_out > 0)
        notes << tr("The %1 kernels that take least time are left out.").arg(left_out);
    if (integers_ && total_flops > 0)
        notes << tr("Operations are those on integers.");
    if (estimate_->described)
        notes << tr("Estimated for %1, described.").arg(to_qstring(estimate_->device));
    if (without.size() > kNamedAbsent)
        notes << tr("%1 kernels without arithmetic or traffic are not shown.").arg(without.size());
    else if (!without.isEmpty())
        notes << tr("Not shown, for want of arithmetic or traffic: %1.").arg(without.join(", "));
    note_->setText(notes.join(' '));
    set_text_colour(*note_, theme_of(*this).faint);
    if (total_operations <= 0 || total_bytes <= 0)
        return;
    Dot whole;
    whole.kind = Dot::Kind::Predicted;
    whole.intensity = total_operations / total_bytes;
    whole.bound = estimate_->bound;
    if (estimate_->seconds && *estimate_->seconds > 0 &&
        (measured_ || estimate_->kernels.size() > 1)) {
        whole.name = tr("predicted");
        whole.seconds = *estimate_->seconds;
        whole.rate = total_operations / whole.seconds;
        dots_.push_back(whole);
    }
    if (measured_ && measured_->median_seconds > 0) {
        whole.kind = Dot::Kind::Measured;
        whole.name = tr("measured");
        whole.seconds = measured_->median_seconds;
        whole.rate = total_operations / whole.seconds;
        dots_.push_back(whole);
    }
}

// The kernels that take most of the time, and the selected one. Returns how many are left out.
std::size_t RooflineView::keep_greatest_dots() {
    if (dots_.size() <= kMaxDots)
        return 0;
    std::vector<double> seconds;
    for (const Dot& dot : dots_)
        if (dot.kind == Dot::Kind::Kernel)
            seconds.push_back(dot.seconds);
    if (seconds.size() <= kMaxDots)
        return 0;
    std::nth_element(seconds.begin(), seconds.begin() + kMaxDots, seconds.end(), std::greater<>());
    const double least = seconds[kMaxDots];
    std::vector<Dot> kept;
    std::size_t left_out = 0, kernels = 0;
    bool with_kernel = false; // a kernel's measured point goes with it
    for (Dot& dot : dots_) {
        if (dot.kind == Dot::Kind::Kernel) {
            with_kernel = dot.node.stage == kernel_ || (dot.seconds >= least && kernels < kMaxDots);
            ++(with_kernel ? kernels : left_out);
        }
        if (with_kernel)
            kept.push_back(std::move(dot));
    }
    dots_ = std::move(kept);
    return left_out;
}

// The ceilings of the types that the program computes with; of integers those of their operations'
// widths, or of 32 bits where the device tells none of another; of one without arithmetic those of
// the fastest type of floats, as a measure; all of floats, where nothing is known of it.
std::vector<model::Ceiling> RooflineView::shown_ceilings() const {
    auto type_of = [](const model::Ceiling& c) { return c.name.substr(0, c.name.find(' ')); };
    auto of_tensors = [](const model::Ceiling& c) {
        return c.name.find("tensor cores") != std::string::npos;
    };
    std::set<std::string> used, multiplied;
    if (tree_) {
        for (const DerivedStage& stage : tree_->stages) {
            if (integers_)
                add_integer_widths(stage.stage, used);
            else
                for (ScalarType type : stage.stage.types)
                    if (is_float(type))
                        used.insert(name(type));
        }
        // Tensor cores multiply what is read: operands of a program with a product, or of an
        // instruction that stands there.
        for (const Stage& stage : tree_->pipeline->stages)
            if (stage.is_input)
                for (ScalarType type : stage.types)
                    if (type != ScalarType::F32)
                        multiplied.insert(type == ScalarType::U8 ? "i8" : name(type));
        for (const DerivedStage& stage : tree_->stages)
            if (const StageState* state = tree_->state.find(stage.stage.name))
                for (const auto& definition : state->definitions)
                    if (definition.tensorized)
                        if (const auto& instruction = definition.tensorized->intrinsic->name;
                            instruction.ends_with("_tf32"))
                            multiplied.insert("tf32");
    }
    // Of the kind of operation that the points have.
    auto counts = [&](const model::Ceiling& c) {
        return !c.bandwidth && !of_tensors(c) && c.integers == integers_;
    };
    const bool known = std::any_of(ceilings_.begin(), ceilings_.end(), [&](const auto& c) {
        return counts(c) && used.count(type_of(c)) > 0;
    });
    if (integers_ && !known)
        used = {"i32"};
    if (tree_ && used.empty()) {
        const auto best =
            std::max_element(ceilings_.begin(), ceilings_.end(), [&](const auto& a, const auto& b) {
                return (counts(a) ? a.value : 0) < (counts(b) ? b.value : 0);
            });
        if (best != ceilings_.end())
            used.insert(type_of(*best));
    }
    std::vector<model::Ceiling> shown;
    for (const model::Ceiling& c : ceilings_) {
        ScalarType type;
        const std::string first = type_of(c);
        if (c.bandwidth) {
            shown.push_back(c);
            continue;
        }
        if (c.integers != integers_)
            continue;
        if (tree_ && of_tensors(c)) {
            if (multiplied.count(first))
                shown.push_back(c);
            continue;
        }
        if (used.empty() || !parse_scalar_type(first, type) || used.count(first))
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

const RooflineView::Dot* RooflineView::dot_at(const QPoint& position) const {
    const Dot* best = nullptr;
    double nearest = 1e9;
    for (const Dot& dot : dots_) {
        const Point p = pixel(dot.intensity, dot.rate / unit_);
        const double distance = std::hypot(p.x - position.x(), p.y - position.y());
        if (distance <= std::max(kNear, dot.radius) && distance < nearest) {
            nearest = distance;
            best = &dot;
        }
    }
    return best;
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

bool RooflineView::eventFilter(QObject* watched, QEvent* event) {
    if (watched != plot_)
        return QWidget::eventFilter(watched, event);
    switch (event->type()) {
    case QEvent::MouseButtonRelease: {
        auto* mouse = static_cast<QMouseEvent*>(event);
        const Dot* dot = dot_at(mouse->pos());
        if (mouse->button() == Qt::LeftButton && dot && !dot->node.stage.empty())
            emit nodeSelected(dot->node);
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
        const Dot* dot = dot_at(help->pos());
        QToolTip::showText(help->globalPos(), dot ? tooltip(*dot) : QString(), plot_);
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
