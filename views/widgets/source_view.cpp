#include "views/widgets/source_view.h"

#include "core/base/whole_file.h"
#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/style/theme.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/linked_code.h"
#include "views/widgets/passes_view.h"
#include "views/widgets/said_state.h"
#include "views/widgets/search_field.h"
#include "views/widgets/wrapped_label.h"

#include <Qsci/qsciscintilla.h>

#include <QApplication>
#include <QBoxLayout>
#include <QClipboard>
#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

#include <stdexcept>

namespace loopscope::views {

namespace {

using Machine = OutputForm::Machine;

constexpr const char* kLoops = "loops"; // the tab whose text the passes make

Tokenize tokenizer_of(OutputForm::Language language) {
    using Language = OutputForm::Language;
    switch (language) {
    case Language::Loops: return tokenize_loops;
    case Language::Llvm: return tokenize_llvm;
    case Language::C: return tokenize_c;
    case Language::Ptx: return tokenize_ptx;
    }
    return tokenize_c;
}

} // namespace

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
    head_ = new QBoxLayout(QBoxLayout::LeftToRight);
    head_->setContentsMargins(0, 0, kGap, 0);
    head_->setSpacing(0);
    head_->addWidget(tabs_, 1);
    head_->addWidget(buttons_ = make_buttons());
    column->addLayout(head_);
    column->addSpacing(kAboveCode);
    keep_font(*note_, small_font);
    note_->setContentsMargins(12, 2, 12, 4);
    note_->setAccessibleName(tr("Remark on the source"));
    note_->hide();
    column->addWidget(note_);
    column->addWidget(pages_, 1);
    for (const auto& form : output_forms())
        if (form.tab) {
            tabs_->setTabToolTip(tabs_->addTab(tr(form.title)), tr(form.summary));
            page_.push_back(make_page(form));
        }
    passes_ = new PassesView;
    page(kLoops).stack->addWidget(passes_);
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
        emit tabShown(QString::fromStdString(current()));
        if (comparing() && !current_page().baseline)
            emit baselineWanted(QString::fromStdString(current()));
    });
    set_device_is_gpu(false);
    connect(search_field_, &SearchField::textChanged, this, [this](const QString& text) {
        search_field_->say_found(find_in_editor(shown_code().editor(), text, true, true));
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
        show_page(page(kLoops));
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
        for (Page& each : page_)
            show_text(each);
        show_note();
        if (on && !current_page().baseline)
            emit baselineWanted(QString::fromStdString(current()));
    });
    copy_ = button(tr("Copy"), tr("Copies the selected text, or everything."));
    connect(copy_, &QPushButton::clicked, this, &SourceView::copy);
    save_ = button(tr("Save…"), tr("Saves the source as a file."));
    connect(save_, &QPushButton::clicked, this,
            [this] { emit saveRequested(QString::fromStdString(current())); });
    set_baseline_pinned(false);
    return row;
}

// Beside the tabs, or below them where a tab would be cut off.
void SourceView::place_buttons() {
    const bool beside = tabs_->sizeHint().width() + buttons_->sizeHint().width() + kGap <= width();
    const auto wanted = beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom;
    if (head_->direction() == wanted)
        return;
    head_->setDirection(wanted);
    head_->setAlignment(buttons_, beside ? Qt::Alignment() : Qt::AlignRight);
    layout()->activate(); // what is placed over the pages goes by theirs
}

SourceView::Page SourceView::make_page(const OutputForm& form) {
    Page page;
    page.form = &form;
    page.name = form.name;
    page.stack = new QStackedWidget(pages_);
    page.empty =
        new EmptyState(tr(form.summary), page.name == kLoops ? tr("Ctrl+O opens a pipeline.")
                                         : form.needs ? tr("It needs %1.").arg(tr(form.needs))
                                                      : tr("It is made when this tab is shown."));
    page.code =
        new LinkedCode(form.name, tokenizer_of(*form.tab), tr("%1 source").arg(tr(form.title)));
    connect(page.code, &LinkedCode::nodeSelected, this, &SourceView::node_pointed_at);
    connect(page.code, &LinkedCode::searchRequested, this, &SourceView::start_search);
    page.stack->addWidget(page.empty);
    page.stack->addWidget(page.code);
    pages_->addWidget(page.stack);
    return page;
}

const SourceView::Page& SourceView::page(const Tab& tab) const {
    for (const Page& each : page_)
        if (each.name == tab)
            return each;
    throw std::invalid_argument("no tab shows " + tab);
}

const SourceView::Page& SourceView::current_page() const {
    return page_.at(static_cast<std::size_t>(tabs_->currentIndex()));
}

void SourceView::set_device_is_gpu(bool gpu) {
    const auto not_of_it = gpu ? Machine::Processor : Machine::Gpu;
    // a tab that goes would bring its neighbour
    if (current_page().form->machine == not_of_it)
        set_current(kLoops);
    for (std::size_t i = 0; i < page_.size(); ++i)
        tabs_->setTabVisible(static_cast<int>(i), page_[i].form->machine != not_of_it);
    place_buttons();
}

void SourceView::set_source(const Tab& tab, SourceText source, const QString& remark) {
    Page& p = page(tab);
    p.remark = remark;
    const bool first = p.source.text.isEmpty(); // then the selection is brought into view
    p.source = std::move(source);
    show_text(p);
    show_page(p);
    mark_selection(first);
    show_note();
}

void SourceView::set_message(const Tab& tab, const QString& sentence, const QString& hint) {
    Page& p = page(tab);
    p.source = {};
    p.remark.clear();
    show_text(p);
    p.empty->set_text(sentence, hint);
    show_page(p);
    show_note();
}

bool SourceView::shows_passes(const Page& page) const { return page.name == kLoops && stepping(); }

// The passes in place of the loops, a text, or why there is none.
void SourceView::show_page(Page& p) {
    QWidget* text = p.source.text.isEmpty() ? static_cast<QWidget*>(p.empty) : p.code;
    p.stack->setCurrentWidget(shows_passes(p) ? passes_ : text);
}

LinkedCode& SourceView::shown_code() const {
    return shows_passes(current_page()) ? *passes_->code() : *current_page().code;
}

void SourceView::set_selected(const NodeId& id) {
    if (selected_ == id)
        return;
    selected_ = id;
    mark_selection(true);
}

std::vector<int> SourceView::lines_of(const Tab& tab, const NodeId& id) const {
    return page(tab).code->lines_of(id);
}

void SourceView::mark_selection(bool scroll) {
    for (const Page& each : page_)
        each.code->set_selected(selected_, scroll);
    passes_->set_selected(selected_, scroll);
}

void SourceView::node_pointed_at(const NodeId& id) {
    selected_ = id;
    mark_selection(false);
    emit nodeSelected(id);
}

void SourceView::set_current(const Tab& tab) {
    tabs_->setCurrentIndex(static_cast<int>(&page(tab) - page_.data()));
}
const SourceView::Tab& SourceView::current() const { return current_page().name; }
QString SourceView::text(const Tab& tab) const { return page(tab).source.text; }
QString SourceView::shown_text(const Tab& tab) const { return page(tab).code->shown_text(); }
const LineDiff& SourceView::difference(const Tab& tab) const {
    return page(tab).code->difference();
}

// What is copied and saved.
QString SourceView::text_at_hand(const Page& p) const {
    if (!shows_passes(p))
        return p.source.text;
    const PassStep* step = passes_->pass_list()->step(passes_->current());
    return step && step->source ? step->source->text : QString();
}

Status SourceView::save_to(const Tab& tab, const QString& path) const {
    const auto text = text_at_hand(page(tab)).toStdString();
    if (text.empty())
        return error("there is no source to save", "open the tab and wait until it is made");
    return write_whole(path.toStdString(), {text});
}

// ---- against the baseline -----------------------------------------------------------------------

void SourceView::set_baseline_pinned(bool pinned) {
    pinned_ = pinned;
    for (Page& p : page_) {
        p.baseline.reset();
        p.baseline_message.clear();
    }
    show_buttons();
    if (!pinned && comparing())
        compare_->setChecked(false);
    else if (comparing() && !page_.empty())
        emit baselineWanted(QString::fromStdString(current()));
}

void SourceView::set_baseline_text(const Tab& tab, const QString& text) {
    Page& p = page(tab);
    p.baseline = text;
    p.baseline_message.clear();
    show_text(p);
    mark_selection(false);
    show_note();
}

void SourceView::set_baseline_message(const Tab& tab, const QString& sentence) {
    page(tab).baseline_message = sentence;
    show_note();
}

void SourceView::set_comparing(bool comparing) {
    if (compare_->isEnabled())
        compare_->setChecked(comparing);
}

bool SourceView::comparing() const { return compare_ && compare_->isChecked(); }

// The text alone, or both as one.
void SourceView::show_text(Page& p) {
    if (comparing() && p.baseline && !p.source.text.isEmpty())
        p.code->set_difference({*p.baseline, {}}, p.source,
                               line_diff(p.baseline->toStdString(), p.source.text.toStdString()));
    else
        p.code->set_source(p.source);
}

// ---- the passes ---------------------------------------------------------------------------------

void SourceView::set_stepping(bool stepping) { passes_button_->setChecked(stepping); }
bool SourceView::stepping() const { return passes_button_ && passes_button_->isChecked(); }
bool SourceView::passes_shown() const { return shows_passes(current_page()); }

void SourceView::set_passes(PassSteps steps) {
    const QSignalBlocker quiet(passes_); // nobody stepped
    passes_->set_steps(std::move(steps));
    passes_->set_selected(selected_, false);
    show_buttons();
}

// ---- what is said and can be pressed ------------------------------------------------------------

void SourceView::show_buttons() {
    // under construction
    if (!passes_)
        return;
    const bool loops = current() == kLoops;
    for (auto* button : {save_, copy_})
        button->setEnabled(!text_at_hand(current_page()).isEmpty());
    compare_->setEnabled(pinned_);
    compare_->setToolTip(pinned_ ? tr("Shows the lines that differ from the pinned baseline's.")
                                 : tr("Pin a baseline first (Ctrl+B)."));
    passes_button_->setEnabled(loops);
    passes_button_->setToolTip(
        loops ? tr("Shows the loops behind each pass of the compilation, and what it changed.")
              : tr("The passes are those of the pseudo-loops: they are on the tab Loops."));
}

void SourceView::show_note() {
    // under construction
    if (!passes_)
        return;
    show_buttons();
    const Page& p = current_page();
    const auto lines = p.source.text.isEmpty() ? 0 : p.code->editor().lines();
    say_state(*this,
              lines == 0
                  ? tr("%1, not there yet").arg(tabs_->tabText(tabs_->currentIndex()))
                  : tr("%1, %2 lines").arg(tabs_->tabText(tabs_->currentIndex())).arg(lines));
    note_->setVisible(comparing() || !p.remark.isEmpty());
    if (!comparing()) {
        note_->setText(p.remark);
        return;
    }
    const LineDiff& d = p.code->difference();
    if (!p.baseline)
        note_->setText(p.baseline_message.isEmpty() ? tr("The baseline's source is being made.")
                                                    : p.baseline_message);
    else if (d.same())
        note_->setText(tr("The same as the baseline's, line by line."));
    else
        note_->setText(
            difference_text(d) + tr(" against the baseline") +
            (d.coarse ? tr("; some of it has too little in common to be paired") : QString()));
}

// ---- copying, searching, looks ------------------------------------------------------------------

void SourceView::copy() {
    const QsciScintilla& editor = shown_code().editor();
    QApplication::clipboard()->setText(editor.hasSelectedText() ? editor.selectedText()
                                                                : text_at_hand(current_page()));
}

void SourceView::start_search() {
    search_field_->place(pages_->geometry());
    search_field_->open();
}

void SourceView::find_next(bool forward) {
    search_field_->say_found(
        find_in_editor(shown_code().editor(), search_field_->text(), forward, false));
}

void SourceView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (is_theme_change(*event) && note_)
        set_text_colour(*note_, theme_of(*this).faint);
    if (event->type() == QEvent::FontChange && buttons_)
        place_buttons();
}

void SourceView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    place_buttons();
    search_field_->place(pages_->geometry());
}

} // namespace loopscope::views
