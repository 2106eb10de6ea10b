#pragma once
// A list of what can be opened, a row each: a name, what it is, and facts in columns at the right.
// Headings stand between; the keyboard passes over them.

#include <QListWidget>
#include <QStringList>

#include <vector>

namespace loopscope::views {

struct Link {
    QString path; // empty: a heading, which is its name alone
    QString name;
    QString detail = {};
    QStringList facts = {}; // as many in each row
    QString tip = {};
    Qt::TextElideMode cut = Qt::ElideRight; // of the detail, where it has no room
};

class LinkList : public QListWidget {
    Q_OBJECT
public:
    explicit LinkList(QWidget* parent = nullptr);
    void set_links(const std::vector<Link>& links);
    // The first row that opens has the keyboard's mark.
    void choose_first();
    void open_chosen(); // nothing, where no row is chosen
    int row_height() const;
    // Pixels: what the names need, and what is left of a row for each detail.
    double widest_name() const;
    double room_for_detail() const;
    void set_name_width(double width);
    QSize sizeHint() const override { return {320, 3 * row_height()}; }

signals:
    void openRequested(const QString& path);
    void leftAbove(); // by the arrow key, from the first row

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    bool opens(int row) const;
    int next_that_opens(int row, int step) const; // -1: none
    void measure();
    std::vector<Link> links_;
};

} // namespace loopscope::views
