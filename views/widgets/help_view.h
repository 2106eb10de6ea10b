#pragma once
// The help: Markdown pages with a table of contents and a search. It opens at the place that
// matters: a page, and in it the heading or the first mention of a word.

#include <QWidget>

#include <utility>
#include <vector>

class QLayout;
class QPushButton;
class QTextBrowser;
class QTreeWidget;
class QTreeWidgetItem;

namespace loopscope::views {

class SearchField;

class HelpView : public QWidget {
    Q_OBJECT
public:
    // `folder` holds the pages, *.md. Their first headings are their titles; `order` lists names
    // that come first.
    HelpView(const QString& folder, const QStringList& order, QWidget* parent = nullptr);

    // Shows a page ("schedules", without ending) at the first heading that contains `word`, else at
    // its first mention, else at its beginning. False: there is no such page.
    bool show_place(const QString& page, const QString& word = {});
    QString page() const { return page_; }
    QString place() const; // the text of the line that was gone to
    QStringList pages() const;
    QString section() const; // the entry of the contents that is marked

public slots:
    void start_search();
    void go_back(); // to where the last link, entry or question led away from

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    bool load(const QString& page);
    void fill_contents();
    void follow(const QUrl& link);
    QLayout* make_buttons();
    void leave(); // remembers the place for going back
    void mark_section(int position);
    void go_to(int position);
    void find_next(bool forward);
    void restyle();

    QString folder_;
    QStringList order_;
    QString page_;
    std::vector<std::pair<QString, int>> visited_; // pages, and positions in them
    QPushButton* back_;
    QTreeWidget* contents_;
    QTextBrowser* text_;
    SearchField* search_;
};

} // namespace loopscope::views
