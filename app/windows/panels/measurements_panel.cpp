// Everything that was measured for the document.

#include "app/session/worker_tasks.h"
#include "app/windows/panel.h"
#include "app/windows/services.h"
#include "views/widgets/measurements_view.h"

namespace loopscope::app {

using namespace views;

namespace {

class MeasurementsPanel final : public Panel {
public:
    MeasurementsPanel(const PanelKind& kind, Services& services)
        : Panel(kind, services, new MeasurementsView),
          measurements_(static_cast<MeasurementsView*>(view())) {
        connect(measurements_, &MeasurementsView::revisionActivated, &session(),
                &session::Session::go_to_revision);
        connect(measurements_, &MeasurementsView::measureRequested, &services.runs, &Runs::measure);
        connect(measurements_, &MeasurementsView::exportRequested, this, [this] {
            this->services().files.save(tr("Table (*.csv)"), ".csv",
                                        [this](const std::string& path) {
                                            return measurements_->export_csv(to_qstring(path));
                                        });
        });
    }

private:
    void show_measured() override {
        const auto rows = services().measured.rows();
        measurements_->set_rows(rows);
        emit detailChanged(rows->empty() ? QString() : QString::number(rows->size()));
    }
    void show_device() override { show_availability(); }
    void show_document() override { show_availability(); }
    void show_work() override { show_availability(); }
    void show_availability() {
        const auto elsewhere = services().runs.why_only_described();
        measurements_->set_unavailable(!elsewhere.isEmpty() ? elsewhere
                                       : session().tasks().busy()
                                           ? tr("The worker is busy with something; Esc cancels it")
                                           : QString());
    }

    MeasurementsView* measurements_;
};

} // namespace

PanelKind measurements_panel() {
    return {.id = "measurements",
            .title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "Measurements"),
            .short_title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "Measured"),
            .place = {.area = PanelPlace::Below, .order = 60, .beside = true},
            .in_teach = false,
            .front_in = Preset::Tune,
            .make = make_panel<MeasurementsPanel>};
}

} // namespace loopscope::app
