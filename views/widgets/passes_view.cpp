#include "views/widgets/passes_view.h"

#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/style/text_metrics.h"
#include "views/style/theme.h"
#include "views/widgets/focus_line.h"
#include "views/widgets/linked_code.h"
#include "views/widgets/paint.h"
#include "views/widgets/row_copying.h"
#include "views/widgets/wrapped_label.h"

#include <Qsci/qsciscintilla.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QScrollBar>
#include <QShortcut>
#include <QStyledItemDelegate>
#include <QToolButton>

#include <cmath>

namespace loopscope::views {

namespace {

constexpr int kWide = 560; // pixels from which the list stands beside the program
constexpr int kRowInset = 12;
constexpr int kPassRow = 22; // a dense list: most of it is seen in a low panel

// What changes nothing is grey, and its count is a dash.
class PassDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Theme& t = theme_of(*option.widget);
        painter->save();
        const bool shown = option.state & QStyle::State_Selected;
        if (shown)
            painter->fillRect(option.rect, t.selection);
        else if (option.state & QStyle::State_MouseOver)
            painter->fillRect(option.rect, t.hover);
        const bool idle = index.data(PassListModel::IdleRole).toBool(),
                   failed = index.data(PassListModel::FailedRole).toBool();
        const QRectF where = QRectF(option.rect).adjusted(kRowInset, 0, -kRowInset, 0);
        const QString count = index.data(PassListModel::CountRole).toString();
        paint_text(*painter, where, count, text_font(), failed ? t.error : t.faint,
                   Qt::AlignRight | Qt::AlignVCenter);
        const double width = QFontMetricsF(text_font()).horizontalAdvance(count) + kGap;
        paint_text(*painter, where.adjusted(0, 0, -width, 0), index.data().toString(),
                   shown ? bold_font() : text_font(),
                   failed ? t.error
                   : idle ? (shown ? t.faint : t.disabled)
                          : t.text);
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QFontMetricsF metrics(bold_font());
        return {static_cast<int>(std::ceil(metrics.horizontalAdvance(index.data().toString()) +
                                           metrics.horizontalAdvance(QStringLiteral("00000")))) +
                    2 * kRowInset + kGap,
                std::max(kPassRow, option.fontMetrics.height() + 5)};
    }
};

} // namespace

PassesView::PassesView(QWidget* parent)
    : QWidget(parent), model_(new PassListModel(this)), list_(new QListView), beside_(new QWidget) {
    setAccessibleName(tr("Passes"));
    code_ = new LinkedCode("loops", tokenize_loops, tr("Loop program behind a pass"));
    auto* across = new QHBoxLayout(this);
    across->setContentsMargins(0, 0, 0, 0);
    across->setSpacing(0);
    auto* left = new QHBoxLayout(beside_);
    left->setContentsMargins(0, kAboveCode, 0, 0);
    left->setSpacing(0);
    list_->setModel(model_);
    new RowCopying(list_);
    list_->setItemDelegate(new PassDelegate(list_));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setMouseTracking(true);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list_->setAccessibleName(tr("Passes in order"));
    new FocusLine(list_);
    left->addWidget(list_);
    auto* line = new QFrame;
    line->setObjectName(QStringLiteral("line"));
    line->setFixedWidth(1);
    left->addWidget(line);
    across->addWidget(beside_);
    auto* right = new QVBoxLayout;
    right->setSpacing(0);
    right->addWidget(make_strip());
    note_ = new WrappedLabel;
    keep_font(*note_, small_font);
    note_->setContentsMargins(kRowInset, 0, kRowInset, kAboveCode);
    note_->setAccessibleName(tr("What the pass does and changes"));
    right->addWidget(note_);
    right->addWidget(code_, 1);
    across->addLayout(right, 1);
    connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& now) {
                if (now.isValid())
                    show_pass(now.row());
            });
    connect(code_, &LinkedCode::nodeSelected, this, &PassesView::nodeSelected);
    connect(code_, &LinkedCode::searchRequested, this, &PassesView::searchRequested);
    connect(code_, &LinkedCode::runChanged, this, &PassesView::show_strip);
    const std::pair<QKeySequence, std::function<void()>> keys[] = {
        {QKeySequence(Qt::ALT | Qt::Key_Left), [this] { step(false); }},
        {QKeySequence(Qt::ALT | Qt::Key_Right), [this] { step(true); }},
        {QKeySequence(Qt::Key_F8), [this] { down_->click(); }},
        {QKeySequence(Qt::SHIFT | Qt::Key_F8), [this] { up_->click(); }}};
    for (const auto& [key, run] : keys) {
        auto* shortcut = new QShortcut(key, this);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, this, run);
    }
    fit_list();
    show_strip();
}

QWidget* PassesView::make_strip() {
    auto* strip = new QWidget;
    auto* across = new QHBoxLayout(strip);
    across->setContentsMargins(kRowInset - kGap, kAboveCode, kGap, 0);
    across->setSpacing(0);
    auto button = [&](const QString& text, const QString& tooltip) {
        auto* made = new QToolButton;
        made->setText(text);
        made->setProperty("quiet", true);
        made->setToolTip(tooltip);
        made->setAccessibleName(tooltip);
        across->addWidget(made);
        return made;
    };
    previous_ = button(
        QStringLiteral("‹"),
        tr("The pass before that changes something (%1)").arg(key_text(Qt::ALT | Qt::Key_Left)));
    next_ = button(
        QStringLiteral("›"),
        tr("The next pass that changes something (%1)").arg(key_text(Qt::ALT | Qt::Key_Right)));
    name_ = button({}, tr("Every pass, in order"));
    place_ = new QLabel;
    place_->setAccessibleName(tr("Which pass of how many"));
    across->addWidget(place_);
    runs_ = new QLabel;
    runs_->setAccessibleName(tr("Places that differ"));
    runs_->setMinimumWidth(0);
    runs_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // the buttons come first
    runs_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    across->addWidget(runs_, 1);
    up_ = button(QStringLiteral("↑"),
                 tr("The place before that differs (%1)").arg(key_text(Qt::SHIFT | Qt::Key_F8)));
    down_ = button(QStringLiteral("↓"),
                   tr("The next place that differs (%1)").arg(key_text(QKeySequence(Qt::Key_F8))));
    connect(previous_, &QToolButton::clicked, this, [this] { step(false); });
    connect(next_, &QToolButton::clicked, this, [this] { step(true); });
    connect(name_, &QToolButton::clicked, this, &PassesView::show_menu);
    connect(up_, &QToolButton::clicked, this,
            [this] { code_->go_to_run(code_->run() > 0 ? code_->run() - 1 : code_->runs() - 1); });
    connect(down_, &QToolButton::clicked, this,
            [this] { code_->go_to_run(code_->run() + 1 < code_->runs() ? code_->run() + 1 : 0); });
    return strip;
}

void PassesView::set_steps(PassSteps steps) {
    const QString kept = pass();
    model_->set_steps(std::move(steps));
    fit_list();
    if (model_->rowCount() == 0) {
        current_ = -1;
        shown_.reset();
        shown_difference_.reset();
        code_->set_source({});
    } else if (!set_pass(kept)) {
        list_->setCurrentIndex(model_->index(0));
    }
    show_current(false);
}

QString PassesView::pass() const {
    const PassStep* step = model_->step(current_);
    return step ? step->name : QString();
}

bool PassesView::set_pass(const QString& name) {
    for (int row = 0; row < model_->rowCount(); ++row)
        if (model_->step(row)->name == name) {
            list_->setCurrentIndex(model_->index(row));
            return true;
        }
    return false;
}

bool PassesView::step(bool forward) {
    const int row = model_->next(current_, forward);
    if (row < 0)
        return false;
    list_->setCurrentIndex(model_->index(row));
    return true;
}

void PassesView::set_selected(const NodeId& id, bool scroll) { code_->set_selected(id, scroll); }
QString PassesView::note() const { return note_->text(); }

void PassesView::show_pass(int row) {
    current_ = row;
    show_current(true);
    emit passShown(row);
}

void PassesView::show_current(bool other) {
    const PassStep* now = model_->step(current_);
    if (!now) {
        show_strip();
        return;
    }
    const PassStep* before = model_->step(current_ - 1);
    const bool with_difference = now->difference && before && before->source;
    if (now->source && (now->source != shown_ || now->difference != shown_difference_)) {
        shown_ = now->source;
        shown_difference_ = now->difference;
        if (with_difference && !now->difference->same())
            code_->set_difference(*before->source, *now->source, *now->difference);
        else
            code_->set_source(*now->source);
        if (other)
            code_->show_first_run();
    } else if (!now->source && (other || !now->failure.isEmpty())) {
        shown_.reset();
        shown_difference_.reset();
        code_->set_source({});
    }
    show_strip();
}

void PassesView::show_strip() {
    const Theme& t = theme_of(*this);
    const PassStep* now = model_->step(current_);
    previous_->setEnabled(now && model_->next(current_, false) >= 0);
    next_->setEnabled(now && model_->next(current_, true) >= 0);
    name_->setText(pass() + QStringLiteral(" ▾"));
    name_->setVisible(beside_->isHidden());
    place_->setText(
        now ? QStringLiteral("&nbsp;%1<span style='color:%2'>%3</span>")
                  .arg(beside_->isHidden() ? QString() : "<b>" + pass().toHtmlEscaped() + "</b> ",
                       t.faint.name(), tr("%1 of %2").arg(current_ + 1).arg(model_->rowCount()))
            : QString());
    const int runs = code_->runs();
    up_->setEnabled(runs > 0);
    down_->setEnabled(runs > 0);
    set_text_colour(*runs_, t.faint);
    runs_->setText(runs == 0           ? QString()
                   : code_->run() >= 0 ? tr("place %1 of %2").arg(code_->run() + 1).arg(runs)
                   : runs == 1         ? tr("1 place differs")
                                       : tr("%1 places differ").arg(runs));
    set_text_colour(*note_, now && !now->failure.isEmpty() ? t.error : t.faint);
    if (!now)
        note_->setText({});
    else if (!now->failure.isEmpty())
        note_->setText(tr("There is no program behind this pass: %1").arg(now->failure));
    else if (!now->source || (current_ > 0 && !now->difference))
        note_->setText(tr("%1: it is being made.").arg(now->summary));
    else if (now->changes_nothing())
        note_->setText(tr("%1: it changes nothing here.").arg(now->summary));
    else if (now->difference)
        note_->setText(
            QStringLiteral("%1: %2").arg(now->summary, difference_text(*now->difference)));
    else
        note_->setText(tr("%1: where the passes begin.").arg(now->summary));
}

void PassesView::show_menu() {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (int row = 0; row < model_->rowCount(); ++row) {
        auto* action =
            menu->addAction(QStringLiteral("%1\t%2").arg(
                                model_->step(row)->name,
                                model_->index(row).data(PassListModel::CountRole).toString()),
                            this, [this, row] { list_->setCurrentIndex(model_->index(row)); });
        action->setCheckable(true);
        action->setChecked(row == current_);
    }
    menu->popup(name_->mapToGlobal(QPoint(0, name_->height())));
}

void PassesView::fit_list() {
    const int content = std::max(list_->sizeHintForColumn(0), 120);
    beside_->setFixedWidth(content + list_->verticalScrollBar()->sizeHint().width() + 1);
    beside_->findChild<QFrame*>(QStringLiteral("line"))
        ->setStyleSheet(QStringLiteral("background: ") + theme_of(*this).line.name());
}

void PassesView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool wide = width() >= kWide;
    if (wide == !beside_->isHidden())
        return;
    beside_->setVisible(wide);
    show_strip();
}

void PassesView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (!is_theme_change(*event) || !note_)
        return;
    fit_list();
    show_strip();
}

} // namespace loopscope::views
