#include "app/session/program_edits.h"

#include "app/document/unsaved_work.h"
#include "app/session/opening.h"
#include "core/language/loop_parser.h"

#include <algorithm>

namespace loopscope::session {

namespace {

const Param* find_param(const Pipeline& pipeline, const std::string& name) {
    const auto& params = pipeline.params;
    const auto found = std::find_if(params.begin(), params.end(),
                                    [&](const Param& param) { return param.name == name; });
    return found == params.end() ? nullptr : &*found;
}

// "H = 64, W = 64": what differs between two programs of one text.
std::string changes(const Pipeline& before, const Pipeline& after) {
    std::string out;
    for (const auto& param : after.params) {
        const auto* was = find_param(before, param.name);
        if (!was || was->value != param.value)
            out += (out.empty() ? "" : ", ") + param.name + " = " + std::to_string(param.value);
    }
    return out.empty() ? "the same params" : out;
}

} // namespace

ProgramEdits::ProgramEdits(Session& session) : session_(session) {
    connect(&session_, &Session::opened, this, &ProgramEdits::opened);
    connect(&session_, &Session::programChanged, this, &ProgramEdits::follow);
    connect(&session_, &Session::released, this, [this] {
        draft_.clear();
        diagnostics_.clear();
        shown_.reset();
        program_before_.reset();
        refused_ = false;
        typed_revision_ = 0;
    });
    // As that the script has errors.
    connect(&session_, &Session::draftChanged, this, [this] {
        if (refused_ && !session_.has_draft())
            try_again();
    });
}

bool ProgramEdits::has_draft() const { return shown_ && draft_ != shown_->text; }

void ProgramEdits::opened() {
    if (!session_.is_open() || shown_) // nothing, or the same under another name
        return;
    shown_ = session_.document()->program();
    draft_ = shown_->text;
    if (const auto kept = session_.document()->state(kPipelineDraft); !kept.empty()) {
        draft_ = kept;
        try_again();
    }
    emit draftChanged();
}

// Behind whatever tells of it: it may become a step.
void ProgramEdits::try_again() {
    QMetaObject::invokeMethod(
        this,
        [this, opening = session_.opening()] {
            if (has_draft() && session_.is_open() && session_.opening() == opening)
                edit_text(QString::fromStdString(draft_));
        },
        Qt::QueuedConnection);
}

// Another revision may have another text; one that is being written stays.
void ProgramEdits::follow() {
    const bool writing = has_draft();
    shown_ = session_.document()->program();
    if (!writing)
        draft_ = shown_->text;
    if (!has_draft()) {
        diagnostics_.clear();
        refused_ = false;
        session_.keep_draft(kPipelineDraft, {});
    }
    emit draftChanged();
}

Status ProgramEdits::set_params(const std::map<std::string, std::int64_t>& values) {
    if (!session_.is_open())
        return error("nothing is open");
    if (has_draft())
        return error("the pipeline's text has errors",
                     "mend them first, or go back to the last text without with Ctrl+Z");
    auto next = *session_.document()->program();
    for (const auto& [name, value] : values) {
        const auto* param = find_param(*session_.pipeline(), name);
        if (param && param->default_value == value)
            next.params.erase(name);
        else
            next.params[name] = value;
    }
    auto pipeline = pipeline_of(next, session_.document()->pipeline_name());
    if (!pipeline)
        return pipeline.errors();
    return take({std::make_shared<const Program>(std::move(next)), std::move(*pipeline)}, {},
                false);
}

Status ProgramEdits::reset_params() {
    std::map<std::string, std::int64_t> values;
    if (session_.is_open())
        for (const auto& param : session_.pipeline()->params)
            values[param.name] = param.default_value;
    return set_params(values);
}

void ProgramEdits::edit_text(const QString& text) {
    if (!session_.is_open())
        return;
    draft_ = text.toStdString();
    diagnostics_.clear();
    refused_ = false;
    if (has_draft()) {
        auto next = read_draft();
        const auto status =
            next ? take(std::move(*next), "edit the pipeline", true) : Status(next.errors());
        if (!status)
            diagnostics_ = status.errors();
        refused_ = next && !status;
    }
    session_.keep_draft(kPipelineDraft, has_draft() ? draft_ : std::string());
    emit draftChanged();
}

// What a text does not declare any more has no value.
Result<Session::ReadProgram> ProgramEdits::read_draft() const {
    LoadOptions load{(goes_on() ? program_before_ : shown_)->params, false};
    auto loaded = load_pipeline(
        std::make_shared<SourceFile>(session_.document()->pipeline_name(), draft_), load);
    if (!loaded)
        return loaded.errors();
    std::erase_if(load.params,
                  [&](const auto& each) { return !find_param(*loaded->pipeline, each.first); });
    return Session::ReadProgram{
        std::make_shared<const Program>(Program{draft_, std::move(load.params)}),
        std::move(loaded->pipeline)};
}

void ProgramEdits::drop_draft() {
    if (shown_)
        edit_text(QString::fromStdString(shown_->text));
}

bool ProgramEdits::goes_on() const {
    return typed_revision_ != 0 && typed_revision_ == session_.document()->current().id &&
           since_.elapsed() < kLongPause;
}

Status ProgramEdits::take(Session::ReadProgram next, const std::string& description, bool typed) {
    if (*next.program == *session_.document()->program())
        return success();
    const bool in_place = typed && goes_on();
    if (!in_place) {
        script_before_ = session_.script();
        program_before_ = session_.document()->program();
    }
    auto carried = carried_script(next.pipeline, script_before_, session_.present()->context());
    if (!carried)
        return carried.errors();
    const auto name =
        description.empty() ? changes(*session_.pipeline(), *next.pipeline) : description;
    const auto left_out = std::move(carried->left_out);
    const auto status =
        session_.commit_program(std::move(next), std::move(*carried), name, in_place);
    if (!status)
        return status;
    typed_revision_ = typed ? session_.document()->current().id : 0;
    since_.start();
    say_left_out(left_out);
    return success();
}

void ProgramEdits::say_left_out(const std::vector<CarriedScript::LeftOut>& lines) {
    if (lines.empty())
        return;
    const auto& first = lines.front();
    session_.say(tr("%n line(s) of the schedule do not apply any more, and are comments now. "
                    "Line %1: %2",
                    nullptr, static_cast<int>(lines.size()))
                     .arg(first.line)
                     .arg(QString::fromStdString(first.reason)),
                 false);
}

} // namespace loopscope::session
