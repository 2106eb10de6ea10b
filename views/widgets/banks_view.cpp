#include "views/widgets/banks_view.h"

#include "views/models/memory_forms.h"
#include "views/models/node_text.h"
#include "views/style/number_format.h"
#include "views/widgets/flow_layout.h"
#include "views/widgets/picture_canvas.h"
#include "views/widgets/said_state.h"
#include "views/widgets/wrapped_label.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope::views {

namespace {

constexpr std::int64_t kTried[] = {0, 1, 2, 4, 8};

} // namespace

BanksView::BanksView(QWidget* parent)
    : PagedView(tr("Shared memory"), parent),
      buffers_(new QComboBox),
      accesses_(new QComboBox),
      padding_row_(new QWidget),
      padding_line_(new FlowLayout(kGap, padding_row_)),
      scroll_(new QScrollArea),
      canvas_(new PictureCanvas(
          [this](QPainter& painter, const PictureFrame& frame) { paint(painter, frame); },
          [this](const QPointF& position) { return tooltip_at(position); },
          [this](QMenu& menu) { add_picture_entries(menu); })),
      summary_(new WrappedLabel) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(14, 6, 14, 6);
    column->setSpacing(4);
    auto* head = new QHBoxLayout;
    head->setSpacing(kGap);
    head->addWidget(buffers_);
    head->addWidget(accesses_, 1);
    column->addLayout(head);
    column->addWidget(summary_);
    column->addWidget(padding_row_);
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setFocusPolicy(Qt::NoFocus);
    scroll_->setBackgroundRole(QPalette::Base);
    scroll_->setWidget(canvas_);
    column->addWidget(scroll_, 1);
    set_page(page);
    buffers_->setAccessibleName(tr("Buffer in shared memory"));
    accesses_->setAccessibleName(tr("Access of a warp"));
    accesses_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    canvas_->setAccessibleName(tr("Banks of shared memory"));
    canvas_->setBackgroundRole(QPalette::Base);
    canvas_->installEventFilter(this);
    summary_->setAccessibleName(tr("Passes of the access"));
    connect(buffers_, &QComboBox::activated, this, [this](int buffer) {
        set_shown(buffer, 0);
        if (this->buffer())
            emit nodeSelected({this->buffer()->stage, -1, "@storage"});
    });
    connect(accesses_, &QComboBox::activated, this,
            [this](int access) { set_shown(buffer_, access); });
    refresh();
}

void BanksView::set_snapshot(SharedUsePtr use, std::shared_ptr<const Schedule> schedule,
                             DevicePtr device) {
    const std::string before = buffer() ? buffer()->stage : std::string();
    use_ = std::move(use);
    schedule_ = std::move(schedule);
    device_ = std::move(device);
    buffer_ = use_ && !use_->empty() ? 0 : -1;
    if (use_)
        for (std::size_t b = 0; b < use_->size(); ++b)
            if ((*use_)[b].stage == before)
                buffer_ = static_cast<int>(b);
    if (!buffer() || access_index_ >= static_cast<int>(buffer()->accesses.size()))
        access_index_ = 0;
    const NodeId selected = selected_;
    selected_ = {};
    refresh();
    set_selected(selected);
}

// A compute selects its access, and a buffer its access with most passes beyond the least.
void BanksView::set_selected(const NodeId& id) {
    if (selected_ == id)
        return;
    selected_ = id;
    if (!use_)
        return;
    for (std::size_t b = 0; b < use_->size(); ++b) {
        const auto& accesses = (*use_)[b].accesses;
        for (std::size_t a = 0; a < accesses.size(); ++a)
            if (accesses[a].node == id)
                return set_shown(static_cast<int>(b), static_cast<int>(a));
    }
    for (std::size_t b = 0; b < use_->size(); ++b)
        if ((*use_)[b].stage == id.stage && static_cast<int>(b) != buffer_) {
            const auto& accesses = (*use_)[b].accesses;
            const auto worst = std::max_element(accesses.begin(), accesses.end(),
                                                [](const auto& x, const auto& y) {
                                                    return x.passes - x.least < y.passes - y.least;
                                                });
            return set_shown(static_cast<int>(b), static_cast<int>(worst - accesses.begin()));
        }
}

void BanksView::set_shown(int buffer, int access) {
    buffer_ = buffer;
    access_index_ = access;
    refresh();
}

const model::gpu::SharedBuffer* BanksView::buffer() const {
    return use_ && buffer_ >= 0 && buffer_ < static_cast<int>(use_->size())
               ? &(*use_)[static_cast<std::size_t>(buffer_)]
               : nullptr;
}

const model::gpu::SharedAccess* BanksView::chosen() const {
    return buffer() && access_index_ >= 0 &&
                   access_index_ < static_cast<int>(buffer()->accesses.size())
               ? &buffer()->accesses[static_cast<std::size_t>(access_index_)]
               : nullptr;
}

BankShape BanksView::shape() const {
    return device_ && device_->gpu ? BankShape{device_->gpu->limits.shared_banks,
                                               device_->gpu->limits.shared_bank_bytes}
                                   : BankShape{};
}

BankedBuffer BanksView::layout() const {
    return {buffer()->element_bytes, buffer()->extents, buffer()->pitch,
            buffer()->swizzled.has_value()};
}

QString BanksView::access_name(const model::gpu::SharedAccess& access) const {
    const QString who =
        to_qstring(definition_name(access.node.stage, std::max(access.node.definition, 0)));
    QString text = access.write ? tr("%1 writes it").arg(who) : tr("%1 reads it").arg(who);
    if (access.by_instruction)
        text += tr(", a tensor instruction");
    const QString passes = access.passes == 1
                               ? tr("1 pass")
                               : tr("%1 passes").arg(format_significant(access.passes, 3));
    return text + QStringLiteral(" · ") + passes +
           (access.passes > access.least
                ? tr(", %1 would do").arg(format_significant(access.least, 3))
                : tr(" (the least)"));
}

void BanksView::refresh() {
    if (!buffer()) {
        const bool gpu = device_ && device_->gpu;
        show_empty(
            tr("How shared memory lies in its banks, and which lanes of a warp meet in one."),
            gpu ? tr("Nothing is in shared memory yet: C in the tree copies what a stage reads.")
                : needs_gpu());
        return;
    }
    show_page();
    const QSignalBlocker quiet_buffers(buffers_), quiet_accesses(accesses_);
    buffers_->clear();
    for (const auto& each : *use_)
        buffers_->addItem(to_qstring(each.stage));
    buffers_->setCurrentIndex(buffer_);
    accesses_->clear();
    for (const auto& each : buffer()->accesses)
        accesses_->addItem(access_name(each));
    accesses_->setCurrentIndex(access_index_);
    show_access();
}

void BanksView::show_access() {
    access_ = {};
    if (const auto* access = chosen(); access && access->lanes)
        access_ = bank_access(layout(), {access->lanes->of_lanes, access->lanes->width}, shape());
    const auto at = grid(scroll_->viewport()->width());
    canvas_->setMinimumHeight(static_cast<int>(at.bottom()) + 4);
    show_paddings();
    say();
    canvas_->update();
}

// The passes that the access would take with other paddings: what a button does stands on it.
void BanksView::show_paddings() {
    for (auto* button : paddings_) {
        padding_line_->removeWidget(button);
        button->deleteLater();
    }
    paddings_.clear();
    while (auto* item = padding_line_->takeAt(0))
        delete item;
    const auto* access = chosen();
    const bool shown = access && access->lanes && buffer()->extents.size() > 1;
    padding_row_->setVisible(shown);
    if (!shown)
        return;
    const WarpLanes warp{access->lanes->of_lanes, access->lanes->width};
    auto add = [&](const QString& what, const BankedBuffer& layout, const DirectiveEdit& edit,
                   bool now) {
        const int passes = passes_with(layout, warp, shape());
        const QString text =
            passes == 1 ? tr("%1: 1 pass").arg(what) : tr("%1: %2 passes").arg(what).arg(passes);
        auto* button = new QPushButton(now ? QStringLiteral("✓ ") + text : text);
        button->setCheckable(true);
        button->setChecked(now);
        button->setToolTip(now                   ? tr("The rows lie so now.")
                           : edit.line.isEmpty() ? tr("Takes the line away.")
                                                 : edit.line);
        button->setAccessibleName(text);
        connect(button, &QPushButton::clicked, this, [this, button, edit, now] {
            button->setChecked(now); // the schedule decides, and comes back
            if (!now)
                emit editRequested(edit);
        });
        padding_line_->addWidget(button);
        paddings_.push_back(button);
    };
    auto other = layout();
    other.swizzled = !other.swizzled;
    if (layout().swizzled) {
        add(tr("not swizzled"), other, swizzle_edit(), false);
        return add(tr("swizzled"), layout(), {}, true);
    }
    const auto now = padding(layout());
    for (const auto elements : kTried)
        add(tr("pad %1").arg(elements), padded(layout(), elements), padding_edit(elements),
            elements == now);
    if (has_pattern(layout()))
        add(tr("swizzled"), other, swizzle_edit(), false);
}

// Swizzles the banks, or takes the line away that does.
DirectiveEdit BanksView::swizzle_edit() const {
    if (schedule_)
        for (const auto& d : schedule_->directives)
            if (std::string(d->verb()) == "swizzle" && d->receiver.stage == buffer()->stage)
                return DirectiveEdit(QString(), line_of(*d));
    return DirectiveEdit(QStringLiteral("%1.swizzle()").arg(to_qstring(buffer()->stage)));
}

DirectiveEdit BanksView::padding_edit(std::int64_t elements) const {
    const std::string& index = buffer()->names.back();
    const QString line = QStringLiteral("%1.pad_storage(%2, %3)")
                             .arg(to_qstring(buffer()->stage), to_qstring(index))
                             .arg(elements);
    int replaces = 0;
    if (schedule_)
        for (const auto& d : schedule_->directives)
            if (std::string(d->verb()) == "pad_storage" && d->receiver.stage == buffer()->stage &&
                d->text().find("(" + index + ",") != std::string::npos)
                replaces = line_of(*d);
    return elements == 0 && replaces > 0 ? DirectiveEdit(QString(), replaces)
                                         : DirectiveEdit(line, replaces);
}

void BanksView::say() {
    const Theme& t = theme_of(*this);
    const auto* access = chosen();
    QStringList parts;
    if (!access) {
        parts << tr("Nothing accesses it.");
    } else if (access->by_instruction) {
        parts << tr("A tensor instruction fetches rows of 16 bytes, without conflicts.");
    } else if (!access->lanes) {
        parts << tr("Data decide the places: %1 passes on average.")
                     .arg(format_significant(access->passes, 2));
    } else {
        parts << tr("%1 lanes access %2 bytes each, %3 words in all")
                     .arg(access_.lanes)
                     .arg(access->lanes->width)
                     .arg(access_.hits.size());
        parts << (access_.passes == 1 ? tr("1 pass over the banks")
                                      : tr("%1 passes over the banks").arg(access_.passes)) +
                     (access_.passes > access_.least ? tr(", %1 would do").arg(access_.least)
                                                     : QString());
        if (const auto& pattern = buffer()->swizzled)
            parts << tr("chunks of 16 bytes change places every %1 bytes").arg(pattern->bytes());
    }
    const auto extra = padding(layout());
    if (extra > 0)
        parts << tr("%1 elements of padding a row").arg(extra);
    if (buffer()->copies > 1)
        parts << tr("%1 copies, of which one is shown").arg(buffer()->copies);
    const auto line = std::int64_t{shape().banks} * shape().word_bytes;
    if (layout().bytes() > kMaxRows * line)
        parts << tr("the first %1 are shown")
                     .arg(format_capacity(static_cast<double>(kMaxRows * line)));
    summary_->setText(parts.join(QStringLiteral(" · ")));
    set_text_colour(*summary_,
                    access_.passes > access_.least ? t.ink(Meaning::Pipelined) : t.faint);
    say_state(*canvas_, summary_->text());
    say_state(*this, summary_->text());
}

QString BanksView::summary() const { return summary_->text(); }
QWidget* BanksView::canvas() const { return canvas_; }

bool BanksView::eventFilter(QObject* watched, QEvent* event) {
    if (watched != canvas_ || event->type() != QEvent::MouseButtonPress)
        return PagedView::eventFilter(watched, event);
    if (const auto* access = chosen();
        access && static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton)
        emit nodeSelected(access->node);
    return true;
}

void BanksView::resizeEvent(QResizeEvent* event) {
    PagedView::resizeEvent(event);
    if (buffer())
        canvas_->update();
}

Result<Picture> BanksView::picture() {
    if (!buffer())
        return error("there is no shared memory to draw", "copy what a stage reads into it first");
    const QSize size(kPictureWidth, static_cast<int>(grid(kPictureWidth).bottom()) + 4);
    const QString stage = to_qstring(buffer()->stage);
    const QString title = chosen()
                              ? tr("Shared memory of %1: %2").arg(stage, access_name(*chosen()))
                              : tr("Shared memory of %1").arg(stage);
    return Picture{QStringLiteral("banks"), title, size, [this, size](QPainter& painter) {
                       paint(painter, {picture_theme(), size, QRectF(QPointF(0, 0), size)});
                   }};
}

} // namespace loopscope::views
