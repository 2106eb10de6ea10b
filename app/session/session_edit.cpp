// Intents: what a person does to the schedule, as revisions of the document.

#include "app/session/estimates.h"
#include "app/session/program_edits.h"
#include "app/session/script_target.h"
#include "app/session/selection.h"
#include "app/session/session.h"
#include "core/language/intrinsics.h"
#include "core/language/schedule_parser.h"

#include <algorithm>
#include <optional>

namespace loopscope::session {

void Session::show(const std::string& script, Scheduled scheduled, DevicePtr device) {
    const bool moved = device && device != device_.now();
    if (moved)
        device_.show(std::move(device));
    script_ = draft_ = script;
    diagnostics_.clear();
    const auto before = tree();
    scheduled_ = std::make_shared<const Scheduled>(std::move(scheduled));
    present_.reset();
    const auto selected = selected_nodes();
    if (before) {
        selection_ = surviving_selection(*before, *scheduled_->tree, selection_);
        selected_too_ = surviving_others(*before, *scheduled_->tree, selected_too_, selection_);
    }
    emit treeChanged();
    if (selected_nodes() != selected)
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
        return r.parent == before && r.script == script && document_->has_program_of_now(r.id);
    });
    Result<std::int64_t> added =
        again == revisions.rend() ? document_->add_revision(script, description, selection_.text())
                                  : Result<std::int64_t>(again->id);
    if (added && again != revisions.rend())
        if (auto status = document_->go_to(*added); !status)
            return status;
    if (!added)
        return added.errors();
    keep_draft(kScriptDraft, {});
    show(script, std::move(scheduled), std::move(device));
    undo_.push(before, *added, QString::fromStdString(description));
    emit measurementsChanged(); // earlier ones are stale now
    estimates_->settle();
    return success();
}

Status Session::take_script(const std::string& script, const std::string& description) {
    if (auto status = no_draft(); !status)
        return status;
    auto read = read_script(pipeline_, script);
    if (!read)
        return read.errors();
    return commit(script, description, std::move(read->scheduled), std::move(read->device));
}

Status Session::commit(Result<ScriptChange> change) {
    if (!change)
        return change.errors();
    return commit(change->script, change->description, std::move(change->scheduled));
}

// A draft with errors is a person's work too: it comes back after a crash.
void Session::keep_draft(const char* key, const std::string& text) {
    if (document_->state(key) != text)
        if (auto status = document_->set_state(key, text); !status) {
            if (!text.empty())
                unsaved_.keep_draft(*document_, key, text, status.errors());
            report(status.errors());
            return;
        }
    unsaved_.draft_saved(key);
    if (auto status = unsaved_.write_measurements(*document_); !status)
        report(status.errors());
}

Status Session::no_draft() const {
    if (!document_)
        return error("nothing is open");
    if (has_draft() && unsaved_.any()) // its text may be right, and is in no file
        return unsaved_.reason();
    if (has_draft())
        return error("the script has errors",
                     "mend them first, or go back to the last legal script with Ctrl+Z");
    return success();
}

Status Session::apply_directive(const QString& line) {
    if (auto status = no_draft(); !status)
        return status;
    return commit(
        add_directive(pipeline_, script_, *scheduled_, line.toStdString(), present()->context()));
}

Status Session::replace_directive(int line, const QString& directive) {
    if (auto status = no_draft(); !status)
        return status;
    return commit(session::replace_directive(pipeline_, script_, *scheduled_, line,
                                             directive.toStdString(), present()->context()));
}

Status Session::write_recipe_out(int line) {
    if (auto status = no_draft(); !status)
        return status;
    return commit(
        session::write_recipe_out(pipeline_, script_, *scheduled_, line, present()->context()));
}

Status Session::apply_edits(const std::vector<views::DirectiveEdit>& edits) {
    if (auto status = no_draft(); !status)
        return status;
    return commit(edited(*present(), edits));
}

AppliedEach Session::apply_each(const std::vector<views::DirectiveEdit>& edits,
                                bool first_decides) {
    if (auto status = no_draft(); !status)
        return {status, std::vector<Diagnostics>(edits.size(), status.errors())};
    auto each = edited_each(*present(), edits);
    if (first_decides && !each.refusals.empty() && !each.refusals.front().empty())
        return {each.refusals.front(), std::move(each.refusals)};
    auto status = commit(std::move(each.change));
    return {std::move(status), std::move(each.refusals)};
}

Removal Session::remove_line(int line, bool remove_dependents) {
    if (auto status = no_draft(); !status)
        return {status.errors(), {}};
    auto removal = remove_directive(pipeline_, script_, *scheduled_, line, remove_dependents,
                                    present()->context());
    if (removal.change)
        if (auto status = commit(removal.change); !status)
            removal.change = status.errors();
    return removal;
}

Result<Session::ReadScript> Session::read_script(const PipelinePtr& pipeline,
                                                 const std::string& script,
                                                 const std::string& name) const {
    auto device = device_.of_script(script, name);
    if (!device) { // what is refused of the other lines only the device could say
        auto errors =
            parse_lines(std::make_shared<SourceFile>(name, script), pipeline_.get()).errors;
        errors.insert(errors.end(), device.errors().begin(), device.errors().end());
        return errors;
    }
    ApplyContext at;
    at.device = device->get();
    at.intrinsics = &declared_intrinsics();
    // What the present script means on its device says nothing of another one.
    const auto* known =
        pipeline == pipeline_ && *device == device_.now() ? scheduled_.get() : nullptr;
    auto scheduled = schedule_script(pipeline, script, at, name, known);
    if (!scheduled)
        return scheduled.errors();
    return ReadScript{std::move(*device), std::move(*scheduled)};
}

void Session::edit_script(const QString& text) {
    if (!document_)
        return;
    draft_ = text.toStdString();
    diagnostics_.clear();
    if (has_draft()) {
        auto read = read_script(pipeline_, draft_);
        if (read) {
            const auto script = draft_;
            const auto status = commit_typed(script, std::move(*read));
            if (status)
                return;
            // A legal text that no file has is a draft with the file's error.
            diagnostics_ = status.errors();
            unsaved_.keep_draft(*document_, kScriptDraft, script, status.errors());
            report(status.errors());
            emit draftChanged();
            emit undoChanged();
            return;
        }
        diagnostics_ = read.errors();
    }
    keep_draft(kScriptDraft, has_draft() ? draft_ : std::string());
    emit draftChanged();
    emit undoChanged();
}

// Somebody who types passes legal states that nobody means.
Status Session::commit_typed(const std::string& script, ReadScript read) {
    if (typing_.goes_on(*document_, script) &&
        document_->amend_revision(document_->current().id, script)) {
        keep_draft(kScriptDraft, {});
        show(script, std::move(read.scheduled), std::move(read.device));
        emit undoChanged();
        estimates_->settle();
    } else {
        const auto before = document_->current().script;
        if (auto status = commit(script, "edit the script", std::move(read.scheduled),
                                 std::move(read.device));
            !status)
            return status;
        typing_.begin(document_->current().id, before, script);
    }
    typing_.typed();
    return success();
}

void Session::end_typing() {
    typing_.end();
    if (program_)
        program_->end_typing();
}

void Session::show_revision(std::int64_t revision) {
    end_typing();
    const auto* r = document_->find(revision);
    auto pipeline = pipeline_of_revision(revision);
    auto read =
        pipeline ? read_script(*pipeline, r->script) : Result<ReadScript>(pipeline.errors());
    if (!read) {
        report(read.errors());
        return;
    }
    if (auto status = document_->go_to(revision); !status) {
        report(status.errors());
        return;
    }
    keep_draft(kScriptDraft, {});
    show_program(std::move(*pipeline), r->script, std::move(read->scheduled),
                 std::move(read->device));
    emit measurementsChanged();
    estimates_->settle();
}

// That of now, where the program is.
Result<PipelinePtr> Session::pipeline_of_revision(std::int64_t revision) const {
    return document_->has_program_of_now(revision)
               ? pipeline_
               : pipeline_of(*document_->program_of(revision), document_->pipeline_name());
}

void Session::show_program(PipelinePtr pipeline, const std::string& script, Scheduled scheduled,
                           DevicePtr device) {
    const bool other = pipeline != pipeline_;
    pipeline_ = std::move(pipeline);
    show(script, std::move(scheduled), std::move(device));
    if (other)
        emit programChanged();
}

Status Session::commit_program(ReadProgram next, CarriedScript carried,
                               const std::string& description, bool in_place) {
    if (auto status = no_draft(); !status)
        return status;
    const auto& script = carried.script;
    const auto before = document_->current().id;
    end_typing();
    if (!in_place || !document_->amend_revision(before, script, next.program)) {
        const auto added =
            document_->add_revision(script, description, selection_.text(), next.program);
        if (!added)
            return added.errors();
        undo_.push(before, *added, QString::fromStdString(description));
    }
    keep_draft(kScriptDraft, {});
    show_program(std::move(next.pipeline), script, std::move(carried.scheduled));
    emit undoChanged();
    emit measurementsChanged(); // earlier ones are stale now
    estimates_->settle();
    return success();
}

void Session::go_to_revision(std::int64_t revision) {
    if (!document_ || !document_->find(revision) || revision == document_->current().id)
        return;
    auto before = document_->current().id;
    auto name = document_->find(revision)->name;
    show_revision(revision);
    if (document_->current().id == revision)
        undo_.push(before, revision, tr("go to \"%1\"").arg(QString::fromStdString(name)));
}

Status Session::rename_revision(std::int64_t revision, const std::string& name) {
    if (!document_)
        return error("nothing is open");
    return document_->rename(revision, name);
}

void Session::undo() {
    if (has_draft())
        edit_script(QString::fromStdString(script_));
    else
        undo_.undo();
}

QString Session::undo_text() const {
    return has_draft() ? tr("the script's errors") : undo_.undo_text();
}

} // namespace loopscope::session
