#include "views/widgets/source_view.h"

#include "views/style/fonts.h"
#include "views/widgets/code_editor.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/search_field.h"

#include <Qsci/qsciscintilla.h>

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSaveFile>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

#include <numeric>

namespace loopscope::views {

namespace {

constexpr SourceView::Tab kAllTabs[] = {SourceView::Loops, SourceView::LlvmIr, SourceView::C};

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
         QT_TR_NOOP("It is made when this tab is shown."), QT_TR_NOOP("C program"), tokenise_c}};
    return all[tab];
}

constexpr int kSelectionMarker = 4, kAddedMarker = 2, kRemovedMarker = 3; // a higher one is above
constexpr int kNumbers = 0, kSigns = 1;                                   // margins

} // namespace

const char* SourceView::form(Tab tab) { return words(tab).form; }
const char* SourceView::ending(Tab tab) { return words(tab).ending; }

SourceView::SourceView(QWidget* parent)
    : QWidget(parent),
      tabs_(new QTabBar(this)),
      note_(new QLabel(this)),
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
    note_->setWordWrap(true);
    note_->setAccessibleName(tr("Difference against the baseline"));
    note_->hide();
    column->addWidget(note_);
    column->addWidget(pages_, 1);
    for (Tab tab : kAllTabs) {
        tabs_->addTab(tr(words(tab).title));
        tabs_->setTabToolTip(tab, tr(words(tab).tooltip));
        page_.push_back(make_page(tab));
    }
    connect(tabs_, &QTabBar::currentChanged, this, [this](int tab) {
        pages_->setCurrentIndex(tab);
        mark_selection(true);
        show_note();
        emit tabShown(tab);
        if (comparing() && !page(tab).baseline)
            emit baselineWanted(tab);
    });
    connect(search_field_, &SearchField::textChanged, this, [this](const QString& text) {
        find_in_editor(*page(current()).editor, text, true, true);
    });
    connect(search_field_, &SearchField::nextRequested, this, &SourceView::find_next);
    recolour();
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
    compare_ = button(tr("Compare"), {});
    compare_->setCheckable(true);
    connect(compare_, &QPushButton::toggled, this, [this](bool on) {
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
    page.editor = new QsciScintilla;
    page.editor->setAccessibleName(tr(words(tab).accessible));
    page.lexer = new LineLexer(words(tab).form, words(tab).tokenise, this);
    prepare_code_editor(*page.editor);
    page.editor->setLexer(page.lexer);
    page.editor->setReadOnly(true);
    for (int marker : {kSelectionMarker, kAddedMarker, kRemovedMarker})
        page.editor->markerDefine(QsciScintilla::Background, marker);
    page.editor->setMarginType(kSigns, QsciScintilla::TextMargin);
    page.editor->installEventFilter(this);
    page.stack->addWidget(page.empty);
    page.stack->addWidget(page.editor);
    pages_->addWidget(page.stack);
    // The editor announces its cursor only when it paints, also after a text was set: what a person does is seen by the
    // release of a key or a button.
    page.editor->viewport()->installEventFilter(this);
    return page;
}

void SourceView::set_source(Tab tab, SourceText source) {
    Page& p = page(tab);
    const bool first =
        p.stack->currentWidget() != p.editor; // then the selection is brought into view
    p.source = std::move(source);
    show_text(tab);
    p.stack->setCurrentWidget(p.editor);
    mark_selection(first);
    show_note();
}

void SourceView::set_message(Tab tab, const QString& sentence, const QString& hint) {
    Page& p = page(tab);
    p.source = {};
    show_text(tab);
    p.empty->set_text(sentence, hint);
    p.stack->setCurrentWidget(p.empty);
    show_note();
}

void SourceView::set_selected(const NodeId& id) {
    if (selected_ == id)
        return;
    selected_ = id;
    mark_selection(true);
}

std::vector<int> SourceView::lines_of(Tab tab, const NodeId& id) const {
    std::vector<int> lines;
    if (id.stage.empty())
        return lines;
    // A stage or a buffer is wherever one of its definitions is; a loop or a point is where it is itself.
    const bool whole = id.name == "@stage" || id.name == "@storage";
    const Page& p = page(tab);
    for (std::size_t i = 0; i < p.line_of.size(); ++i) {
        const int line = p.line_of[i];
        if (line < 0 || line >= static_cast<int>(p.source.lines.size()))
            continue;
        const NodeId& origin = p.source.lines[static_cast<std::size_t>(line)];
        if (origin == id ||
            (whole && origin.stage == id.stage && (id.name == "@stage" || origin.name == id.name)))
            lines.push_back(static_cast<int>(i));
    }
    return lines;
}

void SourceView::mark_selection(bool scroll) {
    for (Tab tab : kAllTabs) {
        QsciScintilla& editor = *page(tab).editor;
        editor.markerDeleteAll(kSelectionMarker);
        const std::vector<int> lines = lines_of(tab, selected_);
        for (int line : lines)
            editor.markerAdd(line, kSelectionMarker);
        if (!scroll || lines.empty())
            continue;
        const int top = editor.firstVisibleLine();
        const int visible =
            static_cast<int>(editor.SendScintilla(QsciScintilla::SCI_LINESONSCREEN));
        if (lines.front() < top || lines.front() >= top + visible)
            editor.setFirstVisibleLine(std::max(0, lines.front() - visible / 3));
    }
}

void SourceView::cursor_moved(int tab, int line) {
    const Page& p = page(tab);
    const int own = line < 0 || line >= static_cast<int>(p.line_of.size())
                        ? -1
                        : p.line_of[static_cast<std::size_t>(line)];
    if (own < 0 || own >= static_cast<int>(p.source.lines.size()))
        return;
    const NodeId& id = p.source.lines[static_cast<std::size_t>(own)];
    if (id.stage.empty() || id == selected_)
        return;
    selected_ = id;
    mark_selection(false);
    emit nodeSelected(id);
}

void SourceView::set_current(Tab tab) { tabs_->setCurrentIndex(tab); }
SourceView::Tab SourceView::current() const { return static_cast<Tab>(tabs_->currentIndex()); }
QString SourceView::text(Tab tab) const { return page(tab).source.text; }
QString SourceView::shown_text(Tab tab) const { return page(tab).editor->text(); }

Status SourceView::save_to(Tab tab, const QString& path) const {
    QSaveFile file(path); // whole or not at all
    const QByteArray bytes = text(tab).toUtf8();
    if (bytes.isEmpty())
        return error("there is no source to save", "open the tab and wait until it is made");
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return error("cannot write " + path.toStdString() + ": " + file.errorString().toStdString(),
                     "choose another folder");
    return success();
}

// --- against the baseline -------------------------------------------------------------------------------------------

void SourceView::set_baseline_pinned(bool pinned) {
    for (Page& p : page_) {
        p.baseline.reset();
        p.diff = {};
    }
    for (QString& message : baseline_message_)
        message.clear();
    compare_->setEnabled(pinned);
    compare_->setToolTip(pinned ? tr("Shows the lines that differ from the pinned baseline's.")
                                : tr("Pin a baseline first (Ctrl+B)."));
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
    QString shown = p.source.text;
    p.diff = {};
    const bool both = comparing() && p.baseline && !p.source.text.isEmpty();
    if (both) {
        const std::string before = p.baseline->toStdString(), after = p.source.text.toStdString();
        p.diff = line_diff(before, after);
        const auto old_lines = split_lines(before), new_lines = split_lines(after);
        std::string merged;
        p.line_of.clear();
        for (const DiffLine& line : p.diff.lines) {
            merged += line.after >= 0 ? new_lines[static_cast<std::size_t>(line.after)]
                                      : old_lines[static_cast<std::size_t>(line.before)];
            merged += '\n';
            p.line_of.push_back(line.after);
        }
        shown = QString::fromStdString(merged);
    } else {
        p.line_of.resize(static_cast<std::size_t>(shown.count('\n')) + 1);
        std::iota(p.line_of.begin(), p.line_of.end(), 0);
    }
    if (p.editor->text() != shown) {
        const int top = p.editor->firstVisibleLine();
        p.editor->setText(shown);
        p.editor->setFirstVisibleLine(top);
    }
    mark_differences(p);
    mark_selection(false);
}

void SourceView::mark_differences(Page& p) {
    for (int marker : {kAddedMarker, kRemovedMarker})
        p.editor->markerDeleteAll(marker);
    p.editor->clearMarginText();
    const bool both = !p.diff.lines.empty();
    p.editor->setMarginWidth(kNumbers, both ? QString() : QStringLiteral("00000"));
    p.editor->setMarginWidth(kSigns, both ? QStringLiteral("+ 00000") : QString());
    if (!both) {
        p.editor->setMarginWidth(kSigns, 0);
        return;
    }
    p.editor->setMarginWidth(kNumbers, 0);
    for (std::size_t i = 0; i < p.diff.lines.size(); ++i) {
        const DiffLine& line = p.diff.lines[i];
        const bool older = line.after < 0, same = line.change == LineChange::Same;
        const bool changed = line.change == LineChange::Before || line.change == LineChange::After;
        const QString sign = same      ? QStringLiteral(" ")
                             : changed ? QStringLiteral("~")
                             : older   ? QStringLiteral("−")
                                       : QStringLiteral("+");
        const QString number = older ? QString() : QString::number(line.after + 1);
        const int row = static_cast<int>(i);
        p.editor->setMarginText(row, sign + ' ' + number,
                                same    ? static_cast<int>(CodeStyle::Comment)
                                : older ? style_of(Meaning::Pipelined)
                                        : style_of(Meaning::Vector));
        if (!same)
            p.editor->markerAdd(row, older ? kRemovedMarker : kAddedMarker);
    }
}

void SourceView::show_note() {
    if (page_.size() != kTabs)
        return; // under construction
    save_->setEnabled(!text(current()).isEmpty());
    copy_->setEnabled(!text(current()).isEmpty());
    note_->setVisible(comparing());
    if (!comparing())
        return;
    const Page& p = page(current());
    const LineDiff& d = p.diff;
    auto lines = [](int count, const QString& what) {
        return (count == 1 ? tr("1 line") : tr("%1 lines").arg(count)) + ' ' + what;
    };
    if (!p.baseline)
        note_->setText(baseline_message_[current()].isEmpty()
                           ? tr("The baseline's source is being made.")
                           : baseline_message_[current()]);
    else if (d.same())
        note_->setText(tr("The same as the baseline's, line by line."));
    else
        note_->setText(
            QStringList{lines(d.added, tr("added (+)")), lines(d.removed, tr("removed (−)")),
                        lines(d.changed, tr("changed (~)"))}
                .join(QStringLiteral(" · ")) +
            tr(" against the baseline") +
            (d.coarse ? tr("; there is too little in common to pair lines") : QString()));
}

// --- copying, searching, looks --------------------------------------------------------------------------------------

void SourceView::copy() {
    QsciScintilla& editor = *page(current()).editor;
    QApplication::clipboard()->setText(editor.hasSelectedText() ? editor.selectedText()
                                                                : text(current()));
}

void SourceView::start_search() {
    search_field_->place(pages_->geometry());
    search_field_->open();
}

void SourceView::find_next(bool forward) {
    find_in_editor(*page(current()).editor, search_field_->text(), forward, false);
}

void SourceView::recolour() {
    const Theme& t = theme_of(*this);
    shown_in_ = t.kind;
    set_text_colour(*note_, t.faint);
    for (Page& p : page_) {
        recolour_code_editor(*p.editor, *p.lexer, t);
        p.editor->setMarkerBackgroundColor(t.selection, kSelectionMarker);
        p.editor->setMarkerBackgroundColor(mix(t.surface, t.mark(Meaning::Vector), 0.16),
                                           kAddedMarker);
        p.editor->setMarkerBackgroundColor(mix(t.surface, t.mark(Meaning::Pipelined), 0.16),
                                           kRemovedMarker);
        p.editor->setCaretLineVisible(false); // the marked lines are the selection's
        mark_differences(p);
    }
}

void SourceView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (is_theme_change(*event) &&
        (theme_of(*this).kind != shown_in_ || event->type() == QEvent::FontChange))
        recolour();
}

void SourceView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    search_field_->place(pages_->geometry());
}

bool SourceView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyRelease || event->type() == QEvent::MouseButtonRelease) {
        for (Tab tab : kAllTabs)
            if (static_cast<std::size_t>(tab) < page_.size())
                if (QsciScintilla* editor = page(tab).editor;
                    watched == editor || watched == editor->viewport()) {
                    int line = 0, index = 0;
                    editor->getCursorPosition(&line, &index);
                    QMetaObject::invokeMethod(
                        this, [this, tab, line] { cursor_moved(tab, line); }, Qt::QueuedConnection);
                }
    } else if (event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Slash || key->matches(QKeySequence::Find)) {
            start_search();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace loopscope::views
