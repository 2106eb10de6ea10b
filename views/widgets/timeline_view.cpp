#include "views/widgets/timeline_view.h"

#include "views/models/node_text.h"
#include "views/models/pipeline_graph.h"
#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/style/number_format.h"
#include "views/widgets/picture_canvas.h"
#include "views/widgets/said_state.h"
#include "views/widgets/wrapped_label.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPointer>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStringList>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope::views {

namespace {

constexpr int kMaxStages = 8; // ALCOP's search space
constexpr double kClick = 3;  // pixels that a press may move without being a drag

} // namespace

TimelineView::TimelineView(QWidget* parent)
    : PagedView(tr("Pipeline timeline"), parent),
      which_(new QComboBox),
      canvas_(new PictureCanvas(
          [this](QPainter& painter, const PictureFrame& frame) { paint(painter, frame, window_); },
          [this](const QPointF& position) { return tooltip_at(position); },
          [this](QMenu& menu) {
              add_zoom_entry(menu);
              add_picture_entries(menu);
          })),
      hint_(new QLabel(tr("drag a row, or ← →, to load further ahead"))),
      summary_(new WrappedLabel),
      preview_label_(new WrappedLabel),
      key_(new WrappedLabel) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(14, 6, 14, 8);
    column->setSpacing(4);
    auto* head = new QHBoxLayout;
    head->addWidget(which_);
    head->addStretch(1);
    head->addWidget(hint_);
    column->addLayout(head);
    column->addWidget(canvas_);
    column->addWidget(preview_label_);
    column->addWidget(summary_);
    column->addWidget(key_);
    column->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    page->setBackgroundRole(QPalette::Base);
    page->setAutoFillBackground(true);
    scroll->setWidget(page);
    set_page(scroll);
    which_->setAccessibleName(tr("Which loads"));
    which_->setToolTip(tr("The loops whose loads are shown; selecting in the tree chooses too."));
    keep_font(*hint_, small_font);
    hint_->setToolTip(tr("The wheel zooms, with Shift it moves, as a drag beside the rows of loads "
                         "does; a double click shows the whole time."));
    summary_->setAccessibleName(tr("Summary of the timeline"));
    keep_font(*summary_, small_font);
    key_->setAccessibleName(tr("Key of the timeline"));
    keep_font(*key_, small_font);
    preview_label_->setAccessibleName(tr("What the change would do"));
    canvas_->setFocusPolicy(Qt::StrongFocus);
    canvas_->setMouseTracking(true);
    canvas_->setAccessibleName(tr("Timeline of loads and work"));
    canvas_->installEventFilter(this);
    connect(which_, &QComboBox::activated, this, [this](int chain) {
        if (chain >= 0 && chain < static_cast<int>(chains_.size()))
            emit nodeSelected(chains_[static_cast<std::size_t>(chain)].node);
    });
    refresh();
}

void TimelineView::set_snapshot(ScheduleTreePtr tree, EstimatePtr estimate,
                                std::shared_ptr<const Schedule> schedule, DevicePtr device) {
    if (!tree || !tree_ || another_pipeline(*tree_->pipeline, *tree->pipeline))
        window_ = {};
    pan_from_.reset();
    tree_ = std::move(tree);
    estimate_ = std::move(estimate);
    schedule_ = std::move(schedule);
    device_ = std::move(device);
    pending_.reset();
    drag_.reset();
    refresh();
}

void TimelineView::set_selected(const NodeId& id) {
    if (selected_ == id)
        return;
    selected_ = id;
    if (tree_ && chain_of(chains_, *tree_, id) != shown_ && !drag_)
        refresh();
}

void TimelineView::refresh() {
    chains_.clear();
    shown_ = -1;
    if (tree_ && device_ && device_->gpu) {
        chains_ = pipeline_chains(*tree_, estimate_.get(), *device_);
        shown_ = chain_of(chains_, *tree_, selected_);
    }
    if (shown_ < 0) {
        const bool gpu = device_ && device_->gpu;
        show_empty(tr("When each level of memory is loaded and when the work runs."),
                   !tree_ ? tr("Ctrl+O opens a pipeline.")
                   : gpu  ? tr("No loop loads into shared memory or registers yet: C in the "
                                "tree copies what a stage reads, M moves the copy to a loop.")
                          : needs_gpu());
        return;
    }
    show_page();
    const QSignalBlocker quiet(which_);
    which_->clear();
    for (const PipelineChain& chain : chains_)
        which_->addItem(node_title(chain.node));
    which_->setCurrentIndex(shown_);
    which_->setVisible(chains_.size() > 1);
    show_chain();
}

const PipelineChain* TimelineView::chain() const {
    return shown_ < 0 ? nullptr : &chains_[static_cast<std::size_t>(shown_)];
}

int TimelineView::copies(int level) const {
    if (pending_ && level == level_)
        return *pending_;
    return chain()->levels[static_cast<std::size_t>(level)].copies;
}

void TimelineView::show_chain() {
    level_ = std::clamp(level_, 0, static_cast<int>(chain()->levels.size()) - 1);
    answer_ = {};
    simulate();
    say();
}

void TimelineView::simulate() {
    TimelineSpec spec = chain()->spec();
    int deepest = 1;
    for (std::size_t l = 0; l < spec.levels.size(); ++l) {
        spec.levels[l].stages = copies(static_cast<int>(l));
        deepest = std::max(deepest, spec.levels[l].stages);
    }
    timeline_ = simulate_timeline(spec, deepest + 7);
    canvas_->setMinimumHeight(static_cast<int>(height(400)));
    canvas_->update();
}

std::vector<DirectiveEdit> TimelineView::pending_edits() const {
    if (!pending_ || !chain())
        return {};
    return stages_edits(chain()->levels[static_cast<std::size_t>(level_)], *pending_, *tree_,
                        schedule_.get());
}

QWidget* TimelineView::canvas() const { return canvas_; }
QString TimelineView::summary() const { return summary_->text(); }
QString TimelineView::preview_text() const {
    return preview_label_->isHidden() ? QString() : preview_label_->text();
}

void TimelineView::say() {
    const Theme& t = theme_of(*this);
    const PipelineChain& c = *chain();
    set_text_colour(*hint_, t.faint);
    set_text_colour(*summary_, t.faint);
    QStringList parts;
    const auto& outer = c.levels.front();
    parts << tr("%1 of %2 iterations of %3 are drawn")
                 .arg(timeline_.drawn)
                 .arg(format_count(static_cast<double>(outer.times.iterations)),
                      to_qstring(outer.loop.name));
    if (c.timed) {
        parts << tr("prologue %1").arg(format_seconds(timeline_.prologue))
              << tr("%1 busy %2 of the time").arg(c.work_name, format_share(timeline_.busy));
        parts
            << (timeline_.spare >= 0
                    ? tr("loads are hidden, with %1 to spare").arg(format_seconds(timeline_.spare))
                    : tr("work waits %1 in each iteration").arg(format_seconds(-timeline_.spare)));
    } else {
        parts << tr("lengths are no times: %1").arg(c.reason);
    }
    if (c.shared_limit > 0 && c.shared_bytes > 0)
        parts << tr("shared memory %1 of %2")
                     .arg(format_capacity(static_cast<double>(c.shared_bytes)),
                          format_capacity(static_cast<double>(c.shared_limit)));
    if (c.blocks_at_once > 0)
        parts << (c.blocks_at_once == 1
                      ? tr("1 block on a multiprocessor")
                      : tr("%1 blocks on a multiprocessor").arg(c.blocks_at_once)) +
                     (c.limited_by.isEmpty() ? QString() : tr(", limited by %1").arg(c.limited_by));
    summary_->setToolTip(tr("Times are those of one wave of blocks: the terms of the bottleneck "
                            "model, shared out to iterations, and the latencies of the device's "
                            "file."));
    summary_->setText(parts.join(QStringLiteral(" · ")));
    set_text_colour(*key_, t.faint);
    key_->setText(key(t));
    const auto edits = pending_edits();
    preview_label_->setVisible(!edits.empty());
    if (!edits.empty()) {
        QStringList lines;
        for (const DirectiveEdit& edit : edits)
            lines << (edit.line.isEmpty() ? tr("remove line %1").arg(edit.replaces) : edit.line);
        preview_label_->setText(
            lines.join(QStringLiteral(", ")) +
            (answer_.text.isEmpty() ? QString() : QStringLiteral(": ") + answer_.text) +
            (drag_ ? QString() : tr(" · Enter applies, Esc leaves it")));
        set_text_colour(*preview_label_, answer_.sign < 0   ? t.ink(Meaning::Vector)
                                         : answer_.sign > 0 ? t.ink(Meaning::Pipelined)
                                                            : t.text);
    }
    describe();
}

QString TimelineView::key(const Theme& t) const {
    auto coloured = [](const QColor& colour, const QString& text) {
        return QStringLiteral("<span style='color:%1'>■</span>&nbsp;%2")
            .arg(colour.name(), text.toHtmlEscaped());
    };
    QStringList parts{coloured(t.mark(Meaning::Pipelined), tr("loads"))};
    if (chain()->levels.size() > 1)
        parts << coloured(t.mark(Meaning::Unrolled), tr("loads from shared memory"));
    parts << coloured(t.mark(Meaning::Block), tr("work"));
    if (chain()->store_seconds > 0)
        parts << coloured(t.mark(Meaning::Vector), tr("store"));
    parts << tr("dotted: waiting for data");
    if (const int copies = chain()->levels.front().copies; copies > 1)
        parts << tr("×%1: %1 copies of each buffer").arg(copies);
    return parts.join(QStringLiteral(" · "));
}

void TimelineView::describe() {
    QString text = summary_->text();
    if (!window_.whole()) {
        const auto at = layout(canvas_->width(), window_);
        text += chain()->timed
                    ? tr(" · shown from %1 to %2")
                          .arg(format_seconds(timeline_.whole_time(at.first)),
                               format_seconds(timeline_.whole_time(at.last)))
                    : tr(" · %1 of the whole are shown").arg(format_share(window_.length));
    }
    text += tr(" · plus and minus zoom, Ctrl with left and right moves, 0 shows the whole time");
    say_state(*canvas_, text);
    say_state(*this, text);
}

void TimelineView::set_pending(int level, int wanted) {
    wanted = std::clamp(wanted, 1, kMaxStages);
    if (level == level_ && copies(level) == wanted)
        return;
    level_ = level;
    pending_ = wanted;
    if (*pending_ == chain()->levels[static_cast<std::size_t>(level)].copies)
        pending_.reset();
    answer_ = {};
    simulate();
    say();
    const int question = ++question_;
    if (const auto edits = pending_edits(); !edits.empty() && preview_)
        preview_(edits, [self = QPointer<TimelineView>(this), question](const Preview& preview) {
            if (!self || self->question_ != question)
                return;
            self->answer_ = preview;
            self->say();
        });
}

void TimelineView::apply_pending() {
    const auto edits = pending_edits();
    ++question_;
    pending_.reset();
    drag_.reset();
    if (edits.empty()) {
        show_chain();
        return;
    }
    show_chain(); // a refusal leaves the schedule as it is
    emit editsRequested(edits);
}

void TimelineView::cancel_pending() {
    ++question_;
    pending_.reset();
    drag_.reset();
    if (chain())
        show_chain();
}

bool TimelineView::key_pressed(int key) {
    const int last = static_cast<int>(chain()->levels.size()) - 1;
    if (key >= Qt::Key_1 && key <= Qt::Key_8) {
        set_pending(level_, key - Qt::Key_0);
        return true;
    }
    switch (key) {
    case Qt::Key_Up:
    case Qt::Key_Down:
        cancel_pending();
        level_ = std::clamp(level_ + (key == Qt::Key_Up ? -1 : 1), 0, last);
        canvas_->update();
        return true;
    case Qt::Key_Left: set_pending(level_, copies(level_) - 1); return true;
    case Qt::Key_Right: set_pending(level_, copies(level_) + 1); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: apply_pending(); return true;
    case Qt::Key_Escape:
        // it cancels what the worker does
        if (!pending_)
            return false;
        cancel_pending();
        return true;
    default: return false;
    }
}

bool TimelineView::eventFilter(QObject* watched, QEvent* event) {
    if (watched != canvas_ || !chain())
        return PagedView::eventFilter(watched, event);
    if (zoom_event(*event))
        return true;
    switch (event->type()) {
    case QEvent::MouseButtonPress: {
        auto* mouse = static_cast<QMouseEvent*>(event);
        const int level = level_at(mouse->position().y());
        if (mouse->button() != Qt::LeftButton || level < 0)
            break;
        cancel_pending();
        level_ = level;
        drag_ = Drag{level, mouse->position().x(), layout(canvas_->width(), window_).scale, false};
        canvas_->update();
        return true;
    }
    case QEvent::MouseMove: {
        auto* mouse = static_cast<QMouseEvent*>(event);
        canvas_->setCursor(level_at(mouse->position().y()) >= 0 ? Qt::SizeHorCursor
                           : window_.whole()                    ? Qt::ArrowCursor
                                                                : Qt::OpenHandCursor);
        if (!drag_)
            break;
        const double moved = mouse->position().x() - drag_->from;
        drag_->moved = drag_->moved || std::abs(moved) > kClick;
        const auto& level = chain()->levels[static_cast<std::size_t>(drag_->level)];
        if (drag_->moved)
            set_pending(drag_->level, dragged_stages(level.copies, moved, drag_->scale,
                                                     level.times.transfer, kMaxStages));
        return true;
    }
    case QEvent::MouseButtonRelease: {
        if (!drag_)
            break;
        const bool moved = drag_->moved;
        const NodeId loop = chain()->levels[static_cast<std::size_t>(drag_->level)].loop;
        drag_.reset();
        if (moved)
            apply_pending();
        else
            emit nodeSelected(loop);
        return true;
    }
    case QEvent::ShortcutOverride:
        switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_Escape:
            if (!pending_)
                break;
            [[fallthrough]];
        case Qt::Key_Return:
        case Qt::Key_Enter: event->accept(); return true;
        default: break;
        }
        break;
    case QEvent::KeyPress:
        if (key_pressed(static_cast<QKeyEvent*>(event)->key()))
            return true;
        break;
    case QEvent::FocusOut:
        if (pending_ && static_cast<QFocusEvent*>(event)->reason() != Qt::PopupFocusReason)
            cancel_pending();
        canvas_->update();
        break;
    case QEvent::FocusIn: canvas_->update(); break;
    default: break;
    }
    return PagedView::eventFilter(watched, event);
}

void TimelineView::restyle() {
    say();
    canvas_->update();
}

double TimelineView::height(double width) const {
    const double axis = chain()->timed ? canvas_->fontMetrics().height() + 8 : 0;
    return layout(width).bottom + canvas_->fontMetrics().height() + 8 + axis;
}

Result<Picture> TimelineView::picture() {
    if (!chain())
        return error("there is no timeline to draw", "load into shared memory at a loop first");
    const QSize size(kPictureWidth, static_cast<int>(height(kPictureWidth)));
    return Picture{QStringLiteral("timeline"), tr("Timeline of %1").arg(node_title(chain()->node)),
                   size, [this, size](QPainter& painter) {
                       paint(painter, {picture_theme(), size, QRectF(QPointF(0, 0), size)}, {});
                   }};
}

} // namespace loopscope::views
