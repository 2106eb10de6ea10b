#pragma once
// Finds rows of any list, table or tree by what is shown of them, as the person types. A list need
// not know of it: whoever has the key starts it.

#include <QModelIndex>
#include <QObject>

class QAbstractItemView;

namespace loopscope::views {

class SearchField;

// Puts the field where it hides no row of the list, or at least not this one.
void place_beside_rows(SearchField& field, const QAbstractItemView& list, const QModelIndex& row);

class ListFinding : public QObject {
    Q_OBJECT
public:
    // Opens the field over a corner of the list. Enter goes to the next row, Shift+Enter to the one
    // before, and behind the last row the first one comes; Escape closes.
    static void start(QAbstractItemView& list);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    explicit ListFinding(QAbstractItemView& list);
    void find(bool forward, bool this_row_too);
    bool has_text(const QModelIndex& row) const;
    void place();

    QAbstractItemView& list_;
    SearchField* field_;
};

} // namespace loopscope::views
