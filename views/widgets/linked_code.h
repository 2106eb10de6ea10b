#pragma once
// Read-only code, each line linked to the tree's node that it comes from, and back. It shows one
// text, or two as one: lines that only the older has stand where they stood, marked and coloured
// like those that only the newer has.

#include "views/geometry/line_diff.h"
#include "views/models/source_text.h"
#include "views/widgets/code_editor.h"

#include <QWidget>

#include <vector>

class QsciScintilla;

namespace loopscope::views {

class LinkedCode : public QWidget {
    Q_OBJECT
public:
    LinkedCode(const char* language, Tokenize tokenize, const QString& accessible_name,
               QWidget* parent = nullptr);

    void set_source(const SourceText& source);
    // `before` may have no origins: then its lines lead nowhere.
    void set_difference(const SourceText& before, const SourceText& after, const LineDiff& diff);
    const LineDiff& difference() const { return diff_; } // empty while one text is shown
    QString shown_text() const;

    // Marks the node's lines; `scroll` brings the first of them into view. Does not emit.
    void set_selected(const NodeId& id, bool scroll);
    // As shown, from 0. A stage or a buffer is wherever one of its definitions is.
    std::vector<int> lines_of(const NodeId& id) const;

    // Runs of lines that differ, in order; `at` is the one that was gone to last, -1: none.
    int runs() const { return static_cast<int>(runs_.size()); }
    int run() const { return run_; }
    void go_to_run(int run); // puts the cursor on its first line and brings it into view
    void show_first_run();   // into view alone, where there is one

    QsciScintilla& editor() const { return *editor_; }

signals:
    void nodeSelected(const loopscope::NodeId& id); // by the pointer or a key
    void searchRequested();
    void runChanged();

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void set_text(const QString& text);
    void mark_differences();
    void mark_parts();
    void recolour();
    void cursor_moved(int line);
    void bring_into_view(int line, int lines);

    QsciScintilla* editor_;
    LineLexer* lexer_;
    std::vector<NodeId> origins_; // of each line shown
    LineDiff diff_;
    std::vector<int> runs_; // their first lines
    int run_ = -1;
    NodeId selected_;
    ThemeKind shown_in_ = ThemeKind::Light;
};

} // namespace loopscope::views
