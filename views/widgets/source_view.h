#pragma once
// What is compiled: tabs of read-only text (pseudo-loops, LLVM IR, C), each line linked to the tree's node that it comes
// from, and back. "Compare" shows a text against the one that the pinned baseline compiles to: lines of both, marked.
// "Passes" shows the pseudo-loops behind each pass of the compilation.

#include "core/base/result.h"
#include "core/schedule/identity.h"
#include "views/geometry/line_diff.h"
#include "views/models/pass_steps.h"
#include "views/models/source_text.h"

#include <QWidget>

#include <optional>
#include <vector>

class QLabel;
class QPushButton;
class QStackedWidget;
class QTabBar;

namespace loopscope::views {

class EmptyState;
class LinkedCode;
class PassesView;
class SearchField;

class SourceView : public QWidget {
    Q_OBJECT
public:
    enum Tab { Loops, LlvmIr, C, Ptx, Sass, Cuda, OpenCl };
    static constexpr int kTabs = 7;
    static const char* form(Tab tab);   // what the worker calls it: "loops", "llvm", "c", "ptx"
    static const char* ending(Tab tab); // of a file that holds it: ".loops.txt", ".ll", ".c"
    explicit SourceView(QWidget* parent = nullptr);

    // Of a processor LLVM IR and C are offered, of a GPU its own forms.
    void set_device_is_gpu(bool gpu);
    // `remark`: what is said above the text, such as a kernel's registers; may be empty.
    void set_source(Tab tab, SourceText source, const QString& remark = {});
    // Why there is no text: "compiling…", a failure. The old text goes.
    void set_message(Tab tab, const QString& sentence, const QString& hint = {});
    void
    set_selected(const NodeId& id); // marks its lines and brings the first into view; does not emit
    void set_current(Tab tab);
    Tab current() const;
    QString text(Tab tab) const; // of the present schedule, also while comparing and stepping
    std::vector<int> lines_of(Tab tab, const NodeId& id) const; // from 0, as shown
    // The text; while stepping through the passes, the program behind the one that is shown.
    Status save_to(Tab tab, const QString& path) const;

    // Is a baseline pinned, so that there is something to compare with? Forgets the baseline's texts.
    void set_baseline_pinned(bool pinned);
    void set_baseline_text(Tab tab, const QString& text);
    // Why the baseline has no text ("being made", a failure).
    void set_baseline_message(Tab tab, const QString& sentence);
    void set_comparing(bool comparing);
    bool comparing() const;
    bool has_baseline_text(Tab tab) const { return page(tab).baseline.has_value(); }
    const LineDiff& difference(Tab tab) const; // while comparing
    // While comparing both texts as one, removed lines where they stood.
    QString shown_text(Tab tab) const;

    // The loops behind each pass, in place of those that are compiled. Never both this and a comparison.
    void set_stepping(bool stepping);
    bool stepping() const;
    void set_passes(PassSteps steps);
    PassesView* passes_view() const { return passes_; }

signals:
    void nodeSelected(const loopscope::NodeId& id);
    void tabShown(int tab); // its text may have to be made now
    void baselineWanted(int tab);
    void passesWanted(int first); // the programs behind the passes; that one is looked at
    void saveRequested(int tab);  // the window asks for a path and calls save_to

public slots:
    void start_search();
    void copy(); // the selection, or everything

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Page {
        QStackedWidget* stack = nullptr;
        LinkedCode* code = nullptr;
        EmptyState* empty = nullptr;
        SourceText source; // of the present schedule
        QString remark;
        std::optional<QString> baseline; // what the pinned one compiles to; absent: not known
    };
    Page make_page(Tab tab);
    QWidget* make_buttons();
    void show_text(Tab tab);
    void show_page(int tab);
    void show_buttons();
    QString text_at_hand(Tab tab) const;
    LinkedCode& shown_code() const; // what is searched and copied from
    void show_note();
    Page& page(int tab) { return page_[static_cast<std::size_t>(tab)]; }
    const Page& page(int tab) const { return page_[static_cast<std::size_t>(tab)]; }
    void mark_selection(bool scroll);
    void node_pointed_at(const NodeId& id);
    void find_next(bool forward);

    QTabBar* tabs_;
    QPushButton *passes_button_ = nullptr, *compare_ = nullptr, *copy_ = nullptr, *save_ = nullptr;
    QLabel* note_ = nullptr; // what differs
    QString baseline_message_[kTabs];
    QStackedWidget* pages_;
    PassesView* passes_ = nullptr;
    SearchField* search_field_;
    std::vector<Page> page_;
    NodeId selected_;
    bool pinned_ = false; // a baseline is
};

} // namespace loopscope::views
