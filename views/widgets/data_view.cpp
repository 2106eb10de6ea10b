#include "views/widgets/data_view.h"

#include "views/style/theme.h"
#include "views/widgets/array_view.h"
#include "views/widgets/flow_layout.h"
#include "views/widgets/input_rows.h"
#include "views/widgets/wrapped_label.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope::views {

namespace {

constexpr int kDataMargin = 10;
constexpr int kBoxLetters = 12; // that its entries are not cut below

QComboBox* make_box(const QString& name) {
    auto* box = new QComboBox;
    box->setAccessibleName(name);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(kBoxLetters);
    QObject::connect(box, &QComboBox::currentTextChanged, box, &QWidget::setToolTip);
    return box;
}

} // namespace

DataView::DataView(QWidget* parent)
    : QWidget(parent),
      inputs_(new InputRows),
      run_(new QPushButton(tr("Run"))),
      cancel_(new QPushButton(tr("Cancel"))),
      look_(new QPushButton(tr("Look at stage"))),
      save_(new QPushButton(tr("Save result…"))),
      stages_(make_box(tr("Stage to look at"))),
      refusal_(new WrappedLabel),
      summary_(new WrappedLabel),
      stale_(new WrappedLabel(tr("Of another schedule, program or file than there is now: run it "
                                 "again."))) {
    setAccessibleName(tr("Data"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kDataMargin, kGap, kDataMargin, kGap);
    column->setSpacing(kGap);
    column->addWidget(inputs_);
    column->addWidget(make_line());
    for (auto* label : {refusal_, summary_, stale_}) {
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->hide();
        column->addWidget(label);
    }
    for (auto* button : {run_, cancel_, look_, save_})
        button->setAccessibleName(button->text().remove(u'…'));
    refusal_->setAccessibleName(tr("Why there is no result"));
    auto* both = new QSplitter(Qt::Horizontal);
    both->setChildrenCollapsible(false);
    both->addWidget(make_side(Input, tr("Input")));
    both->addWidget(make_side(Result, tr("Result")));
    column->addWidget(both, 1);
    connect(run_, &QPushButton::clicked, this, &DataView::runAsked);
    connect(cancel_, &QPushButton::clicked, this, &DataView::cancelAsked);
    connect(save_, &QPushButton::clicked, this, &DataView::saveAsked);
    connect(look_, &QPushButton::clicked, this,
            [this] { emit stageAsked(stages_->currentText()); });
    set_summary({}, false);
    set_unavailable({}, false);
}

QWidget* DataView::make_line() {
    auto* line = new QWidget;
    auto* row = new FlowLayout(kGap, line);
    run_->setToolTip(tr("Runs the present schedule on these inputs, in a worker process"));
    look_->setToolTip(tr("Computes all values of the stage by its definition, and shows them"));
    save_->setToolTip(tr("Writes what is shown as the result, as PNG or as a NumPy array"));
    for (QWidget* each : std::initializer_list<QWidget*>{run_, cancel_, save_, stages_, look_})
        row->addWidget(each);
    return line;
}

QWidget* DataView::make_side(Side side, const QString& name) {
    auto* widget = new QWidget;
    auto* column = new QVBoxLayout(widget);
    // Away from the line between the sides.
    column->setContentsMargins(side == Result ? kGap : 0, 0, side == Input ? kGap : 0, 0);
    column->setSpacing(kGap / 2);
    auto& shown = sides_[side];
    shown.box = make_box(tr("%1 that is shown").arg(name));
    shown.view = new ArrayView(name);
    column->addWidget(shown.box);
    column->addWidget(shown.view, 1);
    connect(shown.box, &QComboBox::activated, this, &DataView::arrayChosen);
    return widget;
}

void DataView::set_stages(const QStringList& stages) {
    if (stages == stages_shown_)
        return;
    stages_shown_ = stages;
    const auto before = stages_->currentText();
    stages_->clear();
    stages_->addItems(stages);
    choose_stage(before);
}

void DataView::choose_stage(const QString& stage) {
    if (const int at = stages_->findText(stage); at >= 0)
        stages_->setCurrentIndex(at);
}

void DataView::set_unavailable(const QString& reason, bool running) {
    for (auto* button : {run_, look_}) {
        button->setEnabled(reason.isEmpty());
        button->setStatusTip(reason);
    }
    cancel_->setVisible(running);
    look_->setEnabled(reason.isEmpty() && stages_->count() > 0);
}

void DataView::set_refusal(const QString& reason) {
    refusal_->setText(reason);
    refusal_->setVisible(!reason.isEmpty());
    recolour();
}

void DataView::set_summary(const QString& summary, bool stale) {
    summary_->setText(summary);
    summary_->setVisible(!summary.isEmpty());
    stale_->setVisible(stale);
    recolour();
}

void DataView::set_arrays(Side side, const QStringList& titles) {
    auto& box = *sides_[side].box;
    QStringList before;
    for (int n = 0; n < box.count(); ++n)
        before << box.itemText(n);
    if (before != titles) {
        const int chosen = box.currentIndex();
        box.clear();
        box.addItems(titles);
        box.setCurrentIndex(titles.isEmpty() ? -1 : std::clamp(chosen, 0, box.count() - 1));
    }
    box.setVisible(!titles.isEmpty());
    if (side == Result)
        save_->setEnabled(!titles.isEmpty());
}

void DataView::choose_array(Side side, int array) { sides_[side].box->setCurrentIndex(array); }
int DataView::array(Side side) const { return sides_[side].box->currentIndex(); }

bool DataView::settled() const {
    return sides_[Input].view->settled() && sides_[Result].view->settled();
}

QString DataView::summary() const { return summary_->text(); }
QString DataView::refusal() const { return refusal_->text(); }

void DataView::recolour() {
    const auto& t = theme_of(*this);
    set_text_colour(*refusal_, t.error);
    set_text_colour(*summary_, t.text);
    set_text_colour(*stale_, t.ink(Meaning::Pipelined));
}

void DataView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (is_theme_change(*event))
        recolour();
}

} // namespace loopscope::views
