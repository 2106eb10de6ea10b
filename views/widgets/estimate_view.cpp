#include "views/widgets/estimate_view.h"

#include "views/widgets/breakdown_bar.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/fact_rows.h"
#include "views/widgets/focus_line.h"
#include "views/widgets/wrapped_label.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>

#include <utility>

namespace loopscope::views {

namespace {

// pixels: the names of all numbers whole, and the numbers beside them
constexpr int kMinWidth = 278;

} // namespace

EstimateView::EstimateView(QWidget* parent) : QScrollArea(parent) {
    new FocusLine(this);
    setAccessibleName(tr("Estimate"));
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFrameShape(QFrame::NoFrame);
    setBackgroundRole(QPalette::Base);
    setMinimumWidth(kMinWidth);
    auto* page = new QWidget;
    page->setBackgroundRole(QPalette::Base);
    page->setAutoFillBackground(true);
    auto* outer = new QVBoxLayout(page);
    outer->setContentsMargins(0, 0, 0, 0);
    empty_ = new EmptyState(tr("The time that the schedule takes by the model, and why."),
                            tr("Ctrl+O opens a pipeline."), page);
    body_ = new QWidget(page);
    outer->addWidget(empty_);
    outer->addWidget(body_);
    auto* column = new QVBoxLayout(body_);
    column->setContentsMargins(14, 8, 14, 12);
    column->setSpacing(kGap);

    auto* head = new QGridLayout;
    head->setHorizontalSpacing(kGap);
    head->setVerticalSpacing(0);
    time_ = new QLabel;
    time_->setAccessibleName(tr("Estimated time"));
    time_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    change_ = new WrappedLabel;
    change_->setAccessibleName(tr("Difference against the baseline"));
    change_->setToolTip(tr("How the time differs from that of the pinned baseline."));
    second_line_ = new WrappedLabel;
    pin_ = new QPushButton;
    pin_->setProperty("link", true); // ends where the bars below it end
    pin_->setCursor(Qt::PointingHandCursor);
    head->addWidget(time_, 0, 0);
    head->addWidget(change_, 0, 1, Qt::AlignVCenter);
    head->addWidget(pin_, 0, 2, Qt::AlignRight | Qt::AlignVCenter);
    gap_ = new WrappedLabel;
    gap_->setAccessibleName(tr("Difference between the measured and the estimated time"));
    head->addWidget(gap_, 2, 0, 1, 3); // line 1: place_change()
    head->addWidget(second_line_, 3, 0, 1, 3);
    expert_ = new WrappedLabel;
    expert_->setTextFormat(Qt::PlainText);
    expert_->setAccessibleName(tr("Against the expert schedule"));
    compare_expert_ = new QPushButton(tr("Compare"));
    compare_expert_->setProperty("link", true);
    compare_expert_->setCursor(Qt::PointingHandCursor);
    compare_expert_->setAccessibleName(tr("Compare with the expert schedule"));
    compare_expert_->setToolTip(tr("Shows the expert schedule beside this one."));
    head->addWidget(expert_, 5, 0, 1, 2);
    head->addWidget(compare_expert_, 5, 2, Qt::AlignRight | Qt::AlignTop);
    connect(compare_expert_, &QPushButton::clicked, this, &EstimateView::expertRequested);
    refusals_ = new WrappedLabel;
    refusals_->setTextFormat(Qt::RichText);
    refusals_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    refusals_->setAccessibleName(tr("Why the schedule cannot run"));
    head->addWidget(refusals_, 4, 0, 1, 3);
    connect(refusals_, &QLabel::linkActivated, this, [this](const QString& link) {
        NodeId node;
        if (NodeId::parse(link.toStdString(), node))
            emit nodeSelected(node);
    });
    head->setColumnStretch(1, 1);
    head_ = head;
    column->addLayout(head);
    // No columns of the head: this button is wider than the one there.
    auto* peaks = new QHBoxLayout;
    peaks->setSpacing(kGap);
    peaks_ = new WrappedLabel;
    peaks_->setAccessibleName(tr("What is wrong with the machine's peaks"));
    measure_peaks_ = new QPushButton(tr("Measure again"));
    measure_peaks_->setProperty("link", true);
    measure_peaks_->setCursor(Qt::PointingHandCursor);
    measure_peaks_->setAccessibleName(tr("Measure this machine's peaks again"));
    peaks->addWidget(peaks_, 1);
    peaks->addWidget(measure_peaks_, 0, Qt::AlignTop);
    column->addLayout(peaks);
    bar_ = new BreakdownBar;
    column->addWidget(bar_);
    best_advice_ = new QVBoxLayout;
    column->addLayout(best_advice_);
    rows_ = new FactRows;
    rows_->setAccessibleName(tr("Figures of the estimate"));
    column->addWidget(rows_);
    advice_ = new QVBoxLayout;
    advice_->setSpacing(kGap);
    column->addLayout(advice_);
    why_ = new QPushButton(tr("Why?"));
    why_->setCheckable(true);
    why_->setProperty("link", true);
    why_->setCursor(Qt::PointingHandCursor);
    why_->setToolTip(
        tr("Shows the formulas with this schedule's values, and where they come from."));
    why_->setAccessibleName(tr("Why this time?"));
    column->addWidget(why_, 0, Qt::AlignLeft);
    terms_ = new WrappedLabel;
    terms_->setTextFormat(Qt::RichText);
    terms_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    terms_->setAccessibleName(tr("Terms of the estimate"));
    terms_->setMinimumWidth(1); // a long word of a formula is no reason to cut off everything else
    terms_->hide();
    column->addWidget(terms_);
    column->addStretch();
    setWidget(page);

    connect(pin_, &QPushButton::clicked, this, [this] {
        if (baseline_)
            emit unpinRequested();
        else
            emit pinRequested();
    });
    connect(measure_peaks_, &QPushButton::clicked, this, &EstimateView::peaksRequested);
    connect(why_, &QPushButton::toggled, this, [this](bool on) {
        terms_->setVisible(on);
        show_terms();
        if (on) // once it has its height: the explanation comes into sight, its beginning first
            QTimer::singleShot(0, this, [this] {
                widget()->layout()->activate();
                const int top = why_->mapTo(widget(), QPoint(0, 0)).y();
                verticalScrollBar()->setValue(top - kGap);
            });
    });
    connect(bar_, &BreakdownBar::segmentClicked, this, [this](int segment) {
        if (estimate_ && segment < static_cast<int>(estimate_->kernels.size()))
            emit nodeSelected(estimate_->kernels[static_cast<std::size_t>(segment)].node);
    });
    refresh();
}

void EstimateView::set_estimate(EstimatePtr estimate) {
    estimate_ = std::move(estimate);
    refresh();
}

void EstimateView::set_tree(ScheduleTreePtr tree) {
    tree_ = std::move(tree);
    set_selected(selected_);
}

void EstimateView::set_device(DevicePtr device) {
    device_ = std::move(device);
    refresh();
}

void EstimateView::set_baseline(EstimatePtr baseline) {
    baseline_ = std::move(baseline);
    refresh();
}

void EstimateView::set_expert(std::optional<ExpertTime> expert) {
    if (expert_time_ == expert)
        return;
    expert_time_ = std::move(expert);
    show_headline();
}

void EstimateView::set_measured(std::optional<MeasuredTime> measured) {
    if (measured_ == measured)
        return;
    measured_ = measured;
    refresh();
}

void EstimateView::set_selected(const NodeId& id) {
    std::string kernel;
    // a child of the root: the stage at root, or its storage
    if (tree_)
        if (const auto path = tree_->path(id); path.size() > 1)
            kernel = path[1]->id.stage;
    if (selected_ == id && kernel_ == kernel)
        return;
    selected_ = id;
    kernel_ = std::move(kernel);
    refresh();
}

void EstimateView::set_busy(bool busy) {
    if (busy_ == busy)
        return;
    busy_ = busy;
    show_headline();
}

void EstimateView::set_probing(bool probing) {
    if (probing_ == probing)
        return;
    probing_ = probing;
    show_headline();
}

void EstimateView::start_afresh() {
    why_->setChecked(false);
    verticalScrollBar()->setValue(0);
}

void EstimateView::changeEvent(QEvent* event) {
    QScrollArea::changeEvent(event);
    if (body_ && is_theme_change(*event) &&
        (theme_of(*this).kind != shown_in_ || event->type() == QEvent::FontChange))
        refresh();
}

// A narrow panel breaks where a wide one need not.
void EstimateView::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    if (!estimate_)
        return;
    place_change();
    show_advice();
}

// Beside the time, or on a line of its own where that leaves it too little.
void EstimateView::place_change() {
    const QMargins margins = body_->layout()->contentsMargins();
    const int needed = time_->sizeHint().width() + pin_->sizeHint().width() +
                       change_->minimumSizeHint().width() + 2 * kGap + margins.left() +
                       margins.right();
    const bool below = !change_->text().isEmpty() && needed > viewport()->width();
    if (below == change_below_)
        return;
    change_below_ = below;
    head_->removeWidget(change_);
    if (below)
        head_->addWidget(change_, 1, 0, 1, 3);
    else
        head_->addWidget(change_, 0, 1, Qt::AlignVCenter);
}

void EstimateView::refresh() {
    empty_->setVisible(!estimate_);
    body_->setVisible(estimate_ != nullptr);
    // its colours are baked in
    if (shown_in_ != theme_of(*this).kind)
        advice_shown_ = {{"", false}};
    shown_in_ = theme_of(*this).kind;
    if (!estimate_)
        return;
    show_headline();
    place_change();
    show_breakdown();
    show_rows();
    show_advice();
    show_terms();
}

} // namespace loopscope::views
