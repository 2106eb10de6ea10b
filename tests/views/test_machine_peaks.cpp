// What the estimate's head says of the machine's peaks and of what was measured; the column for it
// in the table.

#include "tests/views/fixtures.h"

#include "core/device/all_cores.h"
#include "views/models/measurement_table.h"
#include "views/style/speed_format.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/measurements_view.h"

#include <gtest/gtest.h>

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

namespace loopscope::views::test {

namespace test_machine_peaks {

std::shared_ptr<device::Device> machine(double all_over_one) {
    auto d = std::make_shared<device::Device>();
    d->name = "host";
    d->is_host = true;
    d->cores = d->threads = 2;
    auto figure = [](double value) { return device::Figure{value, "given by a test"}; };
    d->flops_per_second = {{ScalarType::F32, figure(100e9)}, {ScalarType::F64, figure(50e9)}};
    d->flops_per_second_all = {{ScalarType::F32, figure(195e9)},
                               {ScalarType::F64, figure(50e9 * all_over_one)}};
    return d;
}

std::shared_ptr<model::Estimate> estimate(double seconds) {
    auto e = std::make_shared<model::Estimate>();
    e->seconds = seconds;
    e->bound = "compute";
    e->flops = 1e9;
    e->threads = 2;
    return e;
}

template <typename Widget> Widget* named(const QWidget& parent, const QString& accessible_name) {
    for (Widget* w : parent.findChildren<Widget*>())
        if (w->accessibleName() == accessible_name)
            return w;
    return nullptr;
}

TEST(MachinePeaks, AllCoresOverOneIsTheLeastOfTheTypes) {
    EXPECT_DOUBLE_EQ(*device::all_cores_over_one(*machine(1.01)), 1.01);
    EXPECT_DOUBLE_EQ(*device::all_cores_over_one(*machine(2)), 1.95);
    auto d = machine(1.01);
    EXPECT_TRUE(device::measured_while_busy(*d));
    EXPECT_FALSE(device::measured_while_busy(*machine(1.4)));
    d->is_host = false;
    EXPECT_FALSE(device::measured_while_busy(*d)) << "a description is what its author wrote";
    d->is_host = true;
    d->cores = 1;
    EXPECT_FALSE(device::all_cores_over_one(*d));
    EXPECT_FALSE(device::measured_while_busy(*d));
    d = machine(1.01);
    d->flops_per_second_all.clear();
    EXPECT_FALSE(device::measured_while_busy(*d)) << "what is not known is not wrong";
}

TEST(MachinePeaks, OfABusyMachineAreSaidAndMeasuredAgain) {
    EstimateView view;
    view.set_estimate(estimate(0.1));
    auto* words = named<QLabel>(view, "What is wrong with the machine's peaks");
    auto* again = named<QPushButton>(view, "Measure this machine's peaks again");
    ASSERT_TRUE(words && again);
    view.set_device(machine(2));
    EXPECT_TRUE(words->isHidden());
    EXPECT_TRUE(again->isHidden());
    view.set_device(machine(1.01));
    EXPECT_FALSE(words->isHidden());
    EXPECT_TRUE(words->text()
                    .replace(QChar::Nbsp, ' ')
                    .contains("2 cores reach only 1.01× the speed of one core"))
        << words->text().toStdString();
    ASSERT_FALSE(again->isHidden());
    for (const int width : {250, 300, 520}) {
        view.resize(width, 300);
        view.show();
        QTest::qWait(10);
        for (const QWidget* each : {static_cast<QWidget*>(words), static_cast<QWidget*>(again)})
            EXPECT_LE(each->mapTo(view.viewport(), QPoint(each->width(), 0)).x(),
                      view.viewport()->width())
                << width;
        EXPECT_FALSE(words->geometry().intersects(again->geometry())) << width;
    }
    QSignalSpy asked(&view, &EstimateView::peaksRequested);
    again->click();
    EXPECT_EQ(asked.count(), 1);
    view.set_probing(true);
    EXPECT_FALSE(again->isEnabled());
    view.set_probing(false);
    EXPECT_TRUE(again->isEnabled());
    auto elsewhere = estimate(0.1);
    elsewhere->described = true;
    elsewhere->device = "i7-6700";
    view.set_estimate(elsewhere);
    EXPECT_TRUE(words->isHidden());
}

TEST(MachinePeaks, TheMeasuredLineComparesWithTheMeasuredBaseline) {
    EstimateView view;
    view.resize(400, 300);
    view.set_estimate(estimate(0.1));
    view.set_baseline(estimate(0.9));
    MeasuredTime measured{0.125, 0.001, false, 12, {}};
    auto text = [&] {
        QString all;
        for (const auto* label : view.findChildren<QLabel*>())
            if (!label->isHidden())
                all += label->text() + '\n';
        return all;
    };
    const auto ratio = format_time_change(2, 0.125) + " against the baseline's 2";
    view.set_measured(measured);
    EXPECT_FALSE(text().contains("against the baseline's"));
    measured.baseline_seconds = 2;
    view.set_measured(measured);
    EXPECT_TRUE(text().contains(ratio)) << text().toStdString();
    EXPECT_TRUE(text().contains("16×"));
    measured.median_seconds = 1; // far from the estimate: the warning carries the ratio then
    view.set_measured(measured);
    EXPECT_EQ(text().count("against the baseline's"), 1) << text().toStdString();
    measured.stale = true;
    view.set_measured(measured);
    EXPECT_FALSE(text().contains("against the baseline's")) << "another schedule's ratio";
}

// A baseline is pinned after the first measurement: the column that was made for "–" must hold what
// it then says.
TEST(MachinePeaks, TheColumnOfChangesHoldsThemWhenABaselineIsPinnedLater) {
    MeasurementsView view;
    view.resize(900, 200);
    std::vector<MeasurementRow> rows(1);
    rows[0].schedule = "tile C";
    rows[0].median_seconds = 0.125;
    rows[0].samples = 12;
    view.set_rows(std::make_shared<const std::vector<MeasurementRow>>(rows));
    rows[0].baseline_seconds = 0.125 * 16.3;
    view.set_rows(std::make_shared<const std::vector<MeasurementRow>>(rows));
    const auto* table = view.findChild<QTableView*>();
    ASSERT_TRUE(table);
    const int column = MeasurementTableModel::Change;
    const auto cell = table->model()->index(0, column);
    EXPECT_EQ(cell.data().toString(), format_time_change(16.3, 1));
    EXPECT_GE(table->columnWidth(column), table->sizeHintForIndex(cell).width());
    EXPECT_GE(table->columnWidth(column), table->horizontalHeader()->sectionSizeHint(column));
    const auto heading = [&](int role) {
        return table->model()->headerData(column, Qt::Horizontal, role).toString();
    };
    EXPECT_EQ(heading(Qt::DisplayRole), "Against baseline");
    EXPECT_TRUE(heading(Qt::ToolTipRole).contains("pinned baseline"));
}

} // namespace test_machine_peaks
} // namespace loopscope::views::test
