#pragma once
// The errors of a script as a list below it, a line each; hidden where there is one at most, which
// a sentence says. A click shows the place of one, and Enter or a double click leads there.

#include "core/base/diagnostic.h"

#include <QListView>

namespace loopscope::views {

class DiagnosticListModel;

class ErrorList : public QListView {
    Q_OBJECT
public:
    explicit ErrorList(QWidget* parent = nullptr);
    void set_diagnostics(const Diagnostics& diagnostics);
    QSize sizeHint() const override; // of a few lines; more are scrolled to
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

signals:
    void placeClicked(int line, int column); // from 1: to be shown; the keyboard stays here
    void placeChosen(int line, int column);  // to be gone to

protected:
    void changeEvent(QEvent* event) override;

private:
    DiagnosticListModel* model_;
};

} // namespace loopscope::views
