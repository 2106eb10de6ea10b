#pragma once
// The inputs of a pipeline, a line each: what it takes, and the file that it is read from.

#include <QString>
#include <QWidget>

#include <vector>

class QLabel;
class QPushButton;
class QScrollArea;

namespace loopscope::views {

struct InputRow {
    QString name;  // "img"
    QString takes; // "u8 [3, 1024, 1920]"
    QString file;  // empty: it is random
    bool operator==(const InputRow&) const = default;
};

class InputRows : public QWidget {
    Q_OBJECT
public:
    explicit InputRows(QWidget* parent = nullptr);

    void set_rows(const std::vector<InputRow>& rows);
    QPushButton* choose_button(const QString& input) const; // null: there is none
    QPushButton* forget_button(const QString& input) const;

signals:
    void fileAsked(const QString& input); // the window asks for a path
    void forgotten(const QString& input);

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Line {
        QString input;
        QLabel *takes, *file;
        QPushButton *choose, *forget;
    };
    void make_lines();
    void show_lines();
    void recolour();
    const Line* line_of(const QString& input) const;

    std::vector<InputRow> rows_;
    std::vector<Line> lines_;
    QWidget* fields_;
    QScrollArea* area_; // that they stand in
    QLabel* none_;
};

} // namespace loopscope::views
