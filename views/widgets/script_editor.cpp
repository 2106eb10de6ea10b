#include "views/widgets/script_editor.h"

#include "core/schedule/directive.h"
#include "views/models/snapshots.h"
#include "views/style/fonts.h"
#include "views/widgets/code_editor.h"
#include "views/widgets/error_list.h"
#include "views/widgets/search_field.h"
#include "views/widgets/wrapped_label.h"

#include <Qsci/qsciabstractapis.h>
#include <Qsci/qsciscintilla.h>

#include <QGuiApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>
#include <utility>

namespace loopscope::views {

namespace {

using Sci = QsciScintilla;
constexpr int kErrorIndicator = 8, kWarningIndicator = 9;
constexpr int kCompletionLetters = 2; // typed before names are offered
constexpr int kErrorMarker = 1, kHighlightMarker = 2;

// QScintilla's own list is put in order by a thread that asks the lexer, and the lexer may be gone
// by then: an editor that is closed at once would crash. There are few names, and they are in order
// when they come.
class Names : public QsciAbstractAPIs {
public:
    Names(QsciLexer* lexer, QStringList sorted)
        : QsciAbstractAPIs(lexer), names_(std::move(sorted)) {}

    void updateAutoCompletionList(const QStringList& context, QStringList& list) override {
        if (context.isEmpty() || context.last().isEmpty())
            return;
        const QString& begun = context.last();
        for (auto at = std::lower_bound(names_.begin(), names_.end(), begun);
             at != names_.end() && at->startsWith(begun); ++at)
            list << *at;
    }
    QStringList callTips(const QStringList&, int, QsciScintilla::CallTipsStyle,
                         QList<int>&) override {
        return {};
    }

private:
    QStringList names_;
};

// What is pasted or dropped makes no line that could not be shown. Asked before the selection goes,
// which it takes the place of, and before a drop is accepted.
class Area : public QsciScintilla {
public:
    using QsciScintilla::QsciScintilla;
    std::function<void(qsizetype characters)> refused;

protected:
    bool canInsertFromMimeData(const QMimeData* source) const override {
        if (!QsciScintilla::canInsertFromMimeData(source))
            return false;
        const auto longest = longest_with(source->text());
        if (longest <= kMaxShownCharacters)
            return true;
        refused(longest);
        return false;
    }

private:
    // The longest of the lines that `pasted` makes in place of the selection, in characters.
    qsizetype longest_with(const QString& pasted) const {
        int line = 0, index = 0, last = 0, end = 0;
        getSelection(&line, &index, &last, &end);
        if (line < 0) { // nothing is selected
            getCursorPosition(&line, &index);
            last = line;
            end = index;
        }
        return longest_line(text(line).left(index) + pasted + text(last).mid(end));
    }
};

} // namespace

ScriptEditor::ScriptEditor(ScriptLanguage language, QWidget* parent)
    : QWidget(parent),
      editor_(new Area(this)),
      lexer_(language == ScriptLanguage::Schedule
                 ? new LineLexer("schedule", tokenize_schedule, this)
                 : new LineLexer("pipeline", tokenize_pipeline, this)),
      search_field_(new SearchField(this)),
      status_(new WrappedLabel(this)),
      errors_(new ErrorList(this)),
      pause_(new QTimer(this)) {
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, kAboveCode, 0, 0);
    column->setSpacing(0);
    column->addWidget(editor_, 1);
    column->addWidget(status_);
    column->addWidget(errors_);
    status_->setContentsMargins(10, 4, 10, 6);
    status_->setAccessibleName(tr("Errors of the script"));
    status_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    status_->hide();

    const QString name =
        language == ScriptLanguage::Schedule ? tr("Schedule script") : tr("Pipeline text");
    setAccessibleName(name);
    editor_->setAccessibleName(name);
    setFocusProxy(editor_);
    prepare_code_editor(*editor_);
    editor_->setLexer(lexer_);
    editor_->setBraceMatching(Sci::SloppyBraceMatch);
    editor_->setAutoCompletionSource(Sci::AcsAPIs);
    editor_->setAutoCompletionThreshold(kCompletionLetters);
    editor_->setAutoCompletionCaseSensitivity(true);
    editor_->SendScintilla(Sci::SCI_SETUNDOCOLLECTION, 0L); // undo belongs to the document
    editor_->indicatorDefine(Sci::SquiggleIndicator, kErrorIndicator);
    editor_->indicatorDefine(Sci::SquiggleIndicator, kWarningIndicator);
    editor_->markerDefine(Sci::Background, kHighlightMarker);
    editor_->markerDefine(Sci::LeftRectangle, kErrorMarker);
    editor_->setMarginType(2, Sci::SymbolMargin);
    editor_->setMarginWidth(2, 4);
    editor_->setMarginMarkerMask(2, 1 << kErrorMarker);
    editor_->installEventFilter(this);
    set_completions({});
    static_cast<Area*>(editor_)->refused = [this](qsizetype characters) {
        show_status(tr("Nothing was pasted: a line would have %1 characters, and at most %2 are "
                       "shown.")
                        .arg(characters)
                        .arg(kMaxShownCharacters));
    };

    pause_->setSingleShot(true);
    pause_->setInterval(kPauseMilliseconds);
    connect(pause_, &QTimer::timeout, this, [this] { emit textEdited(text()); });
    connect(editor_, &QsciScintilla::textChanged, this, &ScriptEditor::text_changed);
    connect(editor_, &QsciScintilla::cursorPositionChanged, this,
            [this](int line, int) { cursor_moved(line); });
    connect(status_, &QLabel::linkActivated, this, [this](const QString& link) {
        const QStringList place = link.split(':');
        if (place.size() == 2)
            go_to(place[0].toInt(), place[1].toInt());
    });
    connect(errors_, &ErrorList::placeClicked, this, &ScriptEditor::show_place);
    connect(errors_, &ErrorList::placeChosen, this, &ScriptEditor::go_to);
    connect(search_field_, &SearchField::textChanged, this, [this](const QString& wanted) {
        search_field_->say_found(find_in_editor(*editor_, wanted, true, true));
    });
    connect(search_field_, &SearchField::nextRequested, this, [this](bool forward) {
        search_field_->say_found(find_in_editor(*editor_, search_field_->text(), forward, false));
    });
    recolour();
}

void ScriptEditor::set_text(const QString& text) {
    pause_->stop();
    shown_ = shorten_lines(text);
    whole_ = shown_.cut_line ? text : QString();
    const QByteArray before = editor_->text().toUtf8(), after = shown_.text.toUtf8();
    editor_->setReadOnly(!whole_.isEmpty());
    if (before == after) {
        show_diagnostics();
        return;
    }
    // Only what differs is replaced: cursor, selection and scrolling stay with the text around
    // them.
    const auto least = std::min(before.size(), after.size());
    qsizetype head = 0, tail = 0;
    while (head < least && before[head] == after[head])
        ++head;
    auto extend_tail = [&] {
        while (tail < least - head &&
               before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
            ++tail;
    };
    extend_tail();
    // Whole lines come and go as whole lines: a cursor keeps its line, not the letters that two
    // lines begin with.
    if (before.mid(head, before.size() - head - tail).contains('\n') ||
        after.mid(head, after.size() - head - tail).contains('\n')) {
        head = head == 0 ? 0 : before.lastIndexOf('\n', head - 1) + 1;
        extend_tail();
    }
    auto inside_character = [](const QByteArray& bytes, qsizetype at) {
        return at < bytes.size() && (bytes[at] & 0xC0) == 0x80;
    };
    while (head > 0 && (inside_character(before, head) || inside_character(after, head)))
        --head;
    while (tail > 0 && (inside_character(before, before.size() - tail) ||
                        inside_character(after, after.size() - tail)))
        --tail;
    quiet_ = true;
    editor_->setReadOnly(false);
    const long top = editor_->SendScintilla(Sci::SCI_GETFIRSTVISIBLELINE);
    const QByteArray middle = after.mid(head, after.size() - head - tail);
    editor_->SendScintilla(Sci::SCI_SETTARGETSTART, static_cast<unsigned long>(head));
    editor_->SendScintilla(Sci::SCI_SETTARGETEND, static_cast<unsigned long>(before.size() - tail));
    editor_->SendScintilla(Sci::SCI_REPLACETARGET, static_cast<unsigned long>(middle.size()),
                           middle.constData());
    editor_->SendScintilla(Sci::SCI_SETFIRSTVISIBLELINE, static_cast<unsigned long>(top));
    editor_->setReadOnly(!whole_.isEmpty());
    int index = 0;
    editor_->getCursorPosition(&line_, &index);
    quiet_ = false;
    // Places in the old text mean nothing in the new one.
    set_diagnostics({});
    show_highlights();
}

QString ScriptEditor::text() const { return whole_.isEmpty() ? editor_->text() : whole_; }

void ScriptEditor::text_changed() {
    // The widest line may be gone: the scrolled width is measured anew.
    editor_->SendScintilla(Sci::SCI_SETSCROLLWIDTH, 1UL);
    if (!quiet_)
        pause_->start();
}

void ScriptEditor::cursor_moved(int line) {
    if (quiet_ || line == line_)
        return;
    line_ = line;
    if (diagnostics_.size() > 1)
        QMetaObject::invokeMethod(this, &ScriptEditor::show_diagnostics, Qt::QueuedConnection);
    // The editor tells of its cursor while it paints: an answer that marks lines must not come
    // before it is done.
    QMetaObject::invokeMethod(
        this, [this, line] { emit lineSelected(line + 1); }, Qt::QueuedConnection);
}

void ScriptEditor::flush() {
    if (!pause_->isActive())
        return;
    pause_->stop();
    emit textEdited(text());
}

bool ScriptEditor::edit_pending() const { return pause_->isActive(); }

void ScriptEditor::set_completions(const QStringList& names) {
    QStringList all = names;
    for (const DirectiveKind& kind : directive_kinds())
        all << QString::fromUtf8(kind.verb);
    all.sort();
    all.removeDuplicates();
    const QsciAbstractAPIs* before = lexer_->apis();
    new Names(lexer_, std::move(all)); // becomes the lexer's own at once
    delete before;
}

QString ScriptEditor::word_at_cursor() const {
    int line = 0, column = 0;
    editor_->getCursorPosition(&line, &column);
    return editor_->wordAtLineIndex(line, column);
}

void ScriptEditor::go_to(int line, int column) {
    show_place(line, column);
    editor_->setFocus();
}

void ScriptEditor::show_place(int line, int column) {
    // Of a line that is shown in part there is no place behind that.
    const auto shown = static_cast<int>(editor_->text(line - 1).size()) - 1;
    editor_->setCursorPosition(line - 1, std::clamp(column - 1, 0, std::max(0, shown)));
    editor_->ensureLineVisible(line - 1);
    editor_->ensureCursorVisible();
}

void ScriptEditor::set_diagnostics(const Diagnostics& diagnostics) {
    diagnostics_ = diagnostics;
    errors_->set_diagnostics(diagnostics);
    show_diagnostics();
}

void ScriptEditor::show_diagnostics() {
    const Theme& t = theme_of(*this);
    const long length = editor_->SendScintilla(Sci::SCI_GETLENGTH);
    for (int indicator : {kErrorIndicator, kWarningIndicator}) {
        editor_->SendScintilla(Sci::SCI_SETINDICATORCURRENT, static_cast<unsigned long>(indicator));
        editor_->SendScintilla(Sci::SCI_INDICATORCLEARRANGE, 0UL, length);
    }
    editor_->markerDeleteAll(kErrorMarker);
    int cursor = 0, index = 0;
    editor_->getCursorPosition(&cursor, &index);
    QString first; // of the line with the cursor, else of the script
    bool at_cursor = false;
    int errors = 0;
    for (const Diagnostic& d : diagnostics_) {
        const bool error = d.severity == Severity::Error;
        errors += error;
        const long begin = std::clamp<long>(static_cast<long>(d.range.begin), 0, length);
        const long end = std::clamp<long>(
            static_cast<long>(std::max(d.range.end, d.range.begin + 1)), begin, length);
        const int line = d.range.file ? d.range.file->position(d.range.begin).line - 1 : 0;
        const QString message =
            to_qstring(d.message) + (d.remedy.empty() ? QString() : "; " + to_qstring(d.remedy));
        if (d.range.file && whole_.isEmpty()) { // else its places are those of the whole text
            editor_->SendScintilla(
                Sci::SCI_SETINDICATORCURRENT,
                static_cast<unsigned long>(error ? kErrorIndicator : kWarningIndicator));
            editor_->SendScintilla(Sci::SCI_INDICATORFILLRANGE, static_cast<unsigned long>(begin),
                                   std::max(1L, end - begin));
            editor_->markerAdd(line, kErrorMarker);
        }
        const bool here = d.range.file && line == cursor && !at_cursor;
        if ((first.isEmpty() || here) && (error || diagnostics_.size() == 1)) {
            at_cursor = here;
            const int column = d.range.file ? d.range.file->position(d.range.begin).column : 1;
            first = d.range.file ? QStringLiteral("<a href=\"%1:%2\" style=\"color:%4\">%3</a>: ")
                                       .arg(line + 1)
                                       .arg(column)
                                       .arg(tr("line %1").arg(line + 1), t.error.name())
                                 : QString();
            first += message.toHtmlEscaped();
        }
    }
    QString sentence = (errors > 1 ? tr("%1 errors; ").arg(errors) : QString()) + first;
    if (!whole_.isEmpty())
        sentence += (sentence.isEmpty() ? QString() : QStringLiteral("; ")) +
                    tr("%1: the script cannot be edited here").arg(cut_sentence(shown_));
    show_status(sentence);
}

void ScriptEditor::show_status(const QString& sentence) {
    status_->setText(sentence);
    set_text_colour(*status_, theme_of(*this).error);
    if (status_->isHidden() == !sentence.isEmpty()) {
        status_->setVisible(!sentence.isEmpty());
        // The line that is written in stays in sight, once the sentence has taken its room.
        if (editor_->hasFocus())
            QTimer::singleShot(0, this, [this] { editor_->ensureCursorVisible(); });
    }
}

void ScriptEditor::set_highlighted_lines(const std::vector<int>& lines) {
    const bool changed = highlighted_ != lines;
    highlighted_ = lines;
    show_highlights();
    if (!changed || editor_->hasFocus())
        return;
    if (isVisible())
        reveal_highlights();
    else
        reveal_when_shown_ = true;
}

void ScriptEditor::reveal_highlights() {
    reveal_when_shown_ = false;
    if (highlighted_.empty())
        return;
    const int top = editor_->firstVisibleLine(),
              shown = static_cast<int>(editor_->SendScintilla(Sci::SCI_LINESONSCREEN));
    const bool seen = std::any_of(highlighted_.begin(), highlighted_.end(), [&](int line) {
        return line - 1 >= top && line - 1 < top + shown;
    });
    if (!seen)
        editor_->setFirstVisibleLine(std::max(0, highlighted_.front() - 2));
}

void ScriptEditor::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (reveal_when_shown_) // once the editor has its size
        QTimer::singleShot(0, this, &ScriptEditor::reveal_highlights);
}

void ScriptEditor::show_highlights() {
    editor_->markerDeleteAll(kHighlightMarker);
    for (int line : highlighted_)
        editor_->markerAdd(line - 1, kHighlightMarker);
}

void ScriptEditor::recolour() {
    const Theme& t = theme_of(*this);
    shown_in_ = t.kind;
    recolour_code_editor(*editor_, *lexer_, t);
    editor_->setMarginBackgroundColor(2, t.surface);
    editor_->setIndicatorForegroundColor(t.error, kErrorIndicator);
    editor_->setIndicatorForegroundColor(t.ink(Meaning::Unrolled), kWarningIndicator);
    editor_->setMarkerBackgroundColor(t.selection, kHighlightMarker);
    editor_->setMarkerBackgroundColor(t.error, kErrorMarker);
    editor_->setMarkerForegroundColor(t.error, kErrorMarker);
    show_diagnostics();
}

void ScriptEditor::start_search() {
    search_field_->place(editor_->geometry());
    search_field_->open();
}

void ScriptEditor::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (is_theme_change(*event) &&
        (theme_of(*this).kind != shown_in_ || event->type() == QEvent::FontChange))
        recolour();
}

void ScriptEditor::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (editor_->hasFocus())
        editor_->ensureCursorVisible();
    search_field_->place(editor_->geometry());
}

// QScintilla places its list of completions on the screen on which the word begins, and crashes
// where there is none, as when the window stands half outside.
bool ScriptEditor::word_is_on_a_screen() const {
    const auto at = static_cast<unsigned long>(editor_->SendScintilla(Sci::SCI_GETCURRENTPOS));
    const auto start = editor_->SendScintilla(Sci::SCI_WORDSTARTPOSITION, at, 1L);
    for (const long position : {start, static_cast<long>(at)}) {
        const QPoint point(
            static_cast<int>(editor_->SendScintilla(Sci::SCI_POINTXFROMPOSITION, 0UL, position)),
            static_cast<int>(editor_->SendScintilla(Sci::SCI_POINTYFROMPOSITION, 0UL, position)));
        if (!QGuiApplication::screenAt(editor_->viewport()->mapToGlobal(point)))
            return false;
    }
    return true;
}

bool ScriptEditor::eventFilter(QObject* watched, QEvent* event) {
    if (watched == editor_ && event->type() == QEvent::KeyPress)
        editor_->setAutoCompletionThreshold(word_is_on_a_screen() ? kCompletionLetters : -1);
    if (watched == editor_ &&
        (event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress)) {
        auto* key = static_cast<QKeyEvent*>(event);
        const bool undo = key->matches(QKeySequence::Undo), redo = key->matches(QKeySequence::Redo),
                   find = key->matches(QKeySequence::Find);
        if (undo || redo || find) {
            event->accept();
            if (event->type() == QEvent::KeyPress) {
                flush(); // what was typed last is the step that is undone
                if (undo)
                    emit undoRequested();
                else if (redo)
                    emit redoRequested();
                else
                    start_search();
            }
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace loopscope::views
