#include "views/widgets/source_view.h"

#include "views/style/fonts.h"
#include "views/style/theme.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/linked_code.h"
#include "views/widgets/passes_view.h"
#include "views/widgets/search_field.h"
#include "views/widgets/wrapped_label.h"

#include <Qsci/qsciscintilla.h>

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QSaveFile>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

namespace loopscope::views {

namespace {

constexpr SourceView::Tab kAllTabs[] = {SourceView::Loops, SourceView::LlvmIr, SourceView::C,
                                        SourceView::Ptx,   SourceView::Sass,   SourceView::Cuda,
                                        SourceView::OpenCl};

bool is_of_gpu(SourceView::Tab tab) { return tab >= SourceView::Ptx; }

struct TabWords {
    const char *form, *ending;
    const char *title, *tooltip, *sentence, *hint, *accessible;
    Tokenise tokenise;
};

const TabWords& words(int tab) {
    static const TabWords all[] = {
        {"loops", ".loops.txt", QT_TR_NOOP("Loops"),
         QT_TR_NOOP("The loop program that is compiled, as pseudo-code."),
         QT_TR_NOOP("The loops that the schedule makes, line by line linked to the tree."),
         QT_TR_NOOP("Ctrl+O opens a pipeline."), QT_TR_NOOP("Loop program"), tokenise_loops},
        {"llvm", ".ll", QT_TR_NOOP("LLVM IR"),
         QT_TR_NOOP("What LLVM makes of it for the host's processor."),
         QT_TR_NOOP("The LLVM IR that the loops compile to."),
         QT_TR_NOOP("It is made when this tab is shown."), QT_TR_NOOP("LLVM IR"), tokenise_llvm},
        {"c", ".c", QT_TR_NOOP("C"),
         QT_TR_NOOP("The same program as C with OpenMP, to be compiled elsewhere."),
         QT_TR_NOOP("The C program that the schedule exports as."),
         QT_TR_NOOP("It is made when this tab is shown."), QT_TR_NOOP("C program"), tokenise_c},
        {"ptx", ".ptx", QT_TR_NOOP("PTX"),
         QT_TR_NOOP("The kernels as LLVM's NVPTX back end makes them."),
         QT_TR_NOOP("The PTX that the kernels compile to, linked to the tree line by line."),
         QT_TR_NOOP("It is made when this tab is shown."), QT_TR_NOOP("PTX of the kernels"),
         tokenise_ptx},
        {"sass", ".sass", QT_TR_NOOP("SASS"),
         QT_TR_NOOP("The machine code of the kernels, by ptxas and nvdisasm where they are found."),
         QT_TR_NOOP("The machine code that NVIDIA's assembler makes of the PTX."),
         QT_TR_NOOP("It needs ptxas and nvdisasm of a CUDA toolkit."),
         QT_TR_NOOP("Machine code of the kernels"), tokenise_ptx},
        {"cuda", ".cu", QT_TR_NOOP("CUDA C++"),
         QT_TR_NOOP("The same kernels as CUDA C++, to be compiled elsewhere."),
         QT_TR_NOOP("The CUDA C++ that the schedule exports as."),
         QT_TR_NOOP("It is made when this tab is shown."), QT_TR_NOOP("CUDA C++ program"),
         tokenise_c},
        {"opencl", ".cl", QT_TR_NOOP("OpenCL C"),
         QT_TR_NOOP("The same kernels as OpenCL C, for devices of other vendors."),
         QT_TR_NOOP("The OpenCL C that the schedule exports as."),
         QT_TR_NOOP("It is made when this tab is shown."), QT_TR_NOOP("OpenCL C program"),
         tokenise_c}};
    return all[tab];
}

} // namespace

const char* SourceView::form(Tab tab) { return words(tab).form; }
const char* SourceView::ending(Tab tab) { return words(tab).ending; }

SourceView::SourceView(QWidget* parent)
    : QWidget(parent),
      tabs_(new QTabBar(this)),
      note_(new WrappedLabel(this)),
      pages_(new QStackedWidget(this)),
      search_field_(new SearchField(this)) {
    setAccessibleName(tr("Source"));
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    tabs_->setDrawBase(false);
    tabs_->setExpanding(false);
    tabs_->setAccessibleName(tr("Kinds of source"));
    auto* head = new QHBoxLayout;
    head->setContentsMargins(0, 0, kGap, 0);
    head->addWidget(tabs_, 1);
    head->addWidget(make_buttons());
    column->addLayout(head);
    column->addSpacing(kAboveCode);
    note_->setFont(small_font());
    note_->setContentsMargins(12, 2, 12, 4);
    note_->setAccessibleName(tr("Remark on the source"));
    note_->hide();
    column->addWidget(note_);
    column->addWidget(pages_, 1);
    for (Tab tab : kAllTabs) {
        tabs_->addTab(tr(words(tab).title));
        tabs_->setTabToolTip(tab, tr(words(tab).tooltip));
        page_.push_back(make_page(tab));
    }
    passes_ = new PassesView;
    page(Loops).stack->addWidget(passes_);
    connect(passes_, &PassesView::nodeSelected, this, &SourceView::node_pointed_at);
    connect(passes_, &PassesView::searchRequested, this, &SourceView::start_search);
    connect(passes_, &PassesView::passShown, this, [this](int row) {
        show_buttons();
        const PassStep* step = passes_->pass_list()->step(row);
        if (stepping() && step && !step->source && step->failure.isEmpty())
            emit passesWanted(row);
    });
    connect(tabs_, &QTabBar::currentChanged, this, [this](int tab) {
        pages_->setCurrentIndex(tab);
        mark_selection(true);
        show_note();
        emit tabShown(tab);
        if (comparing() && !page(tab).baseline)
            emit baselineWanted(tab);
    });
    set_device_is_gpu(false);
    connect(search_field_, &SearchField::textChanged, this, [this](const QString& text) {
        find_in_editor(shown_code().editor(), text, true, true);
    });
    connect(search_field_, &SearchField::nextRequested, this, &SourceView::find_next);
    set_text_colour(*note_, theme_of(*this).faint);
    show_note();
}

QWidget* SourceView::make_buttons() {
    auto* row = new QWidget(this);
    auto* across = new QHBoxLayout(row);
    across->setContentsMargins(0, 2, 0, 2);
    across->setSpacing(0);
    auto button = [&](const QString& text, const QString& tooltip) {
        auto* made = new QPushButton(text, row);
        made->setProperty("quiet", true);
        made->setToolTip(tooltip);
        made->setAccessibleName(text.chopped(text.endsWith(QChar(0x2026)) ? 1 : 0) +
                                tr(" the source"));
        across->addWidget(made);
        return made;
    };
    passes_button_ = button(tr("Passes"), {});
    passes_button_->setAccessibleName(tr("Step through the passes"));
    passes_button_->setCheckable(true);
    connect(passes_button_, &QPushButton::toggled, this, [this](bool on) {
        if (on)
            compare_->setChecked(false);
        show_page(Loops);
        mark_selection(true);
        show_note();
        if (on)
            emit passesWanted(std::max(passes_->current(), 0));
    });
    compare_ = button(tr("Compare"), {});
    compare_->setCheckable(true);
    connect(compare_, &QPushButton::toggled, this, [this](bool on) {
        if (on)
            passes_button_->setChecked(false);
        for (Tab tab : kAllTabs)
            show_text(tab);
        show_note();
        if (on && !page(current()).baseline)
            emit baselineWanted(current());
    });
    copy_ = button(tr("Copy"), tr("Copies the selected text, or everything."));
    connect(copy_, &QPushButton::clicked, this, &SourceView::copy);
    save_ = button(tr("Save…"), tr("Saves the source as a file."));
    connect(save_, &QPushButton::clicked, this, [this] { emit saveRequested(current()); });
    set_baseline_pinned(false);
    return row;
}

SourceView::Page SourceView::make_page(Tab tab) {
    Page page;
    page.stack = new QStackedWidget(pages_);
    page.empty = new EmptyState(tr(words(tab).sentence), tr(words(tab).hint));
    page.code = new LinkedCode(words(tab).form, words(tab).tokenise, tr(words(tab).accessible));
    connect(page.code, &LinkedCode::nodeSelected, this, &SourceView::node_pointed_at);
    connect(page.code, &LinkedCode::searchRequested, this, &SourceView::start_search);
    page.stack->addWidget(page.empty);
    page.stack->addWidget(page.code);
    pages_->addWidget(page.stack);
    return page;
}

void SourceView::set_device_is_gpu(bool gpu) {
    if (current() != Loops && is_of_gpu(current()) != gpu)
        set_current(Loops); // a tab that goes would bring its neighbour
    for (Tab tab : kAllTabs)
        if (tab != Loops)
            tabs_->setTabVisible(tab, is_of_gpu(tab) == gpu);
}

void SourceView::set_source(Tab tab, SourceText source, const QString& remark) {
    Page& p = page(tab);
    p.remark = remark;
    const bool first = p.source.text.isEmpty(); // then the selection is brought into view
    p.source = std::move(source);
    show_text(tab);
    show_page(tab);
    mark_selection(first);
    show_note();
}

void SourceView::set_message(Tab tab, const QString& sentence, const QString& hint) {
    Page& p = page(tab);
    p.source = {};
    p.remark.clear();
    show_text(tab);
    p.empty->set_text(sentence, hint);
    show_page(tab);
    show_note();
}

// The passes in place of the loops, a text, or why there is none.
void SourceView::show_page(int tab) {
    Page& p = page(tab);
    QWidget* text = p.source.text.isEmpty() ? static_cast<QWidget*>(p.empty) : p.code;
    p.stack->setCurrentWidget(tab == Loops && stepping() ? passes_ : text);
}

LinkedCode& SourceView::shown_code() const {
    return current() == Loops && stepping() ? *passes_->code() : *page(current()).code;
}

void SourceView::set_selected(const NodeId& id) {
    if (selected_ == id)
        return;
    selected_ = id;
    mark_selection(true);
}

std::vector<int> SourceView::lines_of(Tab tab, const NodeId& id) const {
    return page(tab).code->lines_of(id);
}

void SourceView::mark_selection(bool scroll) {
    for (Tab tab : kAllTabs)
        page(tab).code->set_selected(selected_, scroll);
    passes_->set_selected(selected_, scroll);
}

void SourceView::node_pointed_at(const NodeId& id) {
    selected_ = id;
    mark_selection(false);
    emit nodeSelected(id);
}

void SourceView::set_current(Tab tab) { tabs_->setCurrentIndex(tab); }
SourceView::Tab SourceView::current() const { return static_cast<Tab>(tabs_->currentIndex()); }
QString SourceView::text(Tab tab) const { return page(tab).source.text; }
QString SourceView::shown_text(Tab tab) const { return page(tab).code->shown_text(); }
const LineDiff& SourceView::difference(Tab tab) const { return page(tab).code->difference(); }

// What is copied and saved.
QString SourceView::text_at_hand(Tab tab) const {
    if (tab != Loops || !stepping())
        return text(tab);
    const PassStep* step = passes_->pass_list()->step(passes_->current());
    return step && step->source ? step->source->text : QString();
}

Status SourceView::save_to(Tab tab, const QString& path) const {
    QSaveFile file(path); // whole or not at all
    const QByteArray bytes = text_at_hand(tab).toUtf8();
    if (bytes.isEmpty())
        return error("there is no source to save", "open the tab and wait until it is made");
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return error("cannot write " + path.toStdString() + ": " + file.errorString().toStdString(),
                     "choose another folder");
    return success();
}

// --- against the baseline -------------------------------------------------------------------------------------------

void SourceView::set_baseline_pinned(bool pinned) {
    pinned_ = pinned;
    for (Page& p : page_)
        p.baseline.reset();
    for (QString& message : baseline_message_)
        message.clear();
    show_buttons();
    if (!pinned && comparing())
        compare_->setChecked(false);
    else if (comparing() && !page_.empty())
        emit baselineWanted(current());
}

void SourceView::set_baseline_text(Tab tab, const QString& text) {
    page(tab).baseline = text;
    baseline_message_[tab].clear();
    show_text(tab);
    mark_selection(false);
    show_note();
}

void SourceView::set_baseline_message(Tab tab, const QString& sentence) {
    baseline_message_[tab] = sentence;
    show_note();
}

void SourceView::set_comparing(bool comparing) {
    if (compare_->isEnabled())
        compare_->setChecked(comparing);
}

bool SourceView::comparing() const { return compare_ && compare_->isChecked(); }

// The text alone, or both as one.
void SourceView::show_text(Tab tab) {
    Page& p = page(tab);
    if (comparing() && p.baseline && !p.source.text.isEmpty())
        p.code->set_difference({*p.baseline, {}}, p.source,
                               line_diff(p.baseline->toStdString(), p.source.text.toStdString()));
    else
        p.code->set_source(p.source);
}

// --- the passes -----------------------------------------------------------------------------------------------------

void SourceView::set_stepping(bool stepping) { passes_button_->setChecked(stepping); }
bool SourceView::stepping() const { return passes_button_ && passes_button_->isChecked(); }

void SourceView::set_passes(PassSteps steps) {
    const QSignalBlocker quiet(passes_); // nobody stepped
    passes_->set_steps(std::move(steps));
    passes_->set_selected(selected_, false);
    show_buttons();
}

// --- what is said and can be pressed --------------------------------------------------------------------------------

void SourceView::show_buttons() {
    if (page_.size() != kTabs || !passes_)
        return; // under construction
    const bool loops = current() == Loops;
    for (auto* button : {save_, copy_})
        button->setEnabled(!text_at_hand(current()).isEmpty());
    compare_->setEnabled(pinned_);
    compare_->setToolTip(pinned_ ? tr("Shows the lines that differ from the pinned baseline's.")
                                 : tr("Pin a baseline first (Ctrl+B)."));
    passes_button_->setEnabled(loops);
    passes_button_->setToolTip(
        loops ? tr("Shows the loops behind each pass of the compilation, and what it changed.")
              : tr("The passes are those of the pseudo-loops: they are on the tab Loops."));
}

void SourceView::show_note() {
    if (page_.size() != kTabs)
        return; // under construction
    show_buttons();
    const Page& p = page(current());
    note_->setVisible(comparing() || !p.remark.isEmpty());
    if (!comparing()) {
        note_->setText(p.remark);
        return;
    }
    const LineDiff& d = p.code->difference();
    if (!p.baseline)
        note_->setText(baseline_message_[current()].isEmpty()
                           ? tr("The baseline's source is being made.")
                           : baseline_message_[current()]);
    else if (d.same())
        note_->setText(tr("The same as the baseline's, line by line."));
    else
        note_->setText(
            difference_text(d) + tr(" against the baseline") +
            (d.coarse ? tr("; some of it has too little in common to be paired") : QString()));
}

// --- copying, searching, looks --------------------------------------------------------------------------------------

void SourceView::copy() {
    const QsciScintilla& editor = shown_code().editor();
    QApplication::clipboard()->setText(editor.hasSelectedText() ? editor.selectedText()
                                                                : text_at_hand(current()));
}

void SourceView::start_search() {
    search_field_->place(pages_->geometry());
    search_field_->open();
}

void SourceView::find_next(bool forward) {
    find_in_editor(shown_code().editor(), search_field_->text(), forward, false);
}

void SourceView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (is_theme_change(*event) && note_)
        set_text_colour(*note_, theme_of(*this).faint);
}

void SourceView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    search_field_->place(pages_->geometry());
}

} // namespace loopscope::views
