#pragma once
// What the graph and the tree tell each other, which are two panels: stages that are dragged from
// one to the other, and groups of stages, which fold in both.

#include "core/schedule/identity.h"

#include <QObject>
#include <QPoint>
#include <QString>

#include <map>
#include <string>

class QMenu;

namespace loopscope::app {

class StageGestures : public QObject {
    Q_OBJECT
public:
    using Folded = std::map<std::string, std::string>; // of each folded stage, its group
    const Folded& folded() const { return folded_; }
    void set_folded(Folded folded) {
        if (folded_ == folded)
            return;
        folded_ = std::move(folded);
        emit foldingChanged();
    }

signals:
    void foldingChanged();
    void foldRequested(const QString& stage);
    void foldAllRequested();
    void menuMade(QMenu* menu, const QString& stage); // of a stage: others may add to it
    void stageCarried(const loopscope::NodeId& stage, const QPoint& global);
    void stageLetGo(bool drop);
    void directiveKeyPressed(const loopscope::NodeId& stage, const QString& verb);

private:
    Folded folded_;
};

} // namespace loopscope::app
