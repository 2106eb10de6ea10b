#pragma once
// What is compiled: a tab of read-only text for each form of output that asks for one
// (core/base/output_forms.def), each line linked to the tree's node that it comes from, and back.
// "Compare" shows a text against the one that the pinned baseline compiles to: lines of both,
// marked. "Passes" shows the loops behind each pass of the compilation.

#include "core/base/output_forms.h"
#include "core/base/result.h"
#include "core/schedule/identity.h"
#include "views/geometry/line_diff.h"
#include "views/models/pass_steps.h"
#include "views/models/source_text.h"

#include <QWidget>

#include <optional>
#include <string>
#include <utility>
#include <vector>

class QBoxLayout;
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
    // A tab is named by the form that it shows, as the worker calls it: "loops", "llvm", "c".
    using Tab = std::string;
    explicit SourceView(QWidget* parent = nullptr);

    // The forms offered are those of a processor or those of a GPU.
    void set_device_is_gpu(bool gpu);
    // `remark`: what is said above the text, such as a kernel's registers; may be empty.
    void set_source(const Tab& tab, SourceText source, const QString& remark = {});
    // Why there is no text: "compiling…", a failure. The old text goes.
    void set_message(const Tab& tab, const QString& sentence, const QString& hint = {});
    // marks its lines and brings the first into view; does not emit
    void set_selected(const NodeId& id);
    void set_current(const Tab& tab);
    const Tab& current() const;
    // of the present schedule, also while comparing and stepping
    QString text(const Tab& tab) const;
    std::vector<int> lines_of(const Tab& tab, const NodeId& id) const; // from 0, as shown
    // The text; while stepping through the passes, the program behind the one that is shown.
    Status save_to(const Tab& tab, const QString& path) const;

    // Is a baseline pinned, so that there is something to compare with? Forgets the baseline's
    // texts.
    void set_baseline_pinned(bool pinned);
    void set_baseline_text(const Tab& tab, const QString& text);
    // Why the baseline has no text ("being made", a failure).
    void set_baseline_message(const Tab& tab, const QString& sentence);
    void set_comparing(bool comparing);
    bool comparing() const;
    bool has_baseline_text(const Tab& tab) const { return page(tab).baseline.has_value(); }
    const LineDiff& difference(const Tab& tab) const; // while comparing
    // While comparing both texts as one, removed lines where they stood.
    QString shown_text(const Tab& tab) const;

    // The loops behind each pass, in place of those that are compiled. Never both this and a
    // comparison.
    void set_stepping(bool stepping);
    bool stepping() const;
    bool passes_shown() const; // and the tab on which they are is the one that is looked at
    void set_passes(PassSteps steps);
    PassesView* passes_view() const { return passes_; }

signals:
    void nodeSelected(const loopscope::NodeId& id);
    void tabShown(const QString& tab); // its text may have to be made now
    void baselineWanted(const QString& tab);
    void passesWanted(int first);           // the programs behind the passes; that one is looked at
    void saveRequested(const QString& tab); // the window asks for a path and calls save_to

public slots:
    void start_search();
    void copy(); // the selection, or everything

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Page {
        const OutputForm* form = nullptr;
        Tab name;
        QStackedWidget* stack = nullptr;
        LinkedCode* code = nullptr;
        EmptyState* empty = nullptr;
        SourceText source; // of the present schedule
        QString remark;
        std::optional<QString> baseline; // what the pinned one compiles to; absent: not known
        QString baseline_message;        // why it is not known
    };
    Page make_page(const OutputForm& form);
    QWidget* make_buttons();
    void place_buttons();
    void show_text(Page& page);
    void show_page(Page& page);
    void show_buttons();
    bool shows_passes(const Page& page) const; // in place of its loops
    QString text_at_hand(const Page& page) const;
    LinkedCode& shown_code() const; // what is searched and copied from
    void show_note();
    const Page& page(const Tab& tab) const;
    Page& page(const Tab& tab) { return const_cast<Page&>(std::as_const(*this).page(tab)); }
    const Page& current_page() const;
    void mark_selection(bool scroll);
    void node_pointed_at(const NodeId& id);
    void find_next(bool forward);

    QTabBar* tabs_;
    QBoxLayout* head_ = nullptr; // events come during construction, too
    QWidget* buttons_ = nullptr;
    QPushButton *passes_button_ = nullptr, *compare_ = nullptr, *copy_ = nullptr, *save_ = nullptr;
    QLabel* note_ = nullptr; // what differs
    QStackedWidget* pages_;
    PassesView* passes_ = nullptr;
    SearchField* search_field_;
    std::vector<Page> page_; // in the order of the tabs
    NodeId selected_;
    bool pinned_ = false; // a baseline is
};

} // namespace loopscope::views
