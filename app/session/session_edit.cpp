// Intents: what a person does to the schedule, as revisions of the document.

#include "app/session/session.h"

#include "app/session/revision_command.h"
#include "app/session/selection.h"
#include "core/language/intrinsics.h"

#include <QUndoStack>

#include <algorithm>
#include <optional>

namespace loopscope::session {

void Session::report(const Diagnostics& diagnostics) {
    emit message(QString::fromStdString(format(diagnostics)), true);
}

void Session::show(const std::string& script, Scheduled scheduled, DevicePtr device) {
    const bool moved = device && device != device_;
    if (moved)
        device_ = std::move(device);
    script_ = draft_ = script;
    diagnostics_.clear();
    const auto before = tree();
    scheduled_ = std::make_shared<const Scheduled>(std::move(scheduled));
    present_.reset();
    const auto selected = selection_;
    if (before)
        selection_ = surviving_selection(*before, *scheduled_->tree, selection_);
    emit treeChanged();
    if (selection_ != selected)
        emit selectionChanged(selection_);
    emit draftChanged();
    if (moved) {
        emit measurementsChanged();
        emit deviceChanged();
    }
}

Status Session::commit(const std::string& script, const std::string& description,
                       Scheduled scheduled, DevicePtr device) {
    end_typing();
    auto before = document_->current().id;
    // A step that was undone and is made again is the revision that it was.
    const auto& revisions = document_->revisions();
    const auto again = std::find_if(revisions.rbegin(), revisions.rend(), [&](const Revision& r) {
        return r.parent == before && r.script == script;
    });
    Result<std::int64_t> added =
        again == revisions.rend() ? document_->add_revision(script, description, selection_.text())
                                  : Result<std::int64_t>(again->id);
    if (added && again != revisions.rend())
        if (auto status = document_->go_to(*added); !status)
            return status;
    if (!added)
        return added.errors();
    keep_draft({});
    show(script, std::move(scheduled), std::move(device));
    undo_->push(new RevisionCommand(*this, before, *added, QString::fromStdString(description)));
    emit measurementsChanged(); // earlier ones are stale now
    return success();
}

// A draft with errors is a person's work too: it comes back after a crash.
void Session::keep_draft(const std::string& text) { keep_state("draft", text); }

Status Session::no_draft() const {
    if (!document_)
        return error("nothing is open");
    if (draft_ != script_)
        return error("the script has errors",
                     "mend them first, or go back to the last legal script with Ctrl+Z");
    return success();
}

std::vector<int> Session::lines_about(const NodeId& id) const {
    return scheduled_ ? session::lines_about(*scheduled_, id) : std::vector<int>{};
}

Status Session::apply_directive(const QString& line) {
    if (auto status = no_draft(); !status)
        return status;
    auto change =
        add_directive(pipeline_, script_, *scheduled_, line.toStdString(), present()->context());
    if (!change)
        return change.errors();
    return commit(change->script, change->description, std::move(change->scheduled));
}

Status Session::replace_directive(int line, const QString& directive) {
    if (auto status = no_draft(); !status)
        return status;
    auto change = session::replace_directive(pipeline_, script_, *scheduled_, line,
                                             directive.toStdString(), present()->context());
    if (!change)
        return change.errors();
    return commit(change->script, change->description, std::move(change->scheduled));
}

Status Session::write_recipe_out(int line) {
    if (auto status = no_draft(); !status)
        return status;
    auto change =
        session::write_recipe_out(pipeline_, script_, *scheduled_, line, present()->context());
    if (!change)
        return change.errors();
    return commit(change->script, change->description, std::move(change->scheduled));
}

Status Session::apply_edits(const std::vector<views::DirectiveEdit>& edits) {
    if (auto status = no_draft(); !status)
        return status;
    auto change = edited(*present(), edits);
    if (!change)
        return change.errors();
    return commit(change->script, change->description, std::move(change->scheduled));
}

Removal Session::remove_line(int line, bool remove_dependents) {
    if (auto status = no_draft(); !status)
        return {status.errors(), {}};
    auto removal = remove_directive(pipeline_, script_, *scheduled_, line, remove_dependents,
                                    present()->context());
    if (removal.change)
        if (auto status = commit(removal.change->script, removal.change->description,
                                 removal.change->scheduled);
            !status)
            removal.change = status.errors();
    return removal;
}

void Session::edit_script(const QString& text) {
    if (!document_)
        return;
    draft_ = text.toStdString();
    if (draft_ == script_) {
        diagnostics_.clear();
        keep_draft({});
        emit draftChanged();
        emit undoChanged();
        return;
    }
    auto read = read_script(draft_);
    if (!read) {
        diagnostics_ = read.errors();
        keep_draft(draft_);
        emit draftChanged();
        emit undoChanged();
        return;
    }
    auto script = draft_;
    if (auto status = commit_typed(script, std::move(*read)); !status)
        report(status.errors());
}

namespace {

constexpr qint64 kLongPause = 10'000; // ms without typing: what follows is another step

// The one line, from 0, in which two texts differ, or that one of them has more; nullopt: they differ in several.
std::optional<std::size_t> one_line_changed(const std::string& before, const std::string& after) {
    std::size_t head = 0;
    const auto least = std::min(before.size(), after.size());
    while (head < least && before[head] == after[head])
        ++head;
    std::size_t tail = 0;
    while (tail < least - head &&
           before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
        ++tail;
    auto breaks = [&](const std::string& text) {
        return std::count(text.begin() + static_cast<std::ptrdiff_t>(head),
                          text.end() - static_cast<std::ptrdiff_t>(tail), '\n');
    };
    if (breaks(before) > 0 || breaks(after) > 1)
        return std::nullopt;
    return static_cast<std::size_t>(
        std::count(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(head), '\n'));
}

} // namespace

void Session::end_typing() { typing_.revision = 0; }

// Somebody who types passes legal states that nobody means, as `split(i, io, ii, 3` on the way to 32.
Status Session::commit_typed(const std::string& script, ReadScript read) {
    const auto& now = document_->current();
    const bool goes_on = typing_.revision == now.id && typing_.since.elapsed() < kLongPause;
    const auto* base = document_->find(goes_on ? now.parent : now.id);
    const auto line = base ? one_line_changed(base->script, script) : std::nullopt;
    if (goes_on && line == typing_.line && document_->amend_revision(now.id, script)) {
        keep_draft({});
        show(script, std::move(read.scheduled), std::move(read.device));
        emit undoChanged();
    } else {
        const auto fresh = one_line_changed(now.script, script);
        if (auto status = commit(script, "edit the script", std::move(read.scheduled),
                                 std::move(read.device));
            !status)
            return status;
        if (fresh)
            typing_ = {document_->current().id, *fresh, {}};
    }
    typing_.since.start();
    return success();
}

void Session::show_revision(std::int64_t revision) {
    end_typing();
    const auto* r = document_->find(revision);
    auto read = read_script(r->script);
    if (!read) {
        report(read.errors());
        return;
    }
    if (auto status = document_->go_to(revision); !status) {
        report(status.errors());
        return;
    }
    keep_draft({});
    show(r->script, std::move(read->scheduled), std::move(read->device));
    emit measurementsChanged();
}

void Session::go_to_revision(std::int64_t revision) {
    if (!document_ || !document_->find(revision) || revision == document_->current().id)
        return;
    auto before = document_->current().id;
    auto name = document_->find(revision)->name;
    show_revision(revision);
    if (document_->current().id == revision)
        undo_->push(new RevisionCommand(*this, before, revision,
                                        tr("go to \"%1\"").arg(QString::fromStdString(name))));
}

Status Session::rename_revision(std::int64_t revision, const std::string& name) {
    if (!document_)
        return error("nothing is open");
    return document_->rename(revision, name);
}

void Session::undo() {
    if (document_ && draft_ != script_)
        edit_script(QString::fromStdString(script_));
    else
        undo_->undo();
}

void Session::redo() { undo_->redo(); }
bool Session::can_undo() const { return (document_ && draft_ != script_) || undo_->canUndo(); }
bool Session::can_redo() const { return undo_->canRedo(); }
QString Session::undo_text() const {
    return draft_ != script_ ? tr("the script's errors") : undo_->undoText();
}
QString Session::redo_text() const { return undo_->redoText(); }

// An opened document can be undone back to its first revision, along the branch on which it stands.
void Session::restore_undo() {
    std::vector<const Revision*> line;
    for (const auto* r = &document_->current(); r; r = document_->find(r->parent)) {
        line.push_back(r);
        if (r->parent >=
            r->id) // a parent is older: anything else is not this program's doing, and would not end
            break;
    }
    std::reverse(line.begin(), line.end());
    for (std::size_t i = 1; i < line.size(); ++i)
        undo_->push(new RevisionCommand(*this, line[i - 1]->id, line[i]->id,
                                        QString::fromStdString(line[i]->name)));
}

void Session::select(const NodeId& id) {
    if (id == selection_)
        return;
    selection_ = id;
    emit selectionChanged(id);
}

} // namespace loopscope::session
