// What is scheduled: the pipeline's text and the values of its params, both to be changed.

#include "app/session/program_edits.h"
#include "app/session/workload_sizes.h"
#include "app/windows/panel.h"
#include "app/windows/services.h"
#include "views/widgets/params_view.h"
#include "views/widgets/script_editor.h"

#include <QVBoxLayout>

namespace loopscope::app {

using namespace views;

namespace {

class ProgramPanel final : public Panel {
public:
    ProgramPanel(const PanelKind& kind, Services& services);

    bool start_search() override;

private:
    void show_document() override;
    void show_text();
    void take(const Status& status);

    ParamsView* params_;
    ScriptEditor* text_;
};

ProgramPanel::ProgramPanel(const PanelKind& kind, Services& services)
    : Panel(kind, services, new QWidget),
      params_(new ParamsView),
      text_(new ScriptEditor(ScriptLanguage::Pipeline)) {
    auto* column = new QVBoxLayout(view());
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(params_);
    column->addWidget(text_, 1);
    view()->setFocusProxy(text_);
    auto& program = session().program();
    connect(params_, &ParamsView::valuesChosen, this, [this](const auto& values) {
        this->services().editing.flush();
        take(session().program().set_params(values));
    });
    connect(params_, &ParamsView::resetChosen, this, [this] {
        this->services().editing.flush();
        take(session().program().reset_params());
    });
    connect(text_, &ScriptEditor::textEdited, &program, &session::ProgramEdits::edit_text);
    connect(text_, &ScriptEditor::undoRequested, this, [this] {
        if (session().program().has_draft())
            session().program().drop_draft();
        else
            this->services().editing.undo();
    });
    connect(text_, &ScriptEditor::redoRequested, &session(), &session::Session::redo);
    connect(&services.editing, &Editing::flushWanted, text_, &ScriptEditor::flush);
    connect(&program, &session::ProgramEdits::draftChanged, this, &ProgramPanel::show_text);
}

bool ProgramPanel::start_search() {
    text_->start_search();
    return true;
}

void ProgramPanel::take(const Status& status) {
    QString reason;
    if (!status) {
        const auto& error = status.errors().front();
        reason = to_qstring(error.message);
        if (!error.remedy.empty())
            reason += "; " + to_qstring(error.remedy);
        if (error.range.file)
            reason = tr("line %1: %2")
                         .arg(error.range.file->position(error.range.begin).line)
                         .arg(reason);
    }
    params_->set_refusal(reason);
}

void ProgramPanel::show_document() {
    std::vector<ParamRow> rows;
    std::vector<ParamSizes> sizes;
    if (session().is_open()) {
        const auto& pipeline = *session().pipeline();
        for (const auto& param : pipeline.params)
            rows.push_back({param.name, param.value, param.default_value});
        for (auto& each : session::workload_sizes(pipeline))
            sizes.push_back({to_qstring(each.table + ": " + each.name), to_qstring(each.source),
                             std::move(each.params)});
    }
    params_->set_refusal({});
    params_->set_params(rows);
    params_->set_sizes(std::move(sizes));
    show_text();
}

// The editor is told of a text only when that came from elsewhere.
void ProgramPanel::show_text() {
    const auto text = to_qstring(session().program().draft());
    if (text_->text() != text)
        text_->set_text(text);
    text_->set_diagnostics(session().program().diagnostics());
}

} // namespace

PanelKind program_panel() {
    return {.id = "program",
            .title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "Program"),
            .place = {.area = PanelPlace::Below, .order = 25},
            .in_tune = false,
            .make = make_panel<ProgramPanel>};
}

} // namespace loopscope::app
