// The document's revisions, with their times.

#include "app/session/check_verdicts.h"
#include "app/session/estimates.h"
#include "app/session/pinned_baseline.h"
#include "app/windows/panel.h"
#include "app/windows/services.h"
#include "app/windows/verdict_text.h"
#include "views/style/number_format.h"
#include "views/widgets/history_view.h"

#include <cmath>

namespace loopscope::app {

using namespace views;

namespace {

class HistoryPanel final : public Panel {
public:
    HistoryPanel(const PanelKind& kind, Services& services);

private:
    void show_rows();
    void show_tree() override { show_rows(); }
    void show_estimate() override { show_rows(); }
    void show_measured() override { show_rows(); }
    void show_baseline() override { history_->set_baseline(session().baseline().revision()); }

    HistoryView* history_;
};

HistoryPanel::HistoryPanel(const PanelKind& kind, Services& services)
    : Panel(kind, services, new HistoryView), history_(static_cast<HistoryView*>(view())) {
    connect(&session().estimates(), &session::Estimates::predictionsChanged, this,
            &HistoryPanel::show_rows);
    connect(&session().verdicts(), &session::CheckVerdicts::changed, this,
            &HistoryPanel::show_rows);
    connect(history_, &HistoryView::revisionActivated, &session(),
            &session::Session::go_to_revision);
    connect(history_, &HistoryView::renamed, this, [this](qint64 revision, const QString& name) {
        if (auto status = session().rename_revision(revision, name.toStdString()); !status)
            this->services().editing.refused({}, status.errors());
    });
    auto& comparisons = services.comparisons;
    connect(history_, &HistoryView::comparisonRequested, &comparisons,
            [&comparisons](qint64 left, qint64 right) {
                comparisons.compare(ComparedSide::of(left),
                                    right == 0 ? ComparedSide{} : ComparedSide::of(right));
            });
    connect(history_, &HistoryView::baselineComparisonRequested, &comparisons,
            [&comparisons](qint64 revision) {
                comparisons.compare(ComparedSide::baseline(), ComparedSide::of(revision));
            });
    connect(history_, &HistoryView::fileComparisonRequested, &comparisons,
            [&comparisons](qint64 revision) {
                comparisons.compare_with_file(ComparedSide::of(revision));
            });
    comparisons.set_choice([this] { return history_->selected(); });
}

// Measured against measured, predicted against predicted: a speed-up never mixes the two.
// Nor is a schedule of another program, or of another size, one that was slower.
QString time_text(const std::map<std::int64_t, double>& seconds, const session::Revision& r,
                  const session::Document& document) {
    const auto now = seconds.find(r.id);
    const auto before = *document.program_of(r.id) == *document.program_of(r.parent)
                            ? seconds.find(r.parent)
                            : seconds.end();
    if (now == seconds.end())
        return {};
    auto text = format_seconds(now->second);
    if (before != seconds.end() && std::abs(before->second / now->second - 1) > 0.005)
        text += QStringLiteral("  ") + format_factor(before->second / now->second);
    return text;
}

void HistoryPanel::show_rows() {
    const auto* document = session().document();
    if (!document)
        return;
    const auto& measured = services().measured.newest_by_revision();
    const auto& predicted = session().estimates().predictions();
    std::vector<HistoryRow> rows;
    for (const auto& r : document->revisions()) {
        rows.push_back({r.id, r.parent, to_qstring(r.name), time_text(measured, r, *document),
                        time_text(predicted, r, *document)});
        if (const auto* verdict = session().verdicts().of(r.id)) {
            rows.back().checked =
                verdict->right ? HistoryRow::Checked::Right : HistoryRow::Checked::Wrong;
            rows.back().check_tip = verdict_text(*verdict);
        }
    }
    history_->set_rows(std::move(rows), document->current().id);
}

} // namespace

PanelKind history_panel() {
    return {.id = "history",
            .title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "History"),
            .place = {.area = PanelPlace::Left, .order = 20, .share = 18},
            .in_teach = false,
            .make = make_panel<HistoryPanel>};
}

} // namespace loopscope::app
