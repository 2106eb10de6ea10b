#include "views/widgets/array_view.h"

#include "compiler/run/buffer_text.h"
#include "views/models/array_table.h"
#include "views/models/snapshots.h"
#include "views/style/number_format.h"
#include "views/style/theme.h"
#include "views/widgets/array_canvas.h"
#include "views/widgets/row_copying.h"
#include "views/widgets/wrapped_label.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace loopscope::views {

namespace {
constexpr int kValueLetters = 12; // of a column's width
constexpr int kRangeDigits = 4;
constexpr int kLeastPage = 40; // pixels: a small window has room for little
} // namespace

ArrayView::ArrayView(const QString& accessible_name, QWidget* parent)
    : QWidget(parent),
      pages_(new QStackedWidget(this)),
      canvas_(new ArrayCanvas),
      table_(new QTableView),
      model_(new ArrayTableModel(this)),
      nothing_(new WrappedLabel),
      note_(new WrappedLabel(this)),
      as_table_(new QPushButton(tr("Table"), this)),
      fit_(new QPushButton(tr("Fit"), this)),
      pictures_([](const Wanted& wanted,
                   const CancelToken&) { return picture_of(*wanted.array, wanted.form); },
                [this](const Wanted&, const ArrayPicture& picture) { show_picture(picture); }) {
    setAccessibleName(accessible_name);
    for (auto* button : {as_table_, fit_})
        button->setAccessibleName(QStringLiteral("%1: %2").arg(accessible_name, button->text()));
    canvas_->setAccessibleName(accessible_name);
    table_->setAccessibleName(tr("%1: values").arg(accessible_name));
    table_->setModel(model_);
    table_->verticalHeader()->setDefaultSectionSize(kRowHeight);
    table_->horizontalHeader()->setDefaultSectionSize(table_->fontMetrics().horizontalAdvance('0') *
                                                      kValueLetters);
    new RowCopying(table_);
    nothing_->setAlignment(Qt::AlignCenter);
    nothing_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    for (QWidget* page : std::initializer_list<QWidget*>{nothing_, canvas_, table_}) {
        page->setMinimumSize(kLeastPage, kLeastPage);
        pages_->addWidget(page);
    }
    note_->setMinimumWidth(1);
    as_table_->setCheckable(true);
    as_table_->setToolTip(tr("Shows the values in place of the picture"));
    fit_->setToolTip(tr("Shows all of the picture (0); + and -, or Ctrl and the wheel, zoom"));

    auto* line = new QHBoxLayout;
    line->setSpacing(kGap);
    line->addWidget(note_, 1);
    line->addWidget(fit_, 0, Qt::AlignTop);
    line->addWidget(as_table_, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kGap / 2);
    column->addWidget(pages_, 1);
    column->addLayout(line);

    connect(as_table_, &QPushButton::clicked, this, &ArrayView::show_page);
    connect(fit_, &QPushButton::clicked, canvas_, &ArrayCanvas::zoom_to_fit);
    connect(canvas_, &ArrayCanvas::pixelPointed, this, &ArrayView::show_note);
    connect(&pictures_, &LatestJobBase::failed, this, &ArrayView::clear);
    clear({});
}

ArrayView::~ArrayView() = default;

void ArrayView::clear(const QString& why) {
    pictures_.cancel();
    array_.reset();
    picture_ = {};
    canvas_->set_image({});
    model_->set_array(nullptr);
    nothing_->setText(why);
    show_page();
}

void ArrayView::set_array(BufferPtr array, std::vector<std::int64_t> begin) {
    array_ = std::move(array);
    begin_ = std::move(begin);
    picture_ = {};
    model_->set_array(array_, begin_);
    const auto form = picture_layout(array_->extents);
    if (form) {
        pictures_.request({array_, *form});
    } else {
        pictures_.cancel();
        canvas_->set_image({});
        nothing_->setText(array_->count() == 0 ? tr("It has no elements.") : QString());
    }
    show_page();
}

void ArrayView::show_picture(const ArrayPicture& picture) {
    picture_ = picture;
    canvas_->set_image(picture.image);
    picture_.image = {};
    show_page();
}

bool ArrayView::picture_shown() const { return pages_->currentWidget() == canvas_; }

void ArrayView::show_page() {
    const bool can = array_ && picture_layout(array_->extents);
    const bool some = array_ && array_->count() > 0;
    as_table_->setVisible(can);
    const bool table = some && (!can || as_table_->isChecked());
    pages_->setCurrentWidget(table ? static_cast<QWidget*>(table_)
                             : can ? static_cast<QWidget*>(canvas_)
                                   : static_cast<QWidget*>(nothing_));
    fit_->setVisible(can && !table);
    set_text_colour(*nothing_, theme_of(*this).faint);
    set_text_colour(*note_, theme_of(*this).faint);
    show_note({-1, -1});
}

void ArrayView::show_note(const QPoint& pixel) {
    const bool points = pixel.x() >= 0 && picture_shown();
    // A value with fewer lines gives no room back: the picture stays where it is pointed at.
    note_->setMinimumHeight(points ? note_->height() : 0);
    note_->setText(points ? value_text(pixel) : range_text());
}

QString ArrayView::note() const { return note_->text(); }

QString ArrayView::range_text() const {
    if (!array_ || array_->count() == 0)
        return {};
    if (!picture_shown())
        return model_->is_part() ? tr("The first %1 rows and %2 columns at most")
                                       .arg(ArrayTableModel::kMostRows)
                                       .arg(ArrayTableModel::kMostColumns)
                                 : QString();
    if (canvas_->image().isNull() || picture_.form.width == 0)
        return {};
    auto text = picture_.as_it_is ? tr("Samples as they are, 0 to 255")
                                  : tr("Black is %1, white is %2")
                                        .arg(format_significant(picture_.black, kRangeDigits),
                                             format_significant(picture_.white, kRangeDigits));
    if (picture_.not_numbers > 0)
        text += tr("; %1 are no numbers").arg(picture_.not_numbers);
    if (picture_.form.channels == 4 && !picture_.alpha)
        text += tr("; the fourth channel is not drawn");
    return text;
}

// "[1, 20, 30]: 17" of a grey picture; of others the values of all channels.
QString ArrayView::value_text(const QPoint& pixel) const {
    const auto& form = picture_.form;
    if (!array_ || form.width == 0)
        return {};
    auto least = [this](std::size_t d) { return d < begin_.size() ? begin_[d] : 0; };
    const std::size_t row = array_->extents.size() == 3 && !form.channels_last ? 1 : 0;
    QStringList values;
    for (std::int64_t channel = 0; channel < form.channels; ++channel)
        values << to_qstring(element_text(*array_, form.position(channel, pixel.y(), pixel.x())));
    return tr("row %1, column %2: %3")
        .arg(pixel.y() + least(row))
        .arg(pixel.x() + least(row + 1))
        .arg(values.join(QStringLiteral(", ")));
}

void ArrayView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (is_theme_change(*event))
        show_page();
}

} // namespace loopscope::views
