#include "views/widgets/schedules_view.h"

#include "views/models/number_table.h"
#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/style/text_metrics.h"
#include "views/style/theme.h"
#include "views/widgets/focus_line.h"
#include "views/widgets/paint.h"
#include "views/widgets/row_copying.h"
#include "views/widgets/side_by_side_view.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QShortcut>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>

namespace loopscope::views {

namespace {

constexpr int kListInset = 16;

class NumberDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        using Table = NumberTableModel;
        const Theme& t = theme_of(*option.widget);
        painter->save();
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, t.selection);
        const bool heading = index.data(Table::HeadingRole).toBool();
        const int sign = index.data(Table::SignRole).toInt();
        const bool told = index.column() == Table::Change || index.column() == Table::Better;
        const QColor colour = told && sign < 0                         ? t.ink(Meaning::Vector)
                              : told && sign > 0                       ? t.ink(Meaning::Pipelined)
                              : index.column() == Table::Ratio || told ? t.faint
                                                                       : t.text;
        // The better side's number is bold too.
        const bool better = (sign < 0 && index.column() == Table::Right) ||
                            (sign > 0 && index.column() == Table::Left);
        const bool first = index.column() == Table::Quantity;
        const QRectF where = QRectF(option.rect)
                                 .adjusted(kCellPadding + (first && !heading ? 12 : 0), 0,
                                           -kCellPadding, heading ? -3 : 0);
        const Qt::Alignment alignment = (first ? Qt::AlignLeft : Qt::AlignRight) |
                                        (heading ? Qt::AlignBottom : Qt::AlignVCenter);
        paint_text(*painter, where, index.data().toString(),
                   heading || better ? bold_font() : text_font(), colour, alignment);
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
        const double text = QFontMetricsF(bold_font()).horizontalAdvance(index.data().toString());
        return {static_cast<int>(std::ceil(text)) + 2 * kCellPadding + 2, kRowHeight};
    }
};

} // namespace

SchedulesView::SchedulesView(QWidget* parent)
    : QWidget(parent),
      left_(new QComboBox),
      right_(new QComboBox),
      left_times_(new QLabel),
      right_times_(new QLabel),
      headline_(new QLabel),
      nothing_(new QLabel),
      tabs_(new QTabBar),
      fold_(new QCheckBox(tr("Only what differs"))),
      pages_(new QStackedWidget),
      script_(new SideBySideView(SideBySideView::Kind::Script)),
      tree_(new SideBySideView(SideBySideView::Kind::Tree)),
      numbers_(new NumberTableModel(this)),
      table_(new QTableView) {
    setAccessibleName(tr("Two schedules side by side"));
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(make_head());
    column->addWidget(make_bar());
    make_numbers();
    nothing_->setAlignment(Qt::AlignCenter);
    nothing_->setWordWrap(true);
    nothing_->setMargin(3 * kGap);
    nothing_->setAccessibleName(tr("Why there is nothing to compare"));
    table_page_ = new QWidget; // its texts in line with those above
    auto* inset = new QHBoxLayout(table_page_);
    inset->setContentsMargins(kListInset - kCellPadding, 0, 0, 0);
    inset->addWidget(table_);
    for (QWidget* page : {static_cast<QWidget*>(script_), static_cast<QWidget*>(tree_), table_page_,
                          static_cast<QWidget*>(nothing_)})
        pages_->addWidget(page);
    column->addWidget(pages_, 1);
    make_keys();
    setFocusProxy(tabs_);
    connect(script_, &SideBySideView::nodeSelected, this, &SchedulesView::nodeSelected);
    connect(tree_, &SideBySideView::nodeSelected, this, &SchedulesView::nodeSelected);
    fold_->setChecked(true);
    show_texts();
}

QWidget* SchedulesView::make_head() {
    auto* head = new QWidget;
    auto* grid = new QGridLayout(head);
    grid->setContentsMargins(kListInset, 12, kListInset, kGap);
    grid->setHorizontalSpacing(kGap);
    grid->setVerticalSpacing(4);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(2, 1);
    auto button = [](const QString& text, const QString& tooltip) {
        auto* made = new QPushButton(text);
        made->setToolTip(tooltip);
        made->setAccessibleName(tooltip);
        made->setAutoDefault(false);
        return made;
    };
    swap_ = button(tr("⇄ S&wap"), tr("Exchanges the two sides"));
    grid->addWidget(left_, 0, 0);
    grid->addWidget(swap_, 0, 1);
    grid->addWidget(right_, 0, 2);
    auto side = [&](QComboBox* choice, QLabel* times, QPushButton*& make, int at,
                    const QString& name, const QString& of) {
        choice->setAccessibleName(name);
        choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        choice->setMinimumContentsLength(8);
        times->setAccessibleName(of);
        times->setWordWrap(true); // in a small window
        times->setMinimumWidth(0);
        times->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        make = button(tr("Make it current"), tr("The schedule of now becomes this one"));
        make->setProperty("quiet", true);
        auto* across = new QHBoxLayout;
        across->setSpacing(0);
        across->setContentsMargins(2, 0, 0, 0);
        across->addWidget(times, 1);
        across->addWidget(make);
        grid->addLayout(across, 1, at);
    };
    side(left_, left_times_, make_left_, 0, tr("Left schedule"), tr("Times of the left schedule"));
    side(right_, right_times_, make_right_, 2, tr("Right schedule"),
         tr("Times of the right schedule"));
    keep_font(*headline_, bold_font);
    headline_->setWordWrap(true);
    headline_->setContentsMargins(2, 4, 0, 0);
    headline_->setAccessibleName(tr("Which one is better"));
    grid->addWidget(headline_, 2, 0, 1, 3);
    connect(left_, &QComboBox::activated, this, &SchedulesView::leftChosen);
    connect(right_, &QComboBox::activated, this, &SchedulesView::rightChosen);
    connect(swap_, &QPushButton::clicked, this, &SchedulesView::swapRequested);
    connect(make_left_, &QPushButton::clicked, this, &SchedulesView::leftWanted);
    connect(make_right_, &QPushButton::clicked, this, &SchedulesView::rightWanted);
    return head;
}

QWidget* SchedulesView::make_bar() {
    auto* bar = new QWidget;
    auto* across = new QHBoxLayout(bar);
    across->setContentsMargins(kGap, 0, kListInset, 4);
    across->setSpacing(kGap);
    tabs_->setDrawBase(false);
    tabs_->setExpanding(false);
    tabs_->setAccessibleName(tr("What is compared"));
    for (const QString& name : {tr("Script"), tr("Tree"), tr("Numbers")})
        tabs_->addTab(name);
    tabs_->setTabToolTip(Script, tr("The lines of both scripts (Alt+1)"));
    tabs_->setTabToolTip(Tree, tr("The loops, stages and storage of both, as they run (Alt+2)"));
    tabs_->setTabToolTip(Numbers, tr("Times, memory and recomputation of both (Alt+3)"));
    across->addWidget(tabs_, 1);
    fold_->setToolTip(tr("Hides runs of rows that are the same on both sides"));
    across->addWidget(fold_);
    auto arrow = [&](const QString& text, const QString& tooltip) {
        auto* made = new QToolButton;
        made->setText(text);
        made->setToolTip(tooltip);
        made->setAccessibleName(tooltip);
        made->setProperty("quiet", true);
        across->addWidget(made);
        return made;
    };
    up_ = arrow(QStringLiteral("↑"),
                tr("The difference before (%1)").arg(key_text(Qt::SHIFT | Qt::Key_F8)));
    down_ = arrow(QStringLiteral("↓"),
                  tr("The next difference (%1)").arg(key_text(QKeySequence(Qt::Key_F8))));
    export_ = new QPushButton(tr("E&xport ▾"));
    export_->setStyleSheet(
        QStringLiteral("QPushButton::menu-indicator { image: none; width: 0; }"));
    export_->setToolTip(tr("Copies or saves the whole comparison as text"));
    export_->setAccessibleName(export_->toolTip());
    export_->setAutoDefault(false);
    auto* menu = new QMenu(export_);
    menu->addAction(tr("Copy as &Markdown"), this, [this] { copy(TextForm::Markdown); });
    menu->addAction(tr("Copy as &text"), this, [this] { copy(TextForm::Plain); });
    menu->addAction(tr("&Save…"), this, &SchedulesView::saveRequested);
    export_->setMenu(menu);
    across->addWidget(export_);
    connect(tabs_, &QTabBar::currentChanged, this, &SchedulesView::show_tab);
    connect(fold_, &QCheckBox::toggled, this, [this](bool only) {
        for (SideBySideView* view : {script_, tree_}) {
            view->side_model()->set_folded(only);
            view->show_first_difference();
        }
    });
    connect(up_, &QToolButton::clicked, this, [this] {
        if (at_hand())
            at_hand()->go_to_difference(false);
    });
    connect(down_, &QToolButton::clicked, this, [this] {
        if (at_hand())
            at_hand()->go_to_difference(true);
    });
    return bar;
}

void SchedulesView::make_numbers() {
    table_->setModel(numbers_);
    new RowCopying(table_);
    table_->setItemDelegate(new NumberDelegate(table_));
    new FocusLine(table_);
    table_->setAccessibleName(tr("Numbers side by side"));
    table_->setShowGrid(false);
    table_->setFrameShape(QFrame::NoFrame);
    table_->setWordWrap(false);
    table_->setCornerButtonEnabled(false);
    table_->setTabKeyNavigation(false);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(
        std::max(kRowHeight - 2, fontMetrics().height() + 6));
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(NumberTableModel::Quantity,
                                                     QHeaderView::Stretch);
    table_->horizontalHeader()->setMinimumSectionSize(72);
    table_->horizontalHeader()->setAccessibleName(tr("Columns"));
}

void SchedulesView::make_keys() {
    const std::pair<QKeySequence, std::function<void()>> keys[] = {
        {QKeySequence(Qt::Key_F8), [this] { down_->click(); }},
        {QKeySequence(Qt::SHIFT | Qt::Key_F8), [this] { up_->click(); }},
        {QKeySequence(Qt::ALT | Qt::Key_1), [this] { set_tab(Script); }},
        {QKeySequence(Qt::ALT | Qt::Key_2), [this] { set_tab(Tree); }},
        {QKeySequence(Qt::ALT | Qt::Key_3), [this] { set_tab(Numbers); }}};
    for (const auto& [key, run] : keys) {
        auto* shortcut = new QShortcut(key, this);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, this, run);
    }
}

void SchedulesView::set_choices(const SideChoices& choices) {
    choices_ = choices;
    const std::pair<QComboBox*, int> sides[] = {{left_, choices.left}, {right_, choices.right}};
    for (const auto& [box, chosen] : sides) {
        const QSignalBlocker quiet(box);
        box->clear();
        box->addItems(choices.names);
        if (choices.names.size() > 1)
            box->insertSeparator(static_cast<int>(choices.names.size()) - 1);
        box->setCurrentIndex(chosen);
        box->setToolTip(box->currentText());
    }
    show_texts();
}

void SchedulesView::set_pair(std::shared_ptr<const SchedulePair> pair) {
    pair_ = std::move(pair);
    for (SideBySideView* view : {script_, tree_})
        view->side_model()->set_folded(fold_->isChecked());
    script_->side_model()->set_rows(pair_ ? pair_->script : SideRows());
    tree_->side_model()->set_rows(pair_ ? pair_->tree : SideRows());
    numbers_->set_numbers(pair_ ? pair_->numbers : std::vector<ComparedNumber>());
    table_->clearSpans();
    for (int row = 0; row < numbers_->rowCount(); ++row)
        if (numbers_->is_heading(row))
            table_->setSpan(row, 0, 1, NumberTableModel::ColumnCount);
    script_->show_first_difference();
    tree_->show_first_difference();
    auto counted = [](const QString& name, int count) {
        return count > 0 ? QStringLiteral("%1 %2").arg(name).arg(count) : name;
    };
    tabs_->setTabText(Script, counted(tr("Script"), pair_ ? differing_rows(pair_->script) : 0));
    tabs_->setTabText(Tree, counted(tr("Tree"), pair_ ? differing_rows(pair_->tree) : 0));
    show_texts();
}

void SchedulesView::set_tab(Tab tab) { tabs_->setCurrentIndex(tab); }
SchedulesView::Tab SchedulesView::tab() const { return static_cast<Tab>(tabs_->currentIndex()); }
QString SchedulesView::headline() const { return headline_->text(); }

SideBySideView* SchedulesView::at_hand() const {
    return tab() == Script ? script_ : tab() == Tree ? tree_ : nullptr;
}

// The tab's page, or why it has nothing.
void SchedulesView::show_tab() {
    const bool rows = at_hand() != nullptr;
    const bool differ = rows && at_hand()->side_model()->next_difference(-1, true) >= 0;
    up_->setEnabled(differ);
    down_->setEnabled(differ);
    fold_->setEnabled(differ);
    QString why;
    if (!pair_)
        why = tr("The comparison is being made.");
    else if (tab() != Script && !(pair_->left.tree && pair_->right.tree))
        why = views::headline(*pair_).text;
    else if (rows && !differ)
        why = tab() == Script ? tr("The scripts say the same, line by line.")
                              : tr("The schedule trees are the same.");
    nothing_->setText(why);
    pages_->setCurrentWidget(!why.isEmpty() ? static_cast<QWidget*>(nothing_)
                             : rows         ? static_cast<QWidget*>(at_hand())
                                            : table_page_);
}

void SchedulesView::show_texts() {
    const Theme& t = theme_of(*this);
    for (QLabel* label : {left_times_, right_times_, nothing_})
        set_text_colour(*label, t.faint);
    left_times_->setText(pair_ ? times_text(pair_->left) : QString());
    right_times_->setText(pair_ ? times_text(pair_->right) : QString());
    Headline line;
    if (pair_)
        line = views::headline(*pair_);
    headline_->setText(line.text.isEmpty() ? QStringLiteral(" ") : line.text); // keeps its height
    set_text_colour(*headline_, line.sign == 0  ? t.text
                                : line.sign < 0 ? t.ink(Meaning::Vector)
                                                : t.ink(Meaning::Pipelined));
    make_left_->setEnabled(pair_ && pair_->left.tree && !choices_.left_present);
    make_right_->setEnabled(pair_ && pair_->right.tree && !choices_.right_present);
    const std::pair<QPushButton*, bool> buttons[] = {{make_left_, choices_.left_present},
                                                     {make_right_, choices_.right_present}};
    for (const auto& [button, present] : buttons)
        button->setToolTip(present ? tr("It is the schedule of now")
                                   : tr("The schedule of now becomes this one"));
    export_->setEnabled(pair_ != nullptr);
    show_tab();
}

void SchedulesView::copy(TextForm form) {
    if (pair_)
        QApplication::clipboard()->setText(to_text(*pair_, form));
}

void SchedulesView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (is_theme_change(*event) && headline_ && make_left_)
        show_texts();
}

} // namespace loopscope::views
