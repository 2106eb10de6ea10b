#include "views/widgets/params_view.h"

#include "views/models/snapshots.h"
#include "views/style/theme.h"
#include "views/widgets/wrapped_label.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpressionValidator>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope::views {

namespace {

constexpr int kParamsMargin = 10, kParamsGap = 6;
constexpr int kFieldLetters = 10;
constexpr int kColumns = 3;   // of params beside each other
constexpr int kMostLines = 5; // of them without scrolling

} // namespace

ParamsView::ParamsView(QWidget* parent)
    : QWidget(parent),
      caption_(new QLabel(tr("Params"), this)),
      fields_(new QWidget),
      area_(new QScrollArea(this)),
      sizes_button_(new QPushButton(this)),
      reset_(new QPushButton(tr("Defaults"), this)),
      none_(new WrappedLabel(tr("This pipeline has no params."), this)),
      refusal_(new WrappedLabel(this)) {
    setAccessibleName(tr("Params"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kParamsMargin, kParamsGap, kParamsMargin, kParamsGap);
    column->setSpacing(kParamsGap);
    column->addWidget(none_);
    parts_ = new QBoxLayout(QBoxLayout::TopToBottom);
    parts_->setSpacing(kParamsGap);
    parts_->addWidget(caption_, 0, Qt::AlignTop);
    parts_->addWidget(area_, 1);
    buttons_ = new QHBoxLayout;
    buttons_->setSpacing(kParamsGap);
    buttons_->addWidget(sizes_button_);
    buttons_->addWidget(reset_);
    buttons_->addStretch(1);
    parts_->addLayout(buttons_);
    parts_->setAlignment(buttons_, Qt::AlignBottom);
    column->addLayout(parts_);
    column->addWidget(refusal_);
    caption_->setContentsMargins(0, 0, kParamsMargin, 0);
    area_->setWidget(fields_);
    area_->setWidgetResizable(true);
    area_->setFrameShape(QFrame::NoFrame);
    area_->setFocusPolicy(Qt::NoFocus);
    area_->viewport()->setAutoFillBackground(false);
    fields_->setAutoFillBackground(false);
    area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* menu = new QMenu(sizes_button_);
    menu->setToolTipsVisible(true);
    sizes_button_->setMenu(menu);
    sizes_button_->setToolTip(tr("Sizes that papers and networks run this program at"));
    reset_->setToolTip(tr("Gives every param the value that the pipeline's text says"));
    refusal_->setAccessibleName(tr("Why the values were refused"));
    refusal_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    refusal_->hide();
    connect(reset_, &QPushButton::clicked, this, &ParamsView::resetChosen);
    connect(menu, &QMenu::triggered, this, [this](QAction* action) {
        const auto values = sizes_[action->data().toUInt()].values; // others may come meanwhile
        emit valuesChosen(values);
        show_sizes(); // a tick is of what is so
    });
    show_rows();
    show_sizes();
}

QLineEdit* ParamsView::field(const std::string& name) const {
    const auto found = std::find_if(rows_.begin(), rows_.end(),
                                    [&](const Row& row) { return row.param.name == name; });
    return found == rows_.end() ? nullptr : found->field;
}

void ParamsView::set_params(const std::vector<ParamRow>& rows) {
    const bool same_names =
        std::equal(rows.begin(), rows.end(), params_.begin(), params_.end(),
                   [](const ParamRow& a, const ParamRow& b) { return a.name == b.name; });
    params_ = rows;
    if (!same_names)
        make_rows();
    show_rows();
    show_sizes();
}

void ParamsView::set_sizes(std::vector<ParamSizes> sizes) {
    sizes_ = std::move(sizes);
    show_sizes();
}

void ParamsView::set_refusal(const QString& reason) {
    refusal_->setText(reason);
    refusal_->setVisible(!reason.isEmpty());
    recolour();
}

void ParamsView::recolour() {
    const auto& t = theme_of(*this);
    set_text_colour(*refusal_, t.error);
    for (const auto& row : rows_)
        set_text_colour(*row.note, t.faint);
}

void ParamsView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (is_theme_change(*event))
        recolour();
    if (event->type() == QEvent::FontChange)
        show_rows();
}

void ParamsView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

int ParamsView::lines_shown() const {
    return (static_cast<int>(rows_.size()) + kColumns - 1) / kColumns;
}

// In one row where that has room.
void ParamsView::arrange() {
    const int wanted =
        caption_->sizeHint().width() + fields_->sizeHint().width() + buttons_->sizeHint().width() +
        2 * (kParamsGap + kParamsMargin) +
        (lines_shown() > kMostLines ? area_->verticalScrollBar()->sizeHint().width() : 0);
    const bool beside = wanted <= width();
    parts_->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    caption_->setVisible(beside && !rows_.empty());
}

bool ParamsView::eventFilter(QObject* watched, QEvent* event) {
    const auto row = std::find_if(rows_.begin(), rows_.end(),
                                  [&](const Row& each) { return each.field == watched; });
    if (row == rows_.end())
        return QWidget::eventFilter(watched, event);
    // Of a value that is taken there is nothing to undo in the field: the key is the document's.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto& key = *static_cast<QKeyEvent*>(event);
        if ((key.matches(QKeySequence::Undo) || key.matches(QKeySequence::Redo)) &&
            row->field->text() == QString::number(row->param.value)) {
            event->ignore();
            return true;
        }
    }
    if (event->type() == QEvent::FocusOut && !row->field->hasAcceptableInput())
        row->field->setText(QString::number(row->param.value));
    return QWidget::eventFilter(watched, event);
}

void ParamsView::make_rows() {
    for (const auto& row : rows_) {
        delete row.field;
        delete row.note;
    }
    rows_.clear();
    const auto labels = fields_->findChildren<QLabel*>();
    qDeleteAll(labels);
    delete fields_->layout();
    auto* grid = new QGridLayout(fields_);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(kParamsGap);
    grid->setVerticalSpacing(kParamsGap / 2);
    // Digits alone: what else is wrong with a value the pipeline says.
    auto* digits = new QRegularExpressionValidator(
        QRegularExpression(QStringLiteral("-?[0-9]{1,18}")), fields_);
    for (std::size_t n = 0; n < params_.size(); ++n) {
        const auto name = to_qstring(params_[n].name);
        Row row{params_[n], new QLineEdit(fields_), new QLabel(fields_)};
        auto* title = new QLabel(name, fields_);
        title->setBuddy(row.field);
        row.field->setAccessibleName(name);
        row.field->setValidator(digits);
        row.field->installEventFilter(this);
        row.note->setContentsMargins(0, 0, 2 * kParamsMargin, 0);
        row.field->setMaximumWidth(row.field->fontMetrics().horizontalAdvance('0') * kFieldLetters +
                                   2 * kParamsMargin);
        const int line = static_cast<int>(n) / kColumns, at = static_cast<int>(n) % kColumns * 3;
        grid->addWidget(title, line, at);
        grid->addWidget(row.field, line, at + 1);
        grid->addWidget(row.note, line, at + 2);
        for (QWidget* each : std::initializer_list<QWidget*>{title, row.field, row.note})
            each->show(); // or they have no size to arrange() by yet
        rows_.push_back(row);
        connect(row.field, &QLineEdit::editingFinished, this, [this, n] { take(rows_[n]); });
    }
    grid->setColumnStretch(3 * kColumns, 1);
}

void ParamsView::show_rows() {
    bool differs = false;
    for (std::size_t n = 0; n < rows_.size(); ++n) {
        auto& row = rows_[n];
        row.param = params_[n];
        const bool own = row.param.value != row.param.default_value;
        row.field->setText(QString::number(row.param.value));
        row.note->setText(own ? tr("not %1").arg(row.param.default_value) : QString());
        row.field->setToolTip(tr("%1 in the pipeline's text").arg(row.param.default_value));
        differs = differs || own;
    }
    recolour();
    none_->setVisible(rows_.empty());
    area_->setVisible(!rows_.empty());
    if (!rows_.empty()) {
        const int height = rows_.front().field->sizeHint().height() + kParamsGap / 2;
        area_->setFixedHeight(std::min(lines_shown(), kMostLines) * height);
        caption_->setFixedHeight(height);
    }
    reset_->setVisible(!rows_.empty());
    reset_->setEnabled(differs);
    arrange();
}

// The button names the table's entry that the values are, else what it is for.
void ParamsView::show_sizes() {
    auto* menu = sizes_button_->menu();
    menu->clear();
    QString present;
    for (std::size_t n = 0; n < sizes_.size(); ++n) {
        const auto& sizes = sizes_[n];
        auto* action = menu->addAction(sizes.title);
        action->setToolTip(sizes.tip);
        action->setData(static_cast<unsigned>(n));
        action->setCheckable(true);
        action->setChecked(std::all_of(params_.begin(), params_.end(), [&](const ParamRow& row) {
            const auto found = sizes.values.find(row.name);
            return found == sizes.values.end() || found->second == row.value;
        }));
        if (action->isChecked() && present.isEmpty())
            present = sizes.title;
    }
    sizes_button_->setText(present.isEmpty() ? tr("Sizes from tables") : present);
    sizes_button_->setVisible(!sizes_.empty() && !rows_.empty());
    arrange();
}

void ParamsView::take(const Row& row) {
    const auto value = row.field->text().toLongLong();
    if (value != row.param.value)
        emit valuesChosen({{row.param.name, value}});
}

} // namespace loopscope::views
