#pragma once
// What is compiled: tabs of read-only text (pseudo-loops, LLVM IR), each line linked to the tree's node that it comes
// from, and back.

#include "core/schedule/identity.h"
#include "views/style/theme.h"

#include <QWidget>

#include <map>
#include <vector>

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
    enum Tab { Loops, LlvmIr };
    explicit SourceView(QWidget* parent = nullptr);

    void set_source(Tab tab, SourceText source);
    // Why there is no text: "compiling…", a failure. The old text goes.
    void set_message(Tab tab, const QString& sentence, const QString& hint = {});
    void
    set_selected(const NodeId& id); // marks its lines and brings the first into view; does not emit
    void set_current(Tab tab);
    Tab current() const;
    QString text(Tab tab) const;
    std::vector<int> lines_of(Tab tab, const NodeId& id) const; // from 0

signals:
    void nodeSelected(const loopscope::NodeId& id);
    void tabShown(int tab); // its text may have to be made now

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
        std::vector<NodeId> lines;
    };
    Page make_page(Tab tab);
    Page& page(int tab) { return page_[static_cast<std::size_t>(tab)]; }
    const Page& page(int tab) const { return page_[static_cast<std::size_t>(tab)]; }
    void recolour();
    void mark_selection(bool scroll);
    void cursor_moved(int tab, int line);
    void find_next(bool forward);

    QTabBar* tabs_;
    QStackedWidget* pages_;
    SearchField* search_field_;
    std::vector<Page> page_;
    NodeId selected_;
    ThemeKind shown_in_ = ThemeKind::Light;
};

} // namespace loopscope::views
