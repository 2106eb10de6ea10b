#pragma once
// The passes of a compilation as rows, with what each changes.

#include "views/models/pass_steps.h"

#include <QAbstractListModel>

namespace loopscope::views {

// "12 lines added (+) · 1 line removed (−)"; empty where there is no difference.
QString difference_text(const LineDiff& difference);

class PassListModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role {
        CountRole = Qt::UserRole, // QString: how many lines it changes; "…" while that is not known
        IdleRole,                 // bool: it changes nothing
        FailedRole                // bool: there will be no program
    };
    explicit PassListModel(QObject* parent = nullptr);
    // Where the same passes stand, only what is known of them changes.
    void set_steps(PassSteps steps);
    const PassSteps& steps() const { return steps_; }
    const PassStep* step(int row) const; // null: none
    // The nearest pass in that direction that changes something, or of which that is not known yet;
    // -1: none.
    int next(int row, bool forward) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    PassSteps steps_;
};

} // namespace loopscope::views
