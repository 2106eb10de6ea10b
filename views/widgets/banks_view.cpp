#include "views/widgets/banks_view.h"

#include "views/models/memory_forms.h"
#include "views/models/node_text.h"
#include "views/style/fonts.h"
#include "views/style/number_format.h"
#include "views/style/text_metrics.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/flow_layout.h"
#include "views/widgets/paint.h"
#include "views/widgets/picture_export.h"
#include "views/widgets/wrapped_label.h"

#include <QComboBox>
#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QPaintEvent>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope::views {

namespace {

constexpr std::int64_t kMostBankRows = 512; // of banks: 64 KiB; what is beyond looks the same
constexpr std::int64_t kTried[] = {0, 1, 2, 4, 8};
constexpr double kLeft = 44; // pixels: the address of each row

QString lanes_text(const std::vector<int>& lanes) {
    if (lanes.size() == 1)
        return QString::number(lanes.front());
    return QStringLiteral("%1+").arg(lanes.front());
}

} // namespace

BanksView::BanksView(QWidget* parent)
    : QWidget(parent),
      stack_(new QStackedWidget(this)),
      empty_(new EmptyState(QString(), QString())),
      buffers_(new QComboBox),
      accesses_(new QComboBox),
      padding_row_(new QWidget),
      padding_line_(new FlowLayout(kGap, padding_row_)),
      scroll_(new QScrollArea),
      canvas_(new QWidget),
      summary_(new WrappedLabel) {
    setAccessibleName(tr("Shared memory"));
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(stack_);
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
    stack_->addWidget(empty_);
    stack_->addWidget(page);
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

// Of a buffer the access that takes most passes beyond the least; of a compute what it accesses.
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
    return text + QStringLiteral(" · ") +
           tr("%1 of %2 passes")
               .arg(format_significant(access.passes, 3), format_significant(access.least, 3));
}

void BanksView::refresh() {
    if (!buffer()) {
        const bool gpu = device_ && device_->gpu;
        empty_->set_text(
            tr("How shared memory lies in its banks, and which lanes of a warp meet in one."),
            gpu ? tr("Nothing is in shared memory yet: C in the tree copies what a stage reads.")
                : tr("It is for schedules of a GPU: choose one above."));
        stack_->setCurrentWidget(empty_);
        return;
    }
    stack_->setCurrentIndex(1);
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
        auto* button = new QPushButton(passes == 1 ? tr("%1: 1 pass").arg(what)
                                                   : tr("%1: %2 passes").arg(what).arg(passes));
        button->setCheckable(true);
        button->setChecked(now);
        button->setEnabled(!now);
        button->setToolTip(now                   ? tr("The rows lie so now.")
                           : edit.line.isEmpty() ? tr("Takes the line away.")
                                                 : edit.line);
        button->setAccessibleName(button->text());
        connect(button, &QPushButton::clicked, this, [this, edit] { emit editRequested(edit); });
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
        parts << tr("%1 lanes of %2 bytes each meet %3 words")
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
    if (layout().bytes() > kMostBankRows * line)
        parts << tr("the first %1 are shown")
                     .arg(format_capacity(static_cast<double>(kMostBankRows * line)));
    summary_->setText(parts.join(QStringLiteral(" · ")));
    set_text_colour(*summary_,
                    access_.passes > access_.least ? t.ink(Meaning::Pipelined) : t.faint);
    canvas_->setAccessibleDescription(summary_->text());
}

QString BanksView::summary() const { return summary_->text(); }

BankGrid BanksView::grid(double width) const {
    const TextMetrics small(small_font());
    return bank_grid(layout(), shape(), width - 2, kLeft, 2 * small.height() + 4,
                     small.height() + 4, kMostBankRows);
}

QColor BanksView::pass_colour(int pass) const {
    static constexpr Meaning colours[] = {Meaning::Block,    Meaning::Unrolled, Meaning::Pipelined,
                                          Meaning::Parallel, Meaning::Vector,   Meaning::Thread};
    return theme_of(*this).mark(colours[pass % 6]);
}

void BanksView::paint_header(QPainter& painter, const BankGrid& at) const {
    const Theme& t = theme_of(*this);
    const TextMetrics small(small_font());
    const double half = at.top / 2;
    paint_text(painter, QRectF(0, 0, kLeft - 4, half), tr("bank"), small_font(), t.faint);
    paint_text(painter, QRectF(0, half, kLeft - 4, half), tr("words"), small_font(), t.faint);
    const bool all = small.width(QStringLiteral("31")) + 2 <= at.cell_width;
    for (int bank = 0; bank < at.banks; ++bank) {
        const Rectangle r = at.header(bank);
        if (all || bank % 4 == 0)
            paint_text(painter, QRectF(r.x, 0, all ? r.width : 4 * r.width, half),
                       QString::number(bank), small_font(), t.faint,
                       all ? Qt::AlignCenter : Qt::AlignLeft | Qt::AlignVCenter);
        const int words = bank < static_cast<int>(access_.words_of_bank.size())
                              ? access_.words_of_bank[static_cast<std::size_t>(bank)]
                              : 0;
        if (words > 0)
            paint_text(
                painter, QRectF(r.x, half, r.width, half), QString::number(words), small_font(),
                words > 1 && access_.passes > access_.least ? t.ink(Meaning::Pipelined) : t.text,
                Qt::AlignCenter);
    }
}

void BanksView::paint_hits(QPainter& painter, const BankGrid& at) const {
    const TextMetrics small(small_font());
    for (const WordHit& hit : access_.hits) {
        if (hit.word / at.banks >= at.rows)
            continue;
        const Rectangle r = at.cell(hit.word);
        const QRectF where(r.x + 0.5, r.y + 0.5, r.width - 1, r.height - 1);
        const QColor colour = pass_colour(hit.pass);
        painter.fillRect(where, colour);
        QString text = lanes_text(hit.lanes);
        if (small.width(text) > r.width)
            text = QString::number(hit.lanes.front());
        if (small.width(text) <= r.width)
            paint_text(painter, where, text, small_font(),
                       contrast_ratio(Qt::white, colour) >= contrast_ratio(Qt::black, colour)
                           ? QColor(Qt::white)
                           : QColor(Qt::black),
                       Qt::AlignCenter);
    }
}

void BanksView::paint(QPainter& painter, const QRectF& exposed, double width) const {
    const Theme& t = theme_of(*this);
    const auto at = grid(width);
    const auto buffer = layout();
    const auto first = std::max<std::int64_t>(
                   0, static_cast<std::int64_t>((exposed.top() - at.top) / at.cell_height)),
               last = std::min<std::int64_t>(
                   at.rows,
                   static_cast<std::int64_t>((exposed.bottom() - at.top) / at.cell_height) + 1);
    const QColor tint = mix(t.surface, t.mark(Meaning::Serial), 0.16), plain = t.raised;
    for (auto row = first; row < last; ++row) {
        const Rectangle begin = at.cell(row * at.banks);
        paint_text(painter, QRectF(0, begin.y, kLeft - 6, begin.height),
                   QString::number(row * at.banks * shape().word_bytes), small_font(), t.faint,
                   Qt::AlignRight | Qt::AlignVCenter);
        for (int bank = 0; bank < at.banks;
             ++bank) { // rows of the buffer are told apart by their tint
            const auto word = row * at.banks + bank;
            if (word * shape().word_bytes >= buffer.bytes())
                break;
            const Rectangle r = at.cell(word);
            const QRectF cell(r.x + 0.5, r.y + 0.5, r.width - 1, r.height - 1);
            const WordUse use = word_use(buffer, word, shape());
            if (use.data) {
                painter.fillRect(cell, use.row % 2 ? tint : plain);
            } else { // what padding adds
                painter.fillRect(cell, QBrush(t.line, Qt::BDiagPattern));
            }
        }
    }
    paint_hits(painter, at);
    paint_header(painter, at);
}

QString BanksView::tooltip_at(const QPointF& position) const {
    const auto at = grid(canvas_->width());
    const auto word = at.word_at({position.x(), position.y()});
    if (word < 0 || word * shape().word_bytes >= layout().bytes())
        return {};
    const WordUse use = word_use(layout(), word, shape());
    QString text = tr("Byte %1, bank %2").arg(word * shape().word_bytes).arg(word % at.banks);
    text += use.data ? tr(", row %1 of %2").arg(use.row).arg(to_qstring(buffer()->stage))
                     : tr(", padding");
    for (const WordHit& hit : access_.hits)
        if (hit.word == word) {
            QStringList lanes;
            for (int lane : hit.lanes)
                lanes << QString::number(lane);
            text += tr("\nPass %1 takes it for lanes %2.").arg(hit.pass + 1).arg(lanes.join(", "));
        }
    return text;
}

bool BanksView::eventFilter(QObject* watched, QEvent* event) {
    if (watched != canvas_ || !buffer())
        return QWidget::eventFilter(watched, event);
    switch (event->type()) {
    case QEvent::Paint: {
        QPainter painter(canvas_);
        paint(painter, static_cast<QPaintEvent*>(event)->rect(), canvas_->width());
        return true;
    }
    case QEvent::ToolTip: {
        auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), tooltip_at(help->pos()), canvas_);
        return true;
    }
    case QEvent::MouseButtonPress:
        if (const auto* access = chosen();
            access && static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton)
            emit nodeSelected(access->node);
        return true;
    case QEvent::ContextMenu: {
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addAction(tr("Export…"), this, &BanksView::exportRequested);
        menu->popup(static_cast<QContextMenuEvent*>(event)->globalPos());
        return true;
    }
    default: break;
    }
    return QWidget::eventFilter(watched, event);
}

void BanksView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (buffer())
        canvas_->update();
}

void BanksView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (is_theme_change(*event) && stack_->count() > 1 && buffer())
        show_access();
}

Status BanksView::export_to(const QString& path, const QSize& size) {
    if (!buffer())
        return error("there is no shared memory to draw", "copy what a stage reads into it first");
    return export_picture(path, size, tr("Shared memory"), [&](QPainter& painter) {
        painter.fillRect(QRectF(QPointF(0, 0), size), theme_of(*this).surface);
        paint(painter, QRectF(QPointF(0, 0), size), size.width());
    });
}

} // namespace loopscope::views
