#pragma once
// The pinned baseline beside the present schedule: numbers, the directives that differ, and the
// loops that differ.

#include "views/models/comparison.h"
#include "views/widgets/paged_view.h"

#include <memory>

class QLabel;
class QPushButton;
class QTextBrowser;

namespace loopscope::views {

class CompareView : public PagedView {
    Q_OBJECT
public:
    explicit CompareView(QWidget* parent = nullptr);
    // Null: nothing is pinned.
    void set_comparison(std::shared_ptr<const Comparison> comparison);
    const Comparison* comparison() const { return comparison_.get(); }
    QString text() const; // what is written, without its looks

signals:
    void pinRequested();
    void unpinRequested();
    void baselineRequested();   // open the pinned schedule
    void sideBySideRequested(); // both in a window of their own
    void nodeSelected(const loopscope::NodeId& id);

protected:
    void restyle() override { refresh(); }

private:
    void refresh();
    QString numbers_html() const;
    QString script_html() const;
    QString tree_html() const;

    std::shared_ptr<const Comparison> comparison_;
    QLabel* title_;
    QPushButton *both_, *open_, *repin_, *unpin_;
    QTextBrowser* browser_;
};

} // namespace loopscope::views
