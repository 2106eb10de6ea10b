// What the schedule compiles to, as text, and how the passes of the compilation make it. Texts are
// made where somebody looks.

#include "app/session/pass_programs.h"
#include "app/session/pinned_baseline.h"
#include "app/session/source_texts.h"
#include "app/windows/panel.h"
#include "app/windows/services.h"
#include "core/base/output_forms.h"
#include "views/widgets/passes_view.h"
#include "views/widgets/source_view.h"

#include <algorithm>
#include <set>

namespace loopscope::app {

using namespace views;

namespace {

class SourcePanel final : public Panel {
public:
    SourcePanel(const PanelKind& kind, Services& services);

    bool settled() const override {
        return !baseline_wanted_ && !session().passes().making() &&
               (!visible_ || shown_.count(source_->current()));
    }
    void set_visible(bool visible) override;
    bool start_search() override;
    std::vector<PanelCommand> commands() override;

private:
    void wire_baseline();
    void wire_passes();
    void request();
    void request_passes(int first);
    void request_baseline(const QString& tab);
    void take(const session::SourceAnswer& answer);
    void take_baseline(const session::SourceAnswer& answer);
    void save();
    void show_document() override;
    void show_tree() override;
    void show_baseline() override;
    void show_device() override { source_->set_device_is_gpu(session().device()->gpu.has_value()); }
    void show_selection(const NodeId& id) override { source_->set_selected(id); }

    SourceView* source_;
    bool visible_ = false;
    std::set<SourceView::Tab> shown_; // tabs whose text is of the present schedule
    bool baseline_wanted_ = false;    // its answer is still to come
    bool passes_wanted_ = false;      // of the present schedule they were not asked for yet
};

SourcePanel::SourcePanel(const PanelKind& kind, Services& services)
    : Panel(kind, services, new SourceView), source_(static_cast<SourceView*>(view())) {
    share_selection(source_);
    connect(source_, &SourceView::tabShown, this, &SourcePanel::request);
    connect(source_, &SourceView::saveRequested, this, &SourcePanel::save);
    connect(&session().sources(), &session::SourceTexts::ready, this, &SourcePanel::take);
    wire_baseline();
    wire_passes();
}

void SourcePanel::wire_baseline() {
    connect(source_, &SourceView::baselineWanted, this, &SourcePanel::request_baseline);
    connect(&session().sources(), &session::SourceTexts::baselineReady, this,
            &SourcePanel::take_baseline);
}

void SourcePanel::wire_passes() {
    connect(source_, &SourceView::passesWanted, this, &SourcePanel::request_passes);
    connect(&session().passes(), &session::PassPrograms::ready, source_, &SourceView::set_passes);
}

void SourcePanel::set_visible(bool visible) {
    visible_ = visible;
    request();
}

bool SourcePanel::start_search() {
    source_->start_search();
    return true;
}

std::vector<PanelCommand> SourcePanel::commands() {
    return {{tr("Save so&urce as…"), tr("Writes what the source panel shows: loops, LLVM IR or C"),
             [this] {
                 services().parts.show_panel(kind().id);
                 save();
             },
             PanelCommand::File}};
}

void SourcePanel::show_document() {
    if (!session().is_open())
        source_->set_passes(nullptr);
}

void SourcePanel::show_tree() {
    shown_.clear();
    passes_wanted_ = true;
    request();
}

void SourcePanel::show_baseline() {
    baseline_wanted_ = false;
    source_->set_baseline_pinned(session().baseline().tree() != nullptr);
}

void SourcePanel::request() {
    const auto tab = source_->current();
    if (passes_wanted_)
        request_passes(source_->passes_view()->current());
    if (!session().is_open() || !visible_ || shown_.count(tab))
        return;
    if (source_->text(tab).isEmpty())
        source_->set_message(tab, tr("The source is being made."));
    session().sources().request(tab);
}

// Asks for the present schedule's passes, where somebody looks; the program behind the pass `first`
// at first.
void SourcePanel::request_passes(int first) {
    const bool seen = session().is_open() && visible_ && source_->passes_shown();
    passes_wanted_ = !seen; // else once they are seen
    if (seen)
        session().passes().request(static_cast<std::size_t>(std::max(first, 0)));
}

void SourcePanel::request_baseline(const QString& tab) {
    if (!session().baseline().tree())
        return;
    baseline_wanted_ = true;
    session().sources().request_baseline(tab.toStdString());
}

void SourcePanel::take(const session::SourceAnswer& answer) {
    const auto& tab = answer.what;
    shown_.insert(tab);
    if (answer.failure.empty())
        source_->set_source(tab, {to_qstring(answer.text), answer.lines},
                            to_qstring(answer.remark));
    else
        source_->set_message(tab, tr("There is no source."), to_qstring(answer.failure));
    if (tab != source_->current())
        request();
}

void SourcePanel::take_baseline(const session::SourceAnswer& answer) {
    baseline_wanted_ = false;
    const auto& tab = answer.what;
    if (answer.failure.empty())
        source_->set_baseline_text(tab, to_qstring(answer.text));
    else
        source_->set_baseline_message(tab,
                                      tr("The baseline has no such source: %1")
                                          .arg(to_qstring(answer.failure).section('\n', 0, 0)));
}

void SourcePanel::save() {
    if (!session().is_open())
        return;
    const auto tab = source_->current();
    const auto ending = QString::fromLatin1(find_output_form(tab)->ending);
    services().files.save(
        tr("Source (*%1)").arg(ending), ending,
        [this, tab](const std::string& path) { return source_->save_to(tab, to_qstring(path)); });
}

} // namespace

PanelKind source_panel() {
    return {.id = "source",
            .title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "Source"),
            .place = {.area = PanelPlace::Below, .order = 20, .beside = true},
            .make = make_panel<SourcePanel>};
}

} // namespace loopscope::app
