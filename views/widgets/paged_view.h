#pragma once
// What views share that show a page or, while there is nothing to show, say what will be there and
// how it comes.

#include <QWidget>

class QStackedWidget;

namespace loopscope::views {

class EmptyState;

class PagedView : public QWidget {
    Q_OBJECT
protected:
    PagedView(const QString& accessible_name, QWidget* parent);

    void set_page(QWidget* page); // once, at the end of the constructor
    void show_page();
    void show_empty();
    void show_empty(const QString& sentence, const QString& hint);
    bool page_shown() const;
    EmptyState& empty() const { return *empty_; }
    // The hint of a view that shows nothing of schedules for a processor.
    static QString needs_gpu();

    // The theme has changed while the page is shown: it takes its colours anew.
    virtual void restyle() {}
    void changeEvent(QEvent* event) override;

private:
    QStackedWidget* stack_;
    EmptyState* empty_;
};

} // namespace loopscope::views
