// The program on a person's own data: files for its inputs, a run, and input and result side by
// side; and the values of any stage.

#include "app/session/data_runs.h"
#include "app/session/worker_tasks.h"
#include "app/windows/panel.h"
#include "app/windows/services.h"
#include "compiler/run/png.h"
#include "views/widgets/array_view.h"
#include "views/widgets/data_view.h"
#include "views/widgets/input_rows.h"

#include <QFileDialog>
#include <QFileInfo>

#include <optional>

namespace loopscope::app {

using namespace views;
using session::DataArray;

namespace {

QString text_of_type(const DataArray& array) {
    return QStringLiteral("%1 %2").arg(QString::fromUtf8(name(array.type)),
                                       to_qstring(shape_text(array.extents)));
}

// "img, rocket.png: u8 [3, 427, 640]"
QString title_of(const DataArray& array, bool of_input) {
    const auto from = !of_input            ? QString()
                      : array.file.empty() ? DataView::tr(", random")
                                           : ", " + QFileInfo(to_qstring(array.file)).fileName();
    return QStringLiteral("%1%2: %3").arg(to_qstring(array.name), from, text_of_type(array));
}

class DataPanel final : public Panel {
public:
    DataPanel(const PanelKind& kind, Services& services);

    bool settled() const override {
        return !visible_ || (!data().reading() && !data().looking() && data_->settled());
    }
    void set_visible(bool visible) override;

private:
    session::DataRuns& data() const { return session().data(); }
    void connect_view();
    void show_document() override { show_data(); }
    void show_work() override { show_running(); }
    void show_selection(const NodeId& id) override {
        if (visible_)
            data_->choose_stage(to_qstring(id.stage));
    }
    void show_data();
    void show_running();
    void look();
    void show_array(DataView::Side side, const session::LookedAt& looked);
    void choose_newest_input(const std::vector<DataArray>& inputs);
    void ask_for_file(const QString& input);
    void save();
    std::vector<DataArray> results() const;

    DataView* data_;
    bool visible_ = false;
    std::vector<DataArray> inputs_; // as they are shown
    // What is looked at, or was asked for.
    std::optional<DataArray> seen_[2];
};

DataPanel::DataPanel(const PanelKind& kind, Services& services)
    : Panel(kind, services, new DataView), data_(static_cast<DataView*>(view())) {
    connect_view();
    auto& runs = data();
    connect(&runs, &session::DataRuns::changed, this, &DataPanel::show_data);
    connect(&runs, &session::DataRuns::offered, this,
            [this] { this->services().parts.show_panel(this->kind().id); });
    connect(&runs, &session::DataRuns::looked, this,
            [this](const session::LookedAt& input, const session::LookedAt& output) {
                show_array(DataView::Input, input);
                show_array(DataView::Result, output);
            });
}

void DataPanel::connect_view() {
    connect(data_->inputs(), &InputRows::fileAsked, this, &DataPanel::ask_for_file);
    connect(data_->inputs(), &InputRows::forgotten, this,
            [this](const QString& input) { data().forget(input.toStdString()); });
    connect(data_, &DataView::runAsked, this, [this] {
        this->services().editing.flush();
        data().run();
    });
    connect(data_, &DataView::stageAsked, this, [this](const QString& stage) {
        this->services().editing.flush();
        data().run_stage(stage.toStdString());
    });
    connect(data_, &DataView::cancelAsked, &services().runs, &Runs::cancel);
    connect(data_, &DataView::saveAsked, this, &DataPanel::save);
    connect(data_, &DataView::arrayChosen, this, &DataPanel::look);
    connect(&session(), &session::Session::released, this, [this] {
        for (auto& seen : seen_) // what was asked for is not answered any more
            seen.reset();
    });
}

// What nobody sees needs no memory.
void DataPanel::set_visible(bool visible) {
    visible_ = visible;
    if (visible)
        return show_data();
    for (const auto side : {DataView::Input, DataView::Result}) {
        seen_[side].reset();
        data_->view(side)->clear({});
    }
}

std::vector<DataArray> DataPanel::results() const {
    return session().is_open() && data().result() ? data().result()->outputs
                                                  : std::vector<DataArray>();
}

void DataPanel::show_data() {
    if (!visible_)
        return;
    const auto inputs = data().inputs();
    std::vector<InputRow> rows;
    QStringList input_titles, result_titles, stages;
    for (const auto& input : inputs) {
        rows.push_back({to_qstring(input.name), text_of_type(input), to_qstring(input.file)});
        input_titles << title_of(input, true);
    }
    for (const auto& output : results())
        result_titles << title_of(output, false);
    for (const auto& stage : data().stages())
        stages << to_qstring(stage);
    data_->inputs()->set_rows(rows);
    data_->set_stages(stages);
    data_->set_arrays(DataView::Input, input_titles);
    data_->set_arrays(DataView::Result, result_titles);
    data_->set_refusal(data().refusal());
    const auto* result = session().is_open() ? data().result().get() : nullptr;
    data_->set_summary(result ? result->summary : QString(), data().stale());
    choose_newest_input(inputs);
    show_selection(session().selection());
    show_running();
    look();
}

// Whose file has just come is looked at.
void DataPanel::choose_newest_input(const std::vector<DataArray>& inputs) {
    for (std::size_t n = 0; n < inputs.size(); ++n) {
        const bool known = n < inputs_.size() && inputs_[n].file == inputs[n].file;
        if (!known && !inputs[n].file.empty())
            data_->choose_array(DataView::Input, static_cast<int>(n));
    }
    inputs_ = inputs;
}

void DataPanel::show_running() {
    const auto& tasks = session().tasks();
    const auto why = !session().is_open() ? tr("No pipeline is open")
                     : tasks.busy()       ? tr("The worker is busy: %1").arg(tasks.busy_text())
                                          : QString();
    data_->set_unavailable(why, tasks.running());
}

// Only what is another one is read.
void DataPanel::look() {
    if (!visible_)
        return;
    const std::vector<DataArray> arrays[] = {inputs_, results()};
    std::optional<DataArray> wanted[2];
    for (const auto side : {DataView::Input, DataView::Result})
        if (const auto n = static_cast<std::size_t>(data_->array(side)); n < arrays[side].size())
            wanted[side] = arrays[side][n];
    if (wanted[0] == seen_[0] && wanted[1] == seen_[1])
        return;
    for (const auto side : {DataView::Input, DataView::Result}) {
        seen_[side] = wanted[side];
        if (!wanted[side])
            data_->view(side)->clear(
                side == DataView::Input ? QString() : tr("Run shows the result beside the input."));
    }
    data().look(wanted[0] ? &*wanted[0] : nullptr, wanted[1] ? &*wanted[1] : nullptr);
}

void DataPanel::show_array(DataView::Side side, const session::LookedAt& looked) {
    if (!seen_[side] || !(looked.array == *seen_[side]))
        return; // nobody wants it any more
    if (looked.buffer)
        data_->view(side)->set_array(looked.buffer, looked.array.begin);
    else
        data_->view(side)->clear(looked.failure);
}

void DataPanel::ask_for_file(const QString& input) {
    const auto path = services().files.ask_to_open(tr("Input %1").arg(input),
                                                   tr("Arrays (*.png *.npy);;All files (*)"));
    if (!path.isEmpty())
        data().offer({path}, input.toStdString());
}

// As PNG where a PNG can hold it.
void DataPanel::save() {
    const auto all = results();
    const auto n = static_cast<std::size_t>(data_->array(DataView::Result));
    if (n >= all.size())
        return;
    const auto output = all[n];
    const auto result = data().result(); // another one may come meanwhile
    auto* dialog = services().files.make(tr("Save result"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    const auto png = tr("PNG image (*.png)"), numpy = tr("NumPy array (*.npy)");
    const bool fits_png = check_png({}, output.type, output.extents).ok();
    dialog->setNameFilters(fits_png ? QStringList{png, numpy} : QStringList{numpy});
    auto choose = [dialog, png, stem = to_qstring(output.name)](const QString& filter) {
        FileDialogs::set_ending(*dialog, stem, filter == png ? ".png" : ".npy");
    };
    choose(fits_png ? png : numpy);
    connect(dialog, &QFileDialog::filterSelected, dialog, choose);
    connect(dialog, &QFileDialog::accepted, this, [this, dialog, output, result] {
        const auto path = dialog->selectedFiles().value(0);
        if (path.isEmpty())
            return;
        services().files.set_folder(path);
        data().save(*result, output, path);
    });
    dialog->open();
}

} // namespace

PanelKind data_panel() {
    return {.id = "data",
            .title = QT_TRANSLATE_NOOP("loopscope::app::Panel", "Data"),
            .place = {.area = PanelPlace::Below, .order = 27},
            .in_teach = false,
            .in_tune = false,
            .make = make_panel<DataPanel>};
}

} // namespace loopscope::app
