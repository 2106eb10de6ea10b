#pragma once
// What is compiled: tabs of read-only text (pseudo-loops, LLVM IR, C), each line linked to the tree's node that it comes
// from, and back. "Compare" shows a text against the one that the pinned baseline compiles to: lines of both, marked.

#include "core/base/result.h"
#include "core/schedule/identity.h"
#include "views/geometry/line_diff.h"
#include "views/style/theme.h"

#include <QWidget>

#include <optional>
#include <vector>

class QLabel;
class QPushButton;
class QsciScintilla;
class QStackedWidget;
class QTabBar;

namespace loopscope::views {

class EmptyState;
class SearchField;
class LineLexer;

struct SourceText {
    QString text;
    std::vector<NodeId> lines; // the origin of each line; may be shorter than the text
};

class SourceView : public QWidget {
    Q_OBJECT
public:
    enum Tab { Loops, LlvmIr, C };
    static constexpr int kTabs = 3;
    static const char* form(Tab tab);   // what the worker calls it: "loops", "llvm", "c"
    static const char* ending(Tab tab); // of a file that holds it: ".loops.txt", ".ll", ".c"
    explicit SourceView(QWidget* parent = nullptr);

    void set_source(Tab tab, SourceText source);
    // Why there is no text: "compiling…", a failure. The old text goes.
    void set_message(Tab tab, const QString& sentence, const QString& hint = {});
    void
    set_selected(const NodeId& id); // marks its lines and brings the first into view; does not emit
    void set_current(Tab tab);
    Tab current() const;
    QString text(Tab tab) const; // of the present schedule, also while comparing
    std::vector<int> lines_of(Tab tab, const NodeId& id) const; // from 0, as shown
    Status save_to(Tab tab, const QString& path) const;

    // Is a baseline pinned, so that there is something to compare with? Forgets the baseline's texts.
    void set_baseline_pinned(bool pinned);
    void set_baseline_text(Tab tab, const QString& text);
    // Why the baseline has no text ("being made", a failure).
    void set_baseline_message(Tab tab, const QString& sentence);
    void set_comparing(bool comparing);
    bool comparing() const;
    bool has_baseline_text(Tab tab) const { return page(tab).baseline.has_value(); }
    const LineDiff& difference(Tab tab) const { return page(tab).diff; } // while comparing
    // While comparing both texts as one, removed lines where they stood.
    QString shown_text(Tab tab) const;

signals:
    void nodeSelected(const loopscope::NodeId& id);
    void tabShown(int tab); // its text may have to be made now
    void baselineWanted(int tab);
    void saveRequested(int tab); // the window asks for a path and calls save_to

public slots:
    void start_search();
    void copy(); // the selection, or everything

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Page {
        QStackedWidget* stack = nullptr;
        QsciScintilla* editor = nullptr;
        LineLexer* lexer = nullptr;
        EmptyState* empty = nullptr;
        SourceText source;               // of the present schedule
        std::optional<QString> baseline; // what the pinned one compiles to; absent: not known
        LineDiff diff;                   // of the two, while both are shown
        std::vector<int> line_of; // the line of `source` at each line shown; -1: of the baseline
    };
    Page make_page(Tab tab);
    QWidget* make_buttons();
    void show_text(Tab tab);
    void mark_differences(Page& page);
    void show_note();
    Page& page(int tab) { return page_[static_cast<std::size_t>(tab)]; }
    const Page& page(int tab) const { return page_[static_cast<std::size_t>(tab)]; }
    void recolour();
    void mark_selection(bool scroll);
    void cursor_moved(int tab, int line);
    void find_next(bool forward);

    QTabBar* tabs_;
    QPushButton *compare_ = nullptr, *copy_ = nullptr, *save_ = nullptr;
    QLabel* note_ = nullptr; // what differs
    QString baseline_message_[kTabs];
    QStackedWidget* pages_;
    SearchField* search_field_;
    std::vector<Page> page_;
    NodeId selected_;
    ThemeKind shown_in_ = ThemeKind::Light;
};

} // namespace loopscope::views
