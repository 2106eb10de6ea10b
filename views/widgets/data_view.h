#pragma once
// A program on a person's own data: its inputs, what asks for a result, and an input beside the
// result.

#include <QStringList>
#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;

namespace loopscope::views {

class ArrayView;
class InputRows;

class DataView : public QWidget {
    Q_OBJECT
public:
    explicit DataView(QWidget* parent = nullptr);

    InputRows* inputs() const { return inputs_; }
    void set_stages(const QStringList& stages); // whose values can be asked for
    void choose_stage(const QString& stage);    // one of them, else nothing changes
    // Why nothing can be asked for now; empty: it can. `running`: a result is on the way.
    void set_unavailable(const QString& reason, bool running);
    void set_refusal(const QString& reason); // of what was asked for; empty: there is none
    // How the result came about; `stale`: of another program, schedule or file than the present.
    void set_summary(const QString& summary, bool stale);

    // What stands on either side: an entry chosen by a person, or the first.
    enum Side { Input, Result };
    void set_arrays(Side side, const QStringList& titles);
    void choose_array(Side side, int array);
    int array(Side side) const; // -1: none
    ArrayView* view(Side side) const { return sides_[side].view; }
    bool settled() const;

    QPushButton* run_button() const { return run_; }
    QPushButton* cancel_button() const { return cancel_; }
    QPushButton* look_button() const { return look_; }
    QPushButton* save_button() const { return save_; }
    QComboBox* stage_box() const { return stages_; }
    QString summary() const;
    QString refusal() const;

signals:
    void runAsked();
    void cancelAsked();
    void stageAsked(const QString& stage);
    void saveAsked();
    void arrayChosen();

protected:
    void changeEvent(QEvent* event) override;

private:
    struct ShownSide {
        QComboBox* box;
        ArrayView* view;
    };
    QWidget* make_side(Side side, const QString& name);
    QWidget* make_line();
    void recolour();

    InputRows* inputs_;
    QPushButton *run_, *cancel_, *look_, *save_;
    QComboBox* stages_;
    QStringList stages_shown_;
    QLabel *refusal_, *summary_, *stale_;
    ShownSide sides_[2];
};

} // namespace loopscope::views
