#include "app/session/revision_undo.h"

#include "app/document/document.h"

#include <QUndoCommand>
#include <QUndoStack>

#include <algorithm>
#include <vector>

namespace loopscope::session {

namespace {

class RevisionCommand : public QUndoCommand {
public:
    RevisionCommand(const std::function<void(std::int64_t)>& show, std::int64_t before,
                    std::int64_t after, const QString& text)
        : QUndoCommand(text), show_(show), before_(before), after_(after) {}

    void undo() override { show_(before_); }
    // The stack calls redo once when the command is pushed: what it did is done by then.
    void redo() override {
        if (pushed_)
            show_(after_);
        pushed_ = true;
    }

private:
    std::function<void(std::int64_t)> show_;
    std::int64_t before_, after_;
    bool pushed_ = false;
};

} // namespace

RevisionUndo::RevisionUndo(std::function<void(std::int64_t)> show)
    : show_(std::move(show)), stack_(new QUndoStack(this)) {
    connect(stack_, &QUndoStack::indexChanged, this, &RevisionUndo::changed);
}

void RevisionUndo::push(std::int64_t before, std::int64_t after, const QString& text) {
    stack_->push(new RevisionCommand(show_, before, after, text));
}

void RevisionUndo::restore(const Document& document) {
    std::vector<const Revision*> line;
    for (const auto* r = &document.current(); r; r = document.find(r->parent)) {
        line.push_back(r);
        // A parent is older: anything else is not this program's doing, and would not end.
        if (r->parent >= r->id)
            break;
    }
    std::reverse(line.begin(), line.end());
    for (std::size_t i = 1; i < line.size(); ++i)
        push(line[i - 1]->id, line[i]->id, QString::fromStdString(line[i]->name));
}

void RevisionUndo::clear() { stack_->clear(); }
void RevisionUndo::undo() { stack_->undo(); }
void RevisionUndo::redo() { stack_->redo(); }
bool RevisionUndo::can_undo() const { return stack_->canUndo(); }
bool RevisionUndo::can_redo() const { return stack_->canRedo(); }
QString RevisionUndo::undo_text() const { return stack_->undoText(); }
QString RevisionUndo::redo_text() const { return stack_->redoText(); }

} // namespace loopscope::session
