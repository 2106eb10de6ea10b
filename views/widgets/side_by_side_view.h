#pragma once
// Rows of two texts or trees beside one another, coloured and signed where they differ.

#include "views/models/side_by_side.h"

#include <QTableView>

namespace loopscope::views {

class SideBySideView : public QTableView {
    Q_OBJECT
public:
    enum class Kind { Script, Tree };
    explicit SideBySideView(Kind kind, QWidget* parent = nullptr);
    SideBySideModel* side_model() const { return model_; }
    // From the row that has the keyboard on, around the end. False: nothing differs.
    bool go_to_difference(bool forward);
    void show_first_difference(); // into view

signals:
    void nodeSelected(const loopscope::NodeId& id);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void unfold(const QModelIndex& index);
    void fit_rows();
    SideBySideModel* model_;
};

} // namespace loopscope::views
