// The schedule as the script that it is.

#include "app/windows/panel.h"
#include "app/windows/services.h"
#include "core/schedule/directive.h"
#include "views/widgets/script_editor.h"

namespace loopscope::app {

using namespace views;

namespace {

// What a script may name from the start: stages, inputs and their axes.
QStringList names_in(const Pipeline& pipeline) {
    QStringList names;
    for (const auto& stage : pipeline.stages) {
        names << to_qstring(stage.name);
        for (const auto& axis : stage.variables)
            names << to_qstring(axis);
    }
    return names;
}

class ScriptPanel final : public Panel {
public:
    ScriptPanel(const PanelKind& kind, Services& services);

    bool start_search() override;
    HelpPlace help() const override;

private:
    void select_line(int line);
    void show_document() override;
    void show_draft() override;
    void show_selection(const NodeId& id) override;

    ScriptEditor* script_;
};

ScriptPanel::ScriptPanel(const PanelKind& kind, Services& services)
    : Panel(kind, services, new ScriptEditor(ScriptLanguage::Schedule)),
      script_(static_cast<ScriptEditor*>(view())) {
    connect(script_, &ScriptEditor::textEdited, &session(), &session::Session::edit_script);
    connect(script_, &ScriptEditor::undoRequested, &services.editing, &Editing::undo);
    connect(script_, &ScriptEditor::redoRequested, &session(), &session::Session::redo);
    connect(script_, &ScriptEditor::lineSelected, this, &ScriptPanel::select_line);
    connect(&services.editing, &Editing::flushWanted, script_, &ScriptEditor::flush);
}

bool ScriptPanel::start_search() {
    script_->start_search();
    return true;
}

// A directive's word under the cursor leads to that directive.
HelpPlace ScriptPanel::help() const {
    const auto word = script_->word_at_cursor();
    return !word.isEmpty() && create_directive(word.toStdString())
               ? HelpPlace{QStringLiteral("schedules"), word + "("}
               : Panel::help();
}

void ScriptPanel::select_line(int line) {
    const auto tree = session().tree();
    const auto* directive = tree ? session::directive_on(session().schedule(), line) : nullptr;
    if (!directive || session().has_draft()) // a draft's lines are not the schedule's
        return;
    if (auto id = session::subject_of(*directive, *tree); !id.stage.empty())
        session().select(id);
}

void ScriptPanel::show_document() {
    if (session().is_open())
        script_->set_completions(names_in(*session().pipeline()));
    else
        show_draft();
}

// The editor is told of a text only when that came from elsewhere.
void ScriptPanel::show_draft() {
    const auto draft = to_qstring(session().draft());
    if (script_->text() != draft)
        script_->set_text(draft);
    script_->set_diagnostics(session().diagnostics());
    script_->set_highlighted_lines(
        session().has_draft() ? std::vector<int>{} : session().lines_about(session().selection()));
}

void ScriptPanel::show_selection(const NodeId& id) {
    if (session().is_open() && !session().has_draft())
        script_->set_highlighted_lines(session().lines_about(id));
}

} // namespace

PanelKind script_panel() {
    return {.id = "script",
            .title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "Schedule"),
            .place = {.area = PanelPlace::Right, .order = 30, .share = 22},
            .in_teach = false,
            .make = make_panel<ScriptPanel>};
}

} // namespace loopscope::app
