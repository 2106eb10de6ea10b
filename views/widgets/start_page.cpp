#include "views/widgets/start_page.h"

#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/style/number_format.h"
#include "views/style/text_metrics.h"
#include "views/style/theme.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/link_list.h"

#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace loopscope::views {

namespace {

constexpr int kPageWidth = 1160;     // what the programs teach in one line
constexpr double kMaxForNames = 260; // pixels
constexpr int kRecentShare = 5;      // recent files have a fifth of the height at most,
constexpr int kLeastRecent = 2;      // but so many rows
constexpr int kMargin = 10;          // of rows, which texts stand in line with

QPushButton* button(const QString& text, const QString& tip) {
    auto* made = new QPushButton(text);
    made->setAccessibleName(QString(text).remove(QStringLiteral("…")));
    made->setToolTip(tip);
    return made;
}

QHBoxLayout* line_of(QWidget& part) {
    auto* line = new QHBoxLayout(&part);
    line->setContentsMargins(kMargin, 0, kMargin, 0);
    line->setSpacing(kGap);
    return line;
}

} // namespace

QString short_folder(const QString& path) {
    const QString folder = QFileInfo(path).absolutePath(), home = QDir::homePath();
    if (folder == home)
        return QStringLiteral("~");
    return folder.startsWith(home + '/') ? '~' + folder.mid(home.size()) : folder;
}

StartPage::StartPage(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Start page"));
    auto* content = new QWidget(this);
    content->setMaximumWidth(kPageWidth);
    auto* across = new QHBoxLayout(this);
    across->setContentsMargins(kGap, 2 * kGap, kGap, kGap);
    across->addStretch(1);
    across->addWidget(content, 100);
    across->addStretch(1);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kGap);
    // Made in the order in which the Tab key goes.
    column->addWidget(make_head());
    column->addWidget(make_search());
    column->addWidget(make_programs(), 1);
    column->addWidget(make_recent());
    setFocusProxy(search_);
    show_programs();
    show_recent();
    // Last, as they tell the page of another palette.
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    restyle();
}

QWidget* StartPage::make_head() {
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kGap);
    title_ = new QLabel(tr("Loopscope"));
    purpose_ = new QLabel(tr("See where the time of a tensor or image pipeline goes, what would "
                             "change it, and whether that is legal."));
    purpose_->setWordWrap(true);
    for (auto* label : {title_, purpose_}) {
        label->setContentsMargins(kMargin, 0, 0, 0);
        column->addWidget(label);
    }
    auto* buttons = new QWidget;
    auto* line = line_of(*buttons);
    auto* tutorial = button(tr("Read the tutorial"),
                            tr("Opens its text beside the window: each step is for you to do"));
    tutorial->setProperty("primary", true);
    about_tutorial_ =
        new QLabel(tr("from a slow kernel to a fast one, step by step, in half an hour"));
    about_tutorial_->setWordWrap(true);
    auto* open = button(tr("Open a file…"),
                        tr("Opens a pipeline (.loop) or a document (.loopscope); Ctrl+O. Files can "
                           "be dropped here, too."));
    connect(tutorial, &QPushButton::clicked, this, &StartPage::tutorialRequested);
    connect(open, &QPushButton::clicked, this, &StartPage::openFileRequested);
    line->addWidget(tutorial);
    line->addWidget(about_tutorial_, 1);
    line->addWidget(open);
    column->addWidget(buttons);
    return part;
}

QWidget* StartPage::make_search() {
    auto* part = new QWidget;
    auto* line = line_of(*part);
    search_ = new QLineEdit;
    // A thin space is the caret's.
    search_->setPlaceholderText(QChar(0x2009) +
                                tr("Find a program: its name, its group, what it teaches"));
    search_->setAccessibleName(tr("Find a program"));
    search_->setToolTip(tr("Down goes to the programs, Enter opens the one that is marked, Escape "
                           "shows all again."));
    search_->installEventFilter(this);
    connect(search_, &QLineEdit::textChanged, this, &StartPage::show_programs);
    found_ = new QLabel;
    found_->setAccessibleName(tr("Programs that are shown"));
    line->addWidget(search_, 1);
    line->addWidget(found_);
    return part;
}

QWidget* StartPage::make_programs() {
    programs_part_ = new QStackedWidget;
    program_list_ = new LinkList;
    program_list_->setAccessibleName(tr("Programs to explore"));
    nothing_ = new EmptyState({}, {});
    programs_part_->addWidget(program_list_);
    programs_part_->addWidget(nothing_);
    connect(program_list_, &LinkList::openRequested, this, &StartPage::openRequested);
    connect(program_list_, &LinkList::leftAbove, search_, [this] { search_->setFocus(); });
    connect(nothing_, &EmptyState::actionTriggered, this, &StartPage::show_all);
    return programs_part_;
}

QWidget* StartPage::make_recent() {
    recent_part_ = new QWidget;
    auto* column = new QVBoxLayout(recent_part_);
    column->setContentsMargins(0, kGap, 0, 0);
    column->setSpacing(2);
    recent_title_ = new QLabel(tr("Recent"));
    recent_title_->setContentsMargins(kMargin, 0, 0, 0);
    recent_list_ = new LinkList;
    recent_list_->setAccessibleName(tr("Recent files"));
    connect(recent_list_, &LinkList::openRequested, this, &StartPage::openRequested);
    connect(recent_list_, &LinkList::leftAbove, this, [this] { program_list_->setFocus(); });
    column->addWidget(recent_title_);
    column->addWidget(recent_list_);
    return recent_part_;
}

void StartPage::set_programs(const std::vector<ProgramEntry>& programs, const QString& device) {
    if (programs == programs_ && device == device_)
        return;
    programs_ = programs;
    device_ = device;
    show_programs();
}

void StartPage::set_recent(const std::vector<RecentEntry>& recent) {
    if (recent == recent_)
        return;
    recent_ = recent;
    show_recent();
}

void StartPage::show_programs() {
    const QString sought = search_->text().simplified();
    std::vector<Link> links;
    std::size_t found = 0;
    for (const ProgramGroup& group : programs_with(programs_, sought)) {
        links.push_back({{}, group.title});
        for (const ProgramEntry& program : group.programs) {
            ++found;
            const QStringList facts = {program.stages == 1 ? tr("1 stage")
                                                           : tr("%1 stages").arg(program.stages),
                                       program.expert ? tr("expert schedule") : QString()};
            const QString expert = program.expert ? tr("An expert schedule is shipped for %1.")
                                                  : tr("No expert schedule is shipped for %1.");
            links.push_back({program.path, program.name, program.teaches, facts,
                             program.teaches + QStringLiteral(".\n") + expert.arg(device_)});
        }
    }
    program_list_->set_links(links);
    align_names();
    found_->setText(sought.isEmpty() ? tr("%1 programs").arg(programs_.size())
                                     : tr("%1 of %2 programs").arg(found).arg(programs_.size()));
    if (links.empty())
        show_nothing_found(sought);
    else if (!sought.isEmpty())
        program_list_->choose_first();
    programs_part_->setCurrentIndex(links.empty() ? 1 : 0);
}

void StartPage::show_nothing_found(const QString& sought) {
    if (programs_.empty()) {
        nothing_->set_text(tr("The bundled programs were not found."),
                           tr("Ctrl+O opens any .loop file."));
        nothing_->set_action({});
        return;
    }
    nothing_->set_text(
        tr("No program has “%1” in its name, its group or what it teaches.").arg(sought),
        tr("Escape in the field shows all of them again."));
    nothing_->set_action(tr("Show all programs"));
}

void StartPage::show_recent() {
    std::vector<Link> links;
    for (const RecentEntry& entry : recent_) {
        Link link{entry.path,
                  entry.name.isEmpty() ? QFileInfo(entry.path).fileName() : entry.name,
                  entry.detail.isEmpty() ? short_folder(entry.path) : entry.detail,
                  {format_when(entry.when)},
                  entry.path};
        link.cut = Qt::ElideMiddle; // both ends of a path tell it from others
        links.push_back(std::move(link));
    }
    recent_list_->set_links(links);
    recent_part_->setVisible(!links.empty());
    align_names();
    bound_recent();
}

// One column of names for both lists, which stays as it is while the field narrows them.
void StartPage::align_names() {
    const TextMetrics bold(bold_font());
    double widest = recent_list_->widest_name();
    for (const ProgramEntry& program : programs_)
        widest = std::max(widest, std::ceil(bold.width(program.name)) + 1);
    for (auto* list : {program_list_, recent_list_})
        list->set_name_width(std::min(widest, kMaxForNames));
}

void StartPage::bound_recent() {
    const int row = recent_list_->row_height();
    const int most = std::max(kLeastRecent, height() / kRecentShare / row);
    recent_list_->setFixedHeight(std::min(most, recent_list_->count()) * row);
}

void StartPage::show_all() {
    search_->clear();
    search_->setFocus();
}

bool StartPage::eventFilter(QObject* watched, QEvent* event) {
    if (watched != search_ || event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Down && program_list_->count() > 0) {
        program_list_->setFocus();
        if (program_list_->currentRow() < 0)
            program_list_->choose_first();
        return true;
    }
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
        program_list_->open_chosen();
        return true;
    }
    if (key == Qt::Key_Escape) {
        search_->clear();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void StartPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    bound_recent();
}

void StartPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (is_theme_change(*event))
        restyle();
}

void StartPage::restyle() {
    keep_font(*title_, big_number_font);
    keep_font(*recent_title_, bold_font);
    for (auto* label : {purpose_, about_tutorial_, found_})
        set_text_colour(*label, theme_of(*this).faint);
    align_names();
    bound_recent();
}

} // namespace loopscope::views
