#include "views/widgets/input_rows.h"

#include "views/style/theme.h"
#include "views/widgets/wrapped_label.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope::views {

namespace {
constexpr int kMostInputLines = 3; // without scrolling
} // namespace

InputRows::InputRows(QWidget* parent)
    : QWidget(parent),
      fields_(new QWidget),
      area_(new QScrollArea(this)),
      none_(new WrappedLabel(tr("This pipeline has no inputs."), this)) {
    setAccessibleName(tr("Inputs"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(none_);
    column->addWidget(area_);
    area_->setWidget(fields_);
    area_->setWidgetResizable(true);
    area_->setFrameShape(QFrame::NoFrame);
    area_->setFocusPolicy(Qt::NoFocus);
    area_->viewport()->setAutoFillBackground(false);
    fields_->setAutoFillBackground(false);
    area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    show_lines();
}

void InputRows::set_rows(const std::vector<InputRow>& rows) {
    if (rows == rows_)
        return;
    const bool same_names =
        std::equal(rows.begin(), rows.end(), rows_.begin(), rows_.end(),
                   [](const InputRow& a, const InputRow& b) { return a.name == b.name; });
    rows_ = rows;
    if (!same_names)
        make_lines();
    show_lines();
}

void InputRows::make_lines() {
    lines_.clear();
    const auto labels = fields_->findChildren<QLabel*>();
    const auto buttons = fields_->findChildren<QPushButton*>();
    qDeleteAll(labels);
    qDeleteAll(buttons);
    delete fields_->layout();
    auto* grid = new QGridLayout(fields_);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(kGap);
    grid->setVerticalSpacing(kGap / 2);
    for (std::size_t n = 0; n < rows_.size(); ++n) {
        const auto& input = rows_[n].name;
        Line line{input, new QLabel(fields_), new QLabel(fields_),
                  new QPushButton(tr("Choose file…"), fields_),
                  new QPushButton(tr("Random"), fields_)};
        line.takes->setMinimumWidth(1);
        line.file->setMinimumWidth(1);
        line.choose->setAccessibleName(tr("Choose a file for %1").arg(input));
        line.choose->setToolTip(tr("A PNG image or a NumPy array (.npy); one may be dropped, too"));
        line.forget->setAccessibleName(tr("Random values for %1").arg(input));
        line.forget->setToolTip(tr("Takes the file away: the values are random, as for Check"));
        const int row = static_cast<int>(n);
        grid->addWidget(line.takes, row, 0);
        grid->addWidget(line.file, row, 1);
        grid->addWidget(line.choose, row, 2);
        grid->addWidget(line.forget, row, 3);
        connect(line.choose, &QPushButton::clicked, this, [this, input] { emit fileAsked(input); });
        connect(line.forget, &QPushButton::clicked, this, [this, input] { emit forgotten(input); });
        lines_.push_back(line);
    }
    grid->setColumnStretch(1, 1);
}

void InputRows::show_lines() {
    for (std::size_t n = 0; n < lines_.size(); ++n) {
        const auto& row = rows_[n];
        const auto& line = lines_[n];
        line.takes->setText(QStringLiteral("%1: %2").arg(row.name, row.takes));
        line.file->setText(row.file.isEmpty() ? tr("random values")
                                              : QFileInfo(row.file).fileName());
        line.file->setToolTip(row.file.isEmpty() ? tr("Random values, as for Check") : row.file);
        line.forget->setEnabled(!row.file.isEmpty());
    }
    none_->setVisible(lines_.empty());
    area_->setVisible(!lines_.empty());
    if (!lines_.empty())
        area_->setFixedHeight(std::min(static_cast<int>(lines_.size()), kMostInputLines) *
                              (lines_.front().choose->sizeHint().height() + kGap / 2));
    recolour();
}

void InputRows::recolour() {
    for (const auto& line : lines_)
        set_text_colour(*line.file, theme_of(*this).faint);
    set_text_colour(*none_, theme_of(*this).faint);
}

void InputRows::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (is_theme_change(*event))
        recolour();
}

const InputRows::Line* InputRows::line_of(const QString& input) const {
    const auto line = std::find_if(lines_.begin(), lines_.end(),
                                   [&](const Line& each) { return each.input == input; });
    return line == lines_.end() ? nullptr : &*line;
}

QPushButton* InputRows::choose_button(const QString& input) const {
    const auto* line = line_of(input);
    return line ? line->choose : nullptr;
}

QPushButton* InputRows::forget_button(const QString& input) const {
    const auto* line = line_of(input);
    return line ? line->forget : nullptr;
}

} // namespace loopscope::views
