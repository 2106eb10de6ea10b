#pragma once
// Rows of a name, a value, how the value changed against the baseline, and a bar against a limit.
// A click chooses one, to be copied; without a choice all are.

#include <QColor>
#include <QStringList>
#include <QWidget>

#include <optional>
#include <vector>

namespace loopscope::views {

struct FactRow {
    QString name;
    QString value;
    QStringList shorter = {}; // said in place of a value that has no room, the longest first
    QString change;           // "▾ 18 %"; empty: no baseline
    int sign = 0;             // -1: better, +1: worse: the colour of `change`
    // share of a limit, or of the time; above 1 is drawn full, in the colour of a warning
    std::optional<double> bar;
    QColor colour; // of the bar
    // What the bars of the rows below are of: said above them, where both have room.
    QString bars_are = {};
    QString tooltip;      // one sentence
    bool heading = false; // a title above rows: only `name` and `change`
};

class FactRows : public QWidget {
    Q_OBJECT
public:
    explicit FactRows(QWidget* parent = nullptr);
    void set_rows(std::vector<FactRow> rows);
    const std::vector<FactRow>& rows() const { return rows_; }
    // The column of names is at least so wide: values stand in line with what else the panel shows.
    void set_least_name_width(double width) { least_names_ = width; }
    double name_width() const; // of the column, with the room after it
    double top_of(std::size_t row) const;
    // A value that has no room begins it, whole.
    QString tooltip_of(std::size_t row) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    int row_height() const;
    int row_at(double y) const; // -1: none
    int whole_height() const;
    // Pixels that bars of the rows from `first` have, below one heading; 0: there are none.
    double bar_width_from(std::size_t first) const;
    double value_room(const FactRow& row, double bar_width) const; // to the change or the bar

    void choose(int row); // -1: none

    std::vector<FactRow> rows_;
    int chosen_ = -1;
    double least_names_ = 60;
};

} // namespace loopscope::views
