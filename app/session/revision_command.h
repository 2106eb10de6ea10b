#pragma once
// Undo by revision: a command holds two ids and swaps immutable revisions; it replays nothing.

#include "app/session/session.h"

#include <QUndoCommand>

namespace loopscope::session {

class RevisionCommand : public QUndoCommand {
public:
    RevisionCommand(Session& session, std::int64_t before, std::int64_t after, const QString& text)
        : QUndoCommand(text), session_(session), before_(before), after_(after) {}

    void undo() override { session_.show_revision(before_); }
    // The stack calls redo once when the command is pushed: what it did is done by then.
    void redo() override {
        if (pushed_)
            session_.show_revision(after_);
        pushed_ = true;
    }

private:
    Session& session_;
    std::int64_t before_, after_;
    bool pushed_ = false;
};

} // namespace loopscope::session
