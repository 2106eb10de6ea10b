#pragma once
// Undo by revision: a step holds two ids and swaps immutable revisions; it replays nothing.

#include <QObject>
#include <QString>

#include <cstdint>
#include <functional>

class QUndoStack;

namespace loopscope::session {

class Document;

class RevisionUndo : public QObject {
    Q_OBJECT
public:
    // `show` makes a revision the one of now.
    explicit RevisionUndo(std::function<void(std::int64_t)> show);

    void push(std::int64_t before, std::int64_t after, const QString& text); // a step that is done
    // The steps back to the document's first revision, along the branch on which it stands.
    void restore(const Document& document);
    void clear();
    void undo();
    void redo();
    bool can_undo() const;
    bool can_redo() const;
    QString undo_text() const;
    QString redo_text() const;

signals:
    void changed();

private:
    std::function<void(std::int64_t)> show_;
    QUndoStack* stack_;
};

} // namespace loopscope::session
