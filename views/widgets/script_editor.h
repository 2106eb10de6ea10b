#pragma once
// The schedule's script (also used for pipelines): highlighting, errors in place, and one signal a
// pause in the typing.

#include "core/base/diagnostic.h"
#include "views/style/theme.h"
#include "views/widgets/long_lines.h"

#include <QStringList>
#include <QWidget>

#include <vector>

class QLabel;
class QsciScintilla;
class QTimer;

namespace loopscope::views {

enum class ScriptLanguage { Schedule, Pipeline };
class ErrorList;
class LineLexer;
class SearchField;

class ScriptEditor : public QWidget {
    Q_OBJECT
public:
    explicit ScriptEditor(ScriptLanguage language = ScriptLanguage::Schedule,
                          QWidget* parent = nullptr);

    // Shows another text; cursor, selection and scrolling stay where they are as far as the text
    // allows. Emits nothing, and drops an edit that was about to be announced. A text with a line
    // too long to be shown whole (long_lines.h) cannot be edited here.
    void set_text(const QString& text);
    QString text() const;
    void set_diagnostics(const Diagnostics& diagnostics); // byte ranges into text()
    // From 1: the directives of the selection. Unless the person is writing here, the first is
    // brought into view.
    void set_highlighted_lines(const std::vector<int>& lines);
    // Names offered while typing, besides the verbs: stages, loops, intrinsics.
    void set_completions(const QStringList& names);
    void go_to(int line, int column); // from 1
    QString word_at_cursor() const;
    // Announces an edit that waits for its pause at once.
    void flush();
    bool edit_pending() const;
    static constexpr int kPauseMilliseconds = 150;

signals:
    void textEdited(const QString& text); // by the person, after a pause
    void lineSelected(int line);          // the cursor moved to another line, from 1, by the person
    void undoRequested();                 // Ctrl+Z: undo belongs to the document
    void redoRequested();

public slots:
    void start_search();

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void recolour();
    void show_place(int line, int column); // the keyboard stays where it is
    void show_diagnostics();
    void show_status(const QString& sentence);
    void show_highlights();
    void reveal_highlights();
    void text_changed();
    void cursor_moved(int line);
    bool word_is_on_a_screen() const;

    QsciScintilla* editor_;
    ShownText shown_;
    QString whole_; // the text of which not all is shown; else empty
    LineLexer* lexer_;
    SearchField* search_field_;
    QLabel* status_;
    ErrorList* errors_;
    QTimer* pause_;
    Diagnostics diagnostics_;
    std::vector<int> highlighted_;
    bool quiet_ = false, reveal_when_shown_ = false;
    int line_ = -1;
    ThemeKind shown_in_ = ThemeKind::Light;
};

} // namespace loopscope::views
