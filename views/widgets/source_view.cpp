#include "views/widgets/source_view.h"

#include "views/widgets/code_editor.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/search_field.h"

#include <Qsci/qsciscintilla.h>

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

namespace loopscope::views {

namespace {
constexpr int kSelectionMarker = 2;
}

SourceView::SourceView(QWidget* parent)
    : QWidget(parent),
      tabs_(new QTabBar(this)),
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
    column->addWidget(tabs_);
    column->addWidget(pages_, 1);
    tabs_->addTab(tr("Loops"));
    tabs_->addTab(tr("LLVM IR"));
    tabs_->setTabToolTip(Loops, tr("The loop program that is compiled, as pseudo-code."));
    tabs_->setTabToolTip(LlvmIr, tr("What LLVM makes of it for the host's processor."));
    for (Tab tab : {Loops, LlvmIr})
        page_.push_back(make_page(tab));
    connect(tabs_, &QTabBar::currentChanged, this, [this](int tab) {
        pages_->setCurrentIndex(tab);
        mark_selection(true);
        emit tabShown(tab);
    });
    connect(search_field_, &SearchField::textChanged, this, [this](const QString& text) {
        find_in_editor(*page(current()).editor, text, true, true);
    });
    connect(search_field_, &SearchField::nextRequested, this, &SourceView::find_next);
    recolour();
}

SourceView::Page SourceView::make_page(Tab tab) {
    Page page;
    page.stack = new QStackedWidget(pages_);
    page.empty =
        tab == Loops
            ? new EmptyState(
                  tr("The loops that the schedule makes, line by line linked to the tree."),
                  tr("Ctrl+O opens a pipeline."))
            : new EmptyState(tr("The LLVM IR that the loops compile to."),
                             tr("It is made when this tab is shown."));
    page.editor = new QsciScintilla;
    page.editor->setAccessibleName(tab == Loops ? tr("Loop program") : tr("LLVM IR"));
    page.lexer = tab == Loops ? new LineLexer("loops", tokenise_loops, this)
                              : new LineLexer("llvm", tokenise_llvm, this);
    prepare_code_editor(*page.editor);
    page.editor->setLexer(page.lexer);
    page.editor->setReadOnly(true);
    page.editor->markerDefine(QsciScintilla::Background, kSelectionMarker);
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
    p.lines = std::move(source.lines);
    if (p.editor->text() != source.text) {
        const int top = p.editor->firstVisibleLine();
        p.editor->setText(source.text);
        p.editor->setFirstVisibleLine(top);
    }
    p.stack->setCurrentWidget(p.editor);
    mark_selection(first);
}

void SourceView::set_message(Tab tab, const QString& sentence, const QString& hint) {
    Page& p = page(tab);
    p.lines.clear();
    p.editor->clear();
    p.empty->set_text(sentence, hint);
    p.stack->setCurrentWidget(p.empty);
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
    const std::vector<NodeId>& origins = page(tab).lines;
    for (std::size_t i = 0; i < origins.size(); ++i)
        if (origins[i] == id || (whole && origins[i].stage == id.stage &&
                                 (id.name == "@stage" || origins[i].name == id.name)))
            lines.push_back(static_cast<int>(i));
    return lines;
}

void SourceView::mark_selection(bool scroll) {
    for (Tab tab : {Loops, LlvmIr}) {
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
    if (line < 0 || line >= static_cast<int>(p.lines.size()))
        return;
    const NodeId& id = p.lines[static_cast<std::size_t>(line)];
    if (id.stage.empty() || id == selected_)
        return;
    selected_ = id;
    mark_selection(false);
    emit nodeSelected(id);
}

void SourceView::set_current(Tab tab) { tabs_->setCurrentIndex(tab); }
SourceView::Tab SourceView::current() const { return static_cast<Tab>(tabs_->currentIndex()); }
QString SourceView::text(Tab tab) const { return page(tab).editor->text(); }

void SourceView::copy() {
    QsciScintilla& editor = *page(current()).editor;
    QApplication::clipboard()->setText(editor.hasSelectedText() ? editor.selectedText()
                                                                : editor.text());
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
    for (Page& p : page_) {
        recolour_code_editor(*p.editor, *p.lexer, t);
        p.editor->setMarkerBackgroundColor(t.selection, kSelectionMarker);
        p.editor->setCaretLineVisible(false); // the marked lines are the selection's
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
        for (Tab tab : {Loops, LlvmIr})
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
