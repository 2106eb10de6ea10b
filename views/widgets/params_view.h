#pragma once
// The params of a pipeline: a field for each, and sizes that tables of workloads have for them.

#include <QString>
#include <QWidget>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

class QBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;

namespace loopscope::views {

struct ParamRow {
    std::string name;
    std::int64_t value = 0, default_value = 0; // the default is what the pipeline's text says
    bool operator==(const ParamRow&) const = default;
};
struct ParamSizes {
    QString title; // "resnet18: c2"
    QString tip;   // where the figures are from
    std::map<std::string, std::int64_t> values;
};

class ParamsView : public QWidget {
    Q_OBJECT
public:
    explicit ParamsView(QWidget* parent = nullptr);

    void set_params(const std::vector<ParamRow>& rows);
    // Offered below the fields; none: there is no button for them.
    void set_sizes(std::vector<ParamSizes> sizes);
    // Why the pipeline does not take what was asked for; empty: it does.
    void set_refusal(const QString& reason);
    QLineEdit* field(const std::string& name) const; // null: there is none

signals:
    void valuesChosen(const std::map<std::string, std::int64_t>& values);
    void resetChosen();

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Row {
        ParamRow param;
        QLineEdit* field;
        QLabel* note;
    };
    void make_rows();
    void show_rows();
    void show_sizes();
    void recolour();
    void arrange();
    int lines_shown() const; // of params, of which more than some scroll
    void take(const Row& row);

    std::vector<ParamRow> params_;
    std::vector<Row> rows_;
    std::vector<ParamSizes> sizes_;
    QLabel* caption_;
    QWidget* fields_;
    QScrollArea* area_; // that they stand in
    QPushButton *sizes_button_, *reset_;
    QBoxLayout *parts_, *buttons_;
    QLabel* none_;
    QLabel* refusal_;
};

} // namespace loopscope::views
