#include "views/widgets/code_editor.h"

#include "views/style/fonts.h"

#include <Qsci/qsciscintilla.h>

#include <QKeyEvent>

namespace loopscope::views {

LineLexer::LineLexer(const char* language, Tokenize tokenize, QObject* parent)
    : QsciLexerCustom(parent), language_(language), tokenize_(tokenize) {}

QString LineLexer::description(int style) const {
    static const char* const names[] = {"plain",  "comment", "keyword", "verb",
                                        "number", "type",    "name",    "text"};
    if (style < static_cast<int>(CodeStyle::FirstMeaning))
        return QString::fromLatin1(names[style]);
    // an empty name ends the list
    return style < kCodeStyles ? QStringLiteral("meaning %1").arg(style) : QString();
}

void LineLexer::styleText(int start, int end) {
    if (!editor())
        return;
    const int first =
        static_cast<int>(editor()->SendScintilla(QsciScintilla::SCI_LINEFROMPOSITION, start));
    const int last =
        static_cast<int>(editor()->SendScintilla(QsciScintilla::SCI_LINEFROMPOSITION, end));
    int at = static_cast<int>(editor()->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, first));
    startStyling(at);
    for (int line = first; line <= last; ++line) {
        const int stop =
            static_cast<int>(editor()->SendScintilla(QsciScintilla::SCI_GETLINEENDPOSITION, line));
        const int next = line + 1 < editor()->lines()
                             ? static_cast<int>(editor()->SendScintilla(
                                   QsciScintilla::SCI_POSITIONFROMLINE, line + 1))
                             : stop;
        QByteArray text = editor()->bytes(at, stop);
        text.truncate(stop - at); // without a closing zero
        int done = 0;
        for (const CodeToken& token : tokenize_(text)) {
            if (token.begin > done)
                setStyling(token.begin - done, static_cast<int>(CodeStyle::Plain));
            setStyling(token.end - token.begin, token.style);
            done = token.end;
        }
        if (next - at > done)
            setStyling(next - at - done, static_cast<int>(CodeStyle::Plain));
        at = next;
    }
}

void LineLexer::recolour(const Theme& t) {
    const QFont font = code_font();
    setDefaultFont(font);
    setDefaultPaper(t.surface);
    setDefaultColor(t.text);
    for (int style = 0; style < kCodeStyles; ++style) {
        setFont(font, style);
        setPaper(t.surface, style);
        setColor(t.text, style);
    }
    auto colour = [this](CodeStyle style, const QColor& c) {
        setColor(c, static_cast<int>(style));
    };
    colour(CodeStyle::Comment, t.faint);
    colour(CodeStyle::Keyword, t.ink(Meaning::Block));
    colour(CodeStyle::Verb, t.ink(Meaning::Block));
    colour(CodeStyle::Number, t.text);
    colour(CodeStyle::Type, t.faint);
    colour(CodeStyle::Name, mix(t.text, t.faint, 0.4));
    colour(CodeStyle::Text, t.faint);
    for (int m = 0; m < kMeaningCount; ++m)
        setColor(t.ink(static_cast<Meaning>(m)), style_of(static_cast<Meaning>(m)));
}

namespace {

// Tab is a key of the text: Ctrl+Tab leaves an editor, and where nothing can be written Tab does
// too.
class TabLeaves : public QObject {
public:
    explicit TabLeaves(QsciScintilla& editor) : QObject(&editor), editor_(editor) {
        editor.installEventFilter(this);
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride) {
            auto* key = static_cast<QKeyEvent*>(event);
            const bool back = key->key() == Qt::Key_Backtab;
            const bool control = key->modifiers() & Qt::ControlModifier;
            if ((back || key->key() == Qt::Key_Tab) && (control || editor_.isReadOnly())) {
                if (event->type() == QEvent::KeyPress)
                    leave(back);
                event->accept();
                return true;
            }
        }
        return QObject::eventFilter(watched, event);
    }

private:
    void leave(bool back) {
        for (QWidget* next = &editor_;;) {
            next = back ? next->previousInFocusChain() : next->nextInFocusChain();
            if (!next || next == &editor_)
                return;
            if ((next->focusPolicy() & Qt::TabFocus) && next->isEnabled() && next->isVisible() &&
                !editor_.isAncestorOf(next) && !next->isAncestorOf(&editor_)) {
                next->setFocus(back ? Qt::BacktabFocusReason : Qt::TabFocusReason);
                return;
            }
        }
    }

    QsciScintilla& editor_;
};

} // namespace

void prepare_code_editor(QsciScintilla& editor) {
    new TabLeaves(editor);
    editor.setUtf8(true);
    editor.setFrameShape(QFrame::NoFrame);
    editor.setEolMode(QsciScintilla::EolUnix);
    editor.setIndentationsUseTabs(false);
    editor.setTabWidth(4);
    editor.setMarginType(0, QsciScintilla::NumberMargin);
    editor.setMarginLineNumbers(0, true);
    editor.setMarginWidth(1, 0);
    editor.setFolding(QsciScintilla::NoFoldStyle);
    editor.SendScintilla(QsciScintilla::SCI_SETSCROLLWIDTHTRACKING, 1);
    editor.SendScintilla(QsciScintilla::SCI_SETSCROLLWIDTH, 1);
    editor.SendScintilla(QsciScintilla::SCI_SETMARGINLEFT, 0, 6);
    editor.SendScintilla(QsciScintilla::SCI_SETEXTRAASCENT, 1);
    editor.SendScintilla(QsciScintilla::SCI_SETEXTRADESCENT, 2);
}

void recolour_code_editor(QsciScintilla& editor, LineLexer& lexer, const Theme& t) {
    lexer.recolour(t);
    editor.setPaper(t.surface);
    editor.setColor(t.text);
    editor.setMarginsFont(code_font());
    editor.setMarginsBackgroundColor(t.surface);
    editor.setMarginsForegroundColor(t.line_number());
    editor.setMarginWidth(0, QStringLiteral("00000"));
    editor.setCaretForegroundColor(t.text);
    editor.setCaretLineVisible(true);
    editor.setCaretLineBackgroundColor(mix(t.surface, t.hover, 0.7));
    editor.setSelectionBackgroundColor(mix(t.surface, t.accent, 0.35));
    editor.resetSelectionForegroundColor();
    editor.setMatchedBraceBackgroundColor(t.selection);
    editor.setMatchedBraceForegroundColor(t.text);
    editor.recolor();
}

bool find_in_editor(QsciScintilla& editor, const QString& text, bool forward,
                    bool from_selection_start) {
    if (text.isEmpty())
        return false;
    int line = 0, index = 0, line_to = 0, index_to = 0;
    editor.getSelection(&line, &index, &line_to, &index_to);
    if (line < 0)
        editor.getCursorPosition(&line, &index);
    else if (forward && !from_selection_start) {
        line = line_to;
        index = index_to;
    }
    return editor.findFirst(text, false, false, false, true, forward, line, index, true);
}

} // namespace loopscope::views
