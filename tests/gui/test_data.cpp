// A person's own data: files for inputs, a run, the result beside the input and saved, and what a
// stage holds.

#include "app/session/data_runs.h"
#include "app/windows/notice_bar.h"
#include "compiler/run/array_file.h"
#include "compiler/run/reference/reference.h"
#include "core/language/loop_parser.h"
#include "tests/cli/run_cli.h"
#include "tests/gui/gpu_window.h"
#include "tests/support/support.h"
#include "views/widgets/array_canvas.h"
#include "views/widgets/array_view.h"
#include "views/widgets/data_view.h"
#include "views/widgets/input_rows.h"

#include <QComboBox>
#include <QDropEvent>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QUrl>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace loopscope::app::test {
namespace test_data {

using views::DataView;

const char* const kText = "pipeline p\nparam H = 16\nparam W = 24\n"
                          "input img[y, x]: u8[H, W] boundary edge\n"
                          "stage up[y, x] = i32(img[y, x]) * 3\n"
                          "stage out[y, x]: u8 = u8((up[y, x - 1] + up[y, x + 1]) / 6)\n"
                          "output out: [H, W]\n";

class DataWindow : public GpuWindow {
protected:
    session::DataRuns& data() { return window_->session().data(); }
    DataView* view() { return window_->findChild<DataView*>(); }
    const views::ArrayCanvas& canvas(DataView::Side side) { return *view()->view(side)->canvas(); }

    MainWindow& open_text(const std::string& text) {
        const auto path = loopscope::test::scratch_folder() + "/p.loop";
        std::ofstream(path) << text;
        auto& window = show();
        EXPECT_TRUE(window.open_path(path, {{}, {}, "host"}));
        EXPECT_TRUE(settle());
        return window;
    }
    void drop(const std::string& path) { drop_one_after_the_other({path}); }
    // Each before what was made of the one before can be known.
    void drop_one_after_the_other(const std::vector<std::string>& paths) {
        for (const auto& path : paths) {
            QMimeData files;
            files.setUrls({QUrl::fromLocalFile(QString::fromStdString(path))});
            QDragEnterEvent enter(QPoint(400, 300), Qt::CopyAction, &files, Qt::LeftButton,
                                  Qt::NoModifier);
            QApplication::sendEvent(window_.get(), &enter);
            EXPECT_TRUE(enter.isAccepted());
            QDropEvent drop(QPointF(400, 300), Qt::CopyAction, &files, Qt::LeftButton,
                            Qt::NoModifier);
            QApplication::sendEvent(window_.get(), &drop);
        }
        QTest::qWait(1);
        ASSERT_TRUE(wait_until([&] { return !data().reading(); }));
        ASSERT_TRUE(settle());
    }
    // A file whose values say where they stand.
    static std::string array_file(const std::string& name, ScalarType type,
                                  std::vector<std::int64_t> extents) {
        auto buffer = make_buffer(type, std::move(extents)).value();
        for (std::size_t i = 0; i < buffer.data.size(); ++i)
            buffer.data[i] = static_cast<std::byte>(i * 7 % 61);
        const auto path = loopscope::test::scratch_folder() + "/" + name;
        EXPECT_TRUE(write_array(path, buffer));
        return path;
    }
    void run() {
        const auto before = data().result();
        ASSERT_TRUE(wait_until([&] { return view()->run_button()->isEnabled(); }));
        QTest::mouseClick(view()->run_button(), Qt::LeftButton);
        ASSERT_TRUE(wait_until([&] { return !window_->session().tasks().busy(); }));
        EXPECT_NE(data().result(), before) << view()->refusal().toStdString();
        ASSERT_TRUE(settle());
    }
    // That Save opens; null: it does not.
    QFileDialog* save_dialog() {
        QTest::mouseClick(view()->save_button(), Qt::LeftButton);
        QFileDialog* dialog = nullptr;
        wait_until([&] {
            for (auto* each : window_->findChildren<QFileDialog*>())
                dialog = each->isVisible() ? each : dialog;
            return dialog != nullptr;
        });
        return dialog;
    }
    void accept(QFileDialog& dialog, const std::string& path, const QString& filter) {
        dialog.selectNameFilter(filter);
        emit dialog.filterSelected(filter);
        dialog.findChild<QLineEdit*>("fileNameEdit")->setText(QString::fromStdString(path));
        QMetaObject::invokeMethod(&dialog, "accept");
        ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(path); }));
    }
    void save(const std::string& path, const QString& filter) {
        auto* dialog = save_dialog();
        ASSERT_TRUE(dialog);
        accept(*dialog, path, filter);
    }
    bool stale() {
        for (auto* label : view()->findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains("run it again"))
                return true;
        return false;
    }
};

TEST_F(DataWindow, ADroppedImageIsRunAndSeenBesideItsResult) {
    auto& window =
        open("harris.loop", {bundled("harris.cpu.sched"), {{"H", 64}, {"W", 64}}, "host"});
    const auto image = loopscope::test::source_path("resources/images/rocket.png");
    drop(image);
    EXPECT_FALSE(window.panel_widget("data")->visibleRegion().isEmpty()) << "it came to the front";
    EXPECT_EQ(view()->refusal(), "");
    EXPECT_EQ(canvas(DataView::Input).image().size(), QSize(640, 427));
    run();
    EXPECT_TRUE(view()->summary().contains("H = 427, W = 640")) << view()->summary().toStdString();
    EXPECT_TRUE(view()->summary().contains("this machine"));
    EXPECT_FALSE(stale());
    EXPECT_EQ(canvas(DataView::Result).image().size(), QSize(640, 427));
    EXPECT_EQ(canvas(DataView::Input).image().size(), QSize(640, 427));
    keep_picture("data-response");
    view()->choose_array(DataView::Result, 1);
    emit view() -> arrayChosen();
    ASSERT_TRUE(settle());
    EXPECT_TRUE(view()->view(DataView::Result)->note().contains("as they are")) << "corners are u8";
    keep_picture("data-corners");

    const auto folder = loopscope::test::scratch_folder();
    save(folder + "/corners.png", "PNG image (*.png)");
    view()->choose_array(DataView::Result, 0);
    save(folder + "/out.npy", "NumPy array (*.npy)");
    ASSERT_TRUE(window.session().save_schedule(folder + "/now.sched").ok());
    const auto outcome = loopscope::test::run_cli(
        {"run", bundled("harris.loop"), "-s", folder + "/now.sched", "--input", "img=" + image,
         "--output", "corners=" + folder + "/cli.png", "--output", "out=" + folder + "/cli.npy"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    using loopscope::test::read_file;
    EXPECT_EQ(read_file(folder + "/corners.png"), read_file(folder + "/cli.png"));
    EXPECT_EQ(read_file(folder + "/out.npy"), read_file(folder + "/cli.npy"));
}

// Of files for one input the last one counts, whole: its values, its sizes and its picture.
TEST_F(DataWindow, OfFilesDroppedInQuickSuccessionTheLastWins) {
    open_text(kText);
    drop_one_after_the_other({array_file("large.png", ScalarType::U8, {300, 400}),
                              array_file("wrong.npy", ScalarType::F32, {8, 8}),
                              array_file("small.png", ScalarType::U8, {20, 30}),
                              array_file("last.png", ScalarType::U8, {14, 18})});
    const auto input = data().inputs().front();
    EXPECT_EQ(std::filesystem::path(input.file).filename(), "last.png");
    EXPECT_EQ(input.extents, (std::vector<std::int64_t>{14, 18}));
    EXPECT_EQ(canvas(DataView::Input).image().size(), QSize(18, 14));
    EXPECT_TRUE(view()->refusal().contains("wrong.npy")) << "one that does not fit is still said";
    run();
    EXPECT_TRUE(view()->summary().contains("H = 14, W = 18")) << view()->summary().toStdString();
    EXPECT_EQ(canvas(DataView::Result).image().size(), QSize(18, 14));
    EXPECT_FALSE(stale());
}

TEST_F(DataWindow, FilesDroppedQuicklyGoToTheInputsThatTheyWouldGoToSlowly) {
    const std::string two = "pipeline p\nparam H = 16\nparam W = 24\n"
                            "input a[y, x]: u8[H, W]\ninput b[y, x]: u8[H, W]\n"
                            "stage out[y, x] = i32(a[y, x]) + i32(b[y, x])\noutput out: [H, W]\n";
    std::vector<std::string> paths;
    for (const char* name : {"1.png", "2.png", "3.png"})
        paths.push_back(array_file(name, ScalarType::U8, {10, 12}));
    const auto files = [&] {
        std::vector<std::string> names;
        for (const auto& input : data().inputs())
            names.push_back(std::filesystem::path(input.file).filename());
        return names;
    };
    open_text(two);
    for (const auto& path : paths)
        drop(path);
    const auto slowly = files();
    ASSERT_EQ(slowly, (std::vector<std::string>{"3.png", "2.png"}));
    open_text(two);
    drop_one_after_the_other(paths);
    EXPECT_EQ(files(), slowly);
}

// A run that ends while a person chooses where to save changes what is shown, not what is saved.
TEST_F(DataWindow, WhatIsSavedIsWhatWasShown) {
    open_text(kText);
    drop(array_file("first.png", ScalarType::U8, {10, 12}));
    run();
    const auto first = read_array(data().result()->outputs.front().file).value();
    auto* dialog = save_dialog();
    ASSERT_TRUE(dialog);
    const auto before = data().result();
    data().offer({QString::fromStdString(array_file("second.png", ScalarType::U8, {20, 30}))});
    ASSERT_TRUE(wait_until([&] { return !data().reading(); }));
    data().run();
    ASSERT_TRUE(wait_until([&] { return !window_->session().tasks().busy(); }));
    ASSERT_NE(data().result(), before);
    ASSERT_TRUE(settle());
    EXPECT_EQ(canvas(DataView::Result).image().size(), QSize(30, 20));
    const auto path = loopscope::test::scratch_folder() + "/saved.png";
    accept(*dialog, path, "PNG image (*.png)");
    const auto saved = read_array(path).value();
    EXPECT_EQ(saved.extents, first.extents);
    EXPECT_EQ(saved.data, first.data);
}

TEST_F(DataWindow, AStageIsWhatItsDefinitionSays) {
    open_text(kText);
    const auto path = array_file("img.png", ScalarType::U8, {10, 12});
    drop(path);
    click({"up", 0, "y"}); // the box follows the selection
    EXPECT_EQ(view()->stage_box()->currentText(), "up");
    QTest::mouseClick(view()->look_button(), Qt::LeftButton);
    ASSERT_TRUE(wait_until([&] { return data().result() != nullptr; }));
    ASSERT_TRUE(settle());
    EXPECT_TRUE(view()->summary().contains("by its definition")) << view()->summary().toStdString();
    ASSERT_EQ(data().result()->outputs.size(), 1U);
    const auto& up = data().result()->outputs.front();
    EXPECT_EQ(up.extents, (std::vector<std::int64_t>{10, 14})) << "a column more at each side";
    EXPECT_EQ(up.begin, (std::vector<std::int64_t>{0, -1}));
    const auto values = read_array(up.file).value(), image = read_array(path).value();

    // The same values by the reference interpreter, where the stage is an output from 0 on.
    std::string text = kText;
    text.replace(text.find("output out: [H, W]"), std::string::npos,
                 "stage seen[y, x] = up[y, x - 1]\noutput seen: [H, W + 2]\n");
    const auto pipeline = load_pipeline(std::make_shared<SourceFile>("p.loop", text),
                                        {.params = {{"H", 10}, {"W", 12}}});
    ASSERT_TRUE(pipeline) << format(pipeline.errors());
    const auto expected = evaluate(*pipeline->pipeline, {{"img", image}});
    ASSERT_TRUE(expected) << format(expected.errors());
    EXPECT_EQ(values.data, expected->at("seen").data);
    EXPECT_EQ(canvas(DataView::Result).image().size(), QSize(14, 10));
    keep_picture("data-stage");
    // A schedule says nothing of what a definition is.
    ASSERT_TRUE(window_->session().apply_directive("out.parallel(y)").ok());
    ASSERT_TRUE(settle());
    EXPECT_FALSE(stale());
}

TEST_F(DataWindow, WithoutAFileAnInputIsRandom) {
    open_text(kText);
    window_->show_panel("data");
    ASSERT_TRUE(settle());
    bool said = false;
    for (auto* label : view()->inputs()->findChildren<QLabel*>())
        said = said || label->text().contains("random");
    EXPECT_TRUE(said);
    EXPECT_EQ(canvas(DataView::Input).image().size(), QSize(24, 16));
    run();
    EXPECT_EQ(canvas(DataView::Result).image().size(), QSize(24, 16));
    ASSERT_TRUE(window_->session().apply_directive("out.parallel(y)").ok());
    ASSERT_TRUE(settle());
    EXPECT_TRUE(stale()) << "it is of another schedule";
    run();
    EXPECT_FALSE(stale());
    drop(array_file("img.png", ScalarType::U8, {16, 24}));
    EXPECT_TRUE(stale()) << "it is of another input";
    QTest::mouseClick(view()->inputs()->forget_button("img"), Qt::LeftButton);
    ASSERT_TRUE(settle());
    EXPECT_FALSE(stale());
}

TEST_F(DataWindow, FilesThatFitNothingAreRefused) {
    open_text(kText);
    drop(array_file("f.npy", ScalarType::F32, {16, 24}));
    EXPECT_TRUE(view()->refusal().contains("holds f32, the input `img` is u8"))
        << view()->refusal().toStdString();
    EXPECT_TRUE(view()->refusal().contains("types are never converted"));
    keep_picture("data-refused");
    drop(array_file("c.png", ScalarType::U8, {3, 16, 24}));
    EXPECT_TRUE(view()->refusal().contains("give an array of 2 dimensions"))
        << view()->refusal().toStdString();
    const auto broken = loopscope::test::scratch_folder() + "/broken.png";
    std::ofstream(broken) << "no picture";
    drop(broken);
    EXPECT_TRUE(view()->refusal().contains("broken.png"));
    EXPECT_EQ(data().inputs().front().file, "");
    run();
    EXPECT_EQ(view()->refusal(), "");
}

TEST_F(DataWindow, WhatIsDroppedBeforeAPipelineIsOpenSaysSo) {
    show();
    QMimeData files;
    files.setUrls({QUrl::fromLocalFile(
        QString::fromStdString(array_file("img.png", ScalarType::U8, {4, 4})))});
    QDragEnterEvent enter(QPoint(400, 300), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window_.get(), &enter);
    QDropEvent drop(QPointF(400, 300), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window_.get(), &drop);
    const auto said = [&] { return notice(*window_)->text().contains("open one first"); };
    EXPECT_TRUE(wait_until(said, 20));
    EXPECT_FALSE(window_->session().is_open());
}

TEST_F(DataWindow, ARunIsCancelled) {
    open_text("pipeline p\nparam N = 3000\ninput a[i, k]: f32[N, N]\n"
              "stage c[i, j] = sum[k in 0..N](a[i, k] * a[k, j])\noutput c: [N, N]\n");
    window_->show_panel("data");
    ASSERT_TRUE(settle());
    QTest::mouseClick(view()->run_button(), Qt::LeftButton);
    ASSERT_TRUE(data().running());
    ASSERT_TRUE(wait_until([&] { return view()->cancel_button()->isVisible(); }, 20));
    EXPECT_FALSE(view()->run_button()->isEnabled());
    QTest::qWait(300);
    QTest::mouseClick(view()->cancel_button(), Qt::LeftButton);
    ASSERT_TRUE(wait_until([&] { return !data().running(); }));
    EXPECT_FALSE(data().result());
    EXPECT_TRUE(view()->run_button()->isEnabled());
    EXPECT_FALSE(view()->cancel_button()->isVisible());
}

TEST_F(DataWindow, AFolderThatHasGoneIsSaid) {
    open_text(kText);
    window_->show_panel("data");
    run();
    QString said;
    const QObject until_here;
    QObject::connect(&window_->session(), &session::Session::message, &until_here,
                     [&](const QString& text, bool is_error) { said += is_error ? text : ""; });
    data().save(*data().result(), data().result()->outputs.front(), "/no/such/folder/out.png");
    ASSERT_TRUE(wait_until([&] { return !said.isEmpty(); }, 60));
    EXPECT_TRUE(said.contains("/no/such/folder")) << said.toStdString();
}

TEST_F(DataWindow, AGpuThatIsOnlyDescribedRunsHereAndSaysSo) {
    auto& window = open_gpu({{"M", 64}, {"N", 64}, {"K", 32}});
    window.show_panel("data");
    ASSERT_TRUE(settle());
    run();
    EXPECT_TRUE(view()->summary().contains("The default schedule"))
        << view()->summary().toStdString();
    EXPECT_TRUE(view()->summary().contains("not at hand"));
}

} // namespace test_data
} // namespace loopscope::app::test
