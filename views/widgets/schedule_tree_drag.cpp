#include "views/widgets/schedule_tree_drag.h"

#include "views/style/fonts.h"
#include "views/style/theme.h"
#include "views/widgets/bubble.h"
#include "views/widgets/conflict_arrow.h"
#include "views/widgets/paint.h"
#include "views/widgets/schedule_tree_view.h"

#include <QApplication>
#include <QEvent>
#include <QPainter>
#include <QPointer>
#include <QScrollBar>
#include <QTimer>

namespace loopscope::views {

namespace {
constexpr int kRootStrip = 28, kAround = 4;         // pixels, below the rows
constexpr double kStoreShare = 0.42;                // of that strip, for memory
constexpr int kScrollMargin = 22, kScrollStep = 13; // pixels
constexpr int kScrollInterval = 40;                 // milliseconds
} // namespace

ScheduleTreeDrag::ScheduleTreeDrag(ScheduleTreeView* view)
    : QObject(view),
      view_(view),
      bubble_(new Bubble(view->viewport())),
      root_strip_(new QWidget(view)),
      scroller_(new QTimer(this)) {
    root_strip_->setObjectName(QStringLiteral("root_strip"));
    root_strip_->setAccessibleName(tr("The root, to drop a stage on"));
    root_strip_->setAttribute(Qt::WA_TransparentForMouseEvents);
    root_strip_->installEventFilter(this);
    root_strip_->hide();
    scroller_->setInterval(kScrollInterval);
    connect(scroller_, &QTimer::timeout, this, &ScheduleTreeDrag::scroll);
}

void ScheduleTreeDrag::press(const QPoint& at) {
    const QModelIndex row = view_->indexAt(at);
    pressed_ = row.isValid();
    press_ = at;
    source_ = view_->schedule_model()->node_id(row);
}

void ScheduleTreeDrag::begin() {
    tree_ = view_->schedule_model()->tree();
    kind_ = tree_ ? dragged_kind(*tree_, source_) : Dragged::Nothing;
    if (kind_ == Dragged::Nothing) {
        pressed_ = false;
        return;
    }
    active_ = true;
    ++drag_;
    verdicts_.clear();
    target_ = {};
    view_->viewport()->setCursor(Qt::ClosedHandCursor);
    judge_visible_rows();
    if (kind_ == Dragged::Stage) {
        std::vector<DirectiveEdit> lines;
        for (DropPlace place : {DropPlace::Root, DropPlace::RootStore})
            if (const QString line = drop_proposal(*tree_, source_, {}, place).line;
                !line.isEmpty())
                lines.emplace_back(line);
        // At root it is computed and stored already.
        const bool moves = tree_->state.find(source_.stage)->compute.kind != Placement::Kind::Root;
        show_root_strip(moves);
        if (services_.judge && moves)
            services_.judge(lines, [self = QPointer<ScheduleTreeDrag>(this), drag = drag_](
                                       const DirectiveEdit& edit, const Verdict& verdict) {
                if (!self || self->drag_ != drag)
                    return;
                self->verdicts_[edit.line] = verdict;
                self->root_strip_->update();
            });
    }
    scroller_->start();
}

void ScheduleTreeDrag::carry(const NodeId& stage, const QPoint& to) {
    if (!active_ || source_ != stage) {
        cancel();
        source_ = stage;
        begin();
        if (!active_)
            return;
    }
    pressed_ = true;
    press_ = to;
    move(to);
}

bool ScheduleTreeDrag::can_be_target(const QModelIndex& row) const {
    const NodeId id = view_->schedule_model()->node_id(row);
    if (dragged_kind(*tree_, id) != Dragged::Loop)
        return false;
    return kind_ == Dragged::Stage ||
           !drop_proposal(*tree_, source_, id, DropPlace::On).line.isEmpty();
}

// Those in sight: a nest of thousands of loops is judged where somebody looks.
void ScheduleTreeDrag::judge_visible_rows() {
    if (!services_.judge)
        return;
    std::vector<DirectiveEdit> edits;
    const int bottom = view_->viewport()->height();
    for (QModelIndex row = view_->indexAt({4, 1});
         row.isValid() && view_->visualRect(row).top() < bottom; row = view_->indexBelow(row)) {
        if (!can_be_target(row))
            continue;
        const QString line =
            drop_proposal(*tree_, source_, view_->schedule_model()->node_id(row), DropPlace::On)
                .line;
        if (!line.isEmpty() && !verdicts_.count(line))
            edits.emplace_back(line);
    }
    services_.judge(edits, [self = QPointer<ScheduleTreeDrag>(this),
                            drag = drag_](const DirectiveEdit& edit, const Verdict& verdict) {
        if (!self || self->drag_ != drag)
            return;
        self->verdicts_[edit.line] = verdict;
        if (edit.line == self->proposal_.line)
            self->show_bubble();
        self->view_->viewport()->update();
    });
}

void ScheduleTreeDrag::move(const QPoint& to) {
    if (!pressed_)
        return;
    if (!active_ && (to - press_).manhattanLength() >= QApplication::startDragDistance())
        begin();
    if (!active_)
        return;
    if (view_->schedule_model()->tree() != tree_) { // the schedule changed under the pointer
        cancel();
        return;
    }
    now_ = to;
    aim(to);
}

// The rows give it room: each of them stays a target.
void ScheduleTreeDrag::show_root_strip(bool on) {
    if (root_strip_->isVisibleTo(view_) == on)
        return;
    view_->keep_free_below(on ? kRootStrip + 2 * kAround : 0);
    const QRect rows = view_->viewport()->geometry();
    root_strip_->setGeometry(rows.left() + 6, rows.bottom() + 1 + kAround, rows.width() - 12,
                             kRootStrip);
    root_strip_->setVisible(on);
}

ScheduleTreeDrag::Target ScheduleTreeDrag::target_at(const QPoint& at) const {
    const QModelIndex row = view_->indexAt(at).siblingAtColumn(0);
    if (!row.isValid() || !view_->viewport()->rect().contains(at)) { // what lies below is the root
        const bool store = kind_ == Dragged::Stage && root_strip_->isVisible() &&
                           at.y() >= view_->viewport()->height() &&
                           at.x() > (1 - kStoreShare) * view_->viewport()->width();
        return {{}, store ? DropPlace::RootStore : DropPlace::Root};
    }
    const QRect place = view_->visualRect(row);
    if (kind_ == Dragged::Stage)
        return {row,
                at.x() < place.left() && can_be_target(row) ? DropPlace::Gutter : DropPlace::On};
    const int third = place.height() / 3;
    return {row, at.y() < place.top() + third      ? DropPlace::Above
                 : at.y() > place.bottom() - third ? DropPlace::Below
                                                   : DropPlace::On};
}

DropProposal ScheduleTreeDrag::proposal_of(const Target& target) const {
    return drop_proposal(*tree_, source_, view_->schedule_model()->node_id(target.row),
                         target.place);
}

const Verdict* ScheduleTreeDrag::verdict_on(const QString& line) const {
    const auto found = verdicts_.find(line);
    return found == verdicts_.end() ? nullptr : &found->second;
}

void ScheduleTreeDrag::aim(const QPoint& at) {
    const Target target = target_at(at);
    if (!(target == target_) || proposal_.sentence.isEmpty()) {
        target_ = target;
        proposal_ = proposal_of(target);
        preview_ = {};
        auto mine = [self = QPointer<ScheduleTreeDrag>(this), drag = drag_, line = proposal_.line] {
            return self && self->active_ && self->drag_ == drag && self->proposal_.line == line
                       ? self.data()
                       : nullptr;
        };
        if (!proposal_.line.isEmpty() && services_.judge && !verdict_on(proposal_.line))
            services_.judge({proposal_.line},
                            [mine](const DirectiveEdit& edit, const Verdict& verdict) {
                                if (auto* self = mine()) {
                                    self->verdicts_[edit.line] = verdict;
                                    self->show_bubble();
                                    self->view_->viewport()->update();
                                }
                            });
        if (!proposal_.line.isEmpty() && services_.preview)
            services_.preview(proposal_.line, [mine](const Preview& preview) {
                if (auto* self = mine()) {
                    self->preview_ = preview;
                    self->show_bubble();
                }
            });
        view_->viewport()->update();
        root_strip_->update();
    }
    show_bubble();
}

void ScheduleTreeDrag::show_bubble() {
    if (!active_)
        return;
    const QRect anchor(now_, QSize(12, 12));
    const Verdict* verdict = verdict_on(proposal_.line);
    if (proposal_.line.isEmpty())
        bubble_->tell(anchor, {}, {proposal_.sentence, 0});
    else if (verdict && !verdict->available)
        bubble_->refuse(anchor, proposal_.line, verdict->reason);
    else
        bubble_->tell(anchor, proposal_.line,
                      preview_.text.isEmpty() ? Preview{proposal_.sentence, 0} : preview_);
}

void ScheduleTreeDrag::scroll() {
    auto* bar = view_->verticalScrollBar();
    const int before = bar->value();
    if (now_.y() < kScrollMargin)
        bar->setValue(before - kScrollStep);
    else if (now_.y() > view_->viewport()->height() - kScrollMargin &&
             !(root_strip_->isVisible() && now_.y() >= view_->viewport()->height()))
        bar->setValue(before + kScrollStep);
    if (bar->value() == before)
        return;
    judge_visible_rows();
    aim(now_);
}

void ScheduleTreeDrag::release() {
    const bool was_active = active_;
    const DropProposal proposal = proposal_;
    const Verdict* known = verdict_on(proposal.line);
    const Verdict verdict = known ? *known : Verdict{};
    cancel();
    if (!was_active)
        return;
    if (proposal.line.isEmpty() || !verdict.available)
        emit refused(proposal.line, proposal.line.isEmpty() ? proposal.sentence : verdict.reason);
    else
        emit dropped(proposal.line);
}

void ScheduleTreeDrag::cancel() {
    pressed_ = false;
    if (!active_)
        return;
    active_ = false;
    ++drag_;
    proposal_ = {};
    tree_ = nullptr;
    scroller_->stop();
    show_root_strip(false);
    bubble_->hide();
    view_->viewport()->unsetCursor();
    view_->viewport()->update();
}

// ---- painting -----------------------------------------------------------------------------------

void ScheduleTreeDrag::paint(QPainter& painter) const {
    if (!active_)
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    const int bottom = view_->viewport()->height();
    for (QModelIndex row = view_->indexAt({4, 1});
         row.isValid() && view_->visualRect(row).top() < bottom; row = view_->indexBelow(row))
        paint_row(painter, row);
    paint_target(painter);
    if (const Verdict* verdict = verdict_on(proposal_.line); verdict && verdict->conflict)
        paint_conflict(painter, *view_, *verdict->conflict);
}

void ScheduleTreeDrag::paint_row(QPainter& painter, const QModelIndex& row) const {
    const Theme& t = theme_of(*view_);
    QRect whole = view_->visualRect(row);
    whole.setLeft(0);
    whole.setRight(view_->viewport()->width() - 1);
    const NodeId id = view_->schedule_model()->node_id(row);
    if (id == source_) {
        painter.setPen(QPen(t.accent, 1, Qt::DashLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(whole).adjusted(1.5, 1.5, -1.5, -1.5), 4, 4);
        return;
    }
    QColor veil = t.surface;
    veil.setAlpha(150);
    if (!can_be_target(row)) {
        painter.fillRect(whole, veil);
        return;
    }
    const Verdict* verdict = verdict_on(drop_proposal(*tree_, source_, id, DropPlace::On).line);
    if (!verdict)
        return;
    if (!verdict->available)
        painter.fillRect(whole, veil);
    else
        painter.fillRect(QRect(0, whole.top(), 3, whole.height()), t.mark(Meaning::Vector));
    painter.setFont(bold_font());
    painter.setPen(verdict->available ? t.ink(Meaning::Vector) : t.error);
    painter.drawText(QRect(4, whole.top(), 14, whole.height()), Qt::AlignCenter,
                     verdict->available ? QStringLiteral("✓") : QStringLiteral("✗"));
}

void ScheduleTreeDrag::paint_target(QPainter& painter) const {
    if (!target_.row.isValid() || view_->schedule_model()->node_id(target_.row) == source_)
        return;
    const Theme& t = theme_of(*view_);
    const Verdict* verdict = verdict_on(proposal_.line);
    const bool bad = proposal_.line.isEmpty() || (verdict && !verdict->available);
    painter.setPen(QPen(bad ? t.error : t.accent, 2, bad ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(Qt::NoBrush);
    QRectF row = view_->visualRect(target_.row);
    row.setRight(view_->viewport()->width() - 2);
    row.setLeft(row.left() - 2);
    if (target_.place == DropPlace::On) {
        painter.drawRoundedRect(row.adjusted(1, 1, -1, -1), 4, 4);
        return;
    }
    if (target_.place == DropPlace::Gutter) { // left of the row, where its memory would stand
        const QColor colour = bad ? t.error : t.accent;
        const QRectF gutter(1, row.top() + 1, row.left() - 2, row.height() - 2);
        painter.setBrush(mix(t.surface, colour, 0.25));
        painter.drawRoundedRect(gutter, 4, 4);
        paint_text(painter, gutter.adjusted(4, 0, -2, 0), QStringLiteral("▤"), text_font(), colour);
        return;
    }
    const double y = target_.place == DropPlace::Above ? row.top() : row.bottom();
    painter.drawLine(QPointF(row.left() + 8, y), QPointF(row.right(), y));
    painter.setBrush(t.surface);
    painter.drawEllipse(QPointF(row.left() + 5, y), 3, 3);
}

// Two places: for its memory, and for all of it.
void ScheduleTreeDrag::paint_root(QPainter& painter) const {
    const Theme& t = theme_of(*view_);
    const QRectF whole = QRectF(root_strip_->rect()).adjusted(1, 1, -1, -1);
    const double middle = whole.right() - kStoreShare * whole.width();
    auto paint = [&](const QRectF& strip, DropPlace place, const QString& words) {
        const DropProposal root = drop_proposal(*tree_, source_, {}, place);
        const Verdict* verdict = verdict_on(root.line);
        const bool bad = root.line.isEmpty() || (verdict && !verdict->available),
                   aimed = target_.place == place && !target_.row.isValid();
        const QColor colour = bad ? t.error : aimed ? t.accent : t.faint;
        painter.setPen(QPen(colour, aimed ? 2 : 1, Qt::DashLine));
        painter.setBrush(t.raised);
        painter.drawRoundedRect(strip, 4, 4);
        const QString mark = bad       ? QStringLiteral("✗ ")
                             : verdict ? QStringLiteral("✓ ")
                                       : QString();
        paint_text(painter, strip.adjusted(8, 0, -8, 0),
                   mark + words.arg(root.line.isEmpty() ? root.sentence : root.line), text_font(),
                   readable_on(colour, t.raised), Qt::AlignCenter);
    };
    paint({whole.topLeft(), QPointF(middle - 3, whole.bottom())}, DropPlace::Root, tr("root: %1"));
    paint({QPointF(middle + 3, whole.top()), whole.bottomRight()}, DropPlace::RootStore,
          tr("its memory: %1"));
}

bool ScheduleTreeDrag::eventFilter(QObject* watched, QEvent* event) {
    if (watched == root_strip_ && event->type() == QEvent::Paint && active_) {
        QPainter painter(root_strip_);
        painter.setRenderHint(QPainter::Antialiasing);
        paint_root(painter);
        return true;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace loopscope::views
