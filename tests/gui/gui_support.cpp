#include "tests/gui/gui_support.h"

#include "compiler/measure/host_device.h"
#include "tests/support/support.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/script_editor.h"

#include <nlohmann/json.hpp>

#include <Qsci/qsciscintilla.h>

#include <QContextMenuEvent>
#include <QMenu>
#include <QSettings>
#include <QTest>

#include <filesystem>
#include <fstream>

namespace loopscope::app::test {

bool WatchedApplication::notify(QObject* receiver, QEvent* event) {
    if (depth_ > 0)
        return QApplication::notify(receiver, event);
    const auto type = event->type();
    const auto name =
        std::string(receiver->metaObject()->className()) + " (event " + std::to_string(type) + ")";
    ++depth_;
    QElapsedTimer watch;
    watch.start();
    const bool result = QApplication::notify(receiver, event);
    --depth_;
    if (const double took = static_cast<double>(watch.nsecsElapsed()) / 1e6; took > longest_) {
        longest_ = took;
        name_ = name;
    }
    return result;
}

void keep_host_figures() {
    auto host = measure::read_host();
    auto figure = [](double value) { return device::Figure{value, "given by a test"}; };
    host.flops_per_second = {{ScalarType::F32, figure(180e9)}, {ScalarType::F64, figure(90e9)}};
    host.flops_per_second_all = {{ScalarType::F32, figure(350e9)},
                                 {ScalarType::F64, figure(175e9)}};
    double rate = 190e9;
    for (auto& cache : host.caches) {
        cache.bytes_per_second = figure(rate);
        cache.bytes_per_second_all = figure(2 * rate);
        rate /= 2.5;
    }
    host.memory_bytes_per_second = figure(11e9);
    host.memory_bytes_per_second_all = figure(18e9);
    host.parallel_overhead_seconds = figure(5e-6);
    const auto file = measure::host_file(host);
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file) << device::to_json(host).dump();
}

std::string bundled(const std::string& file) {
    return loopscope::test::source_path("resources/pipelines/" + file);
}

bool wait_until(const std::function<bool()>& holds, int seconds) {
    return QTest::qWaitFor([&] { return holds(); }, seconds * 1000);
}

void WindowTest::SetUp() {
    QSettings().clear();
    std::error_code ignored;
    std::filesystem::remove_all(session::Session::default_recovery_folder(), ignored);
}

void WindowTest::TearDown() { close_window(); }

void WindowTest::close_window() {
    if (window_)
        window_->close();
    window_.reset();
}

MainWindow& WindowTest::show(int width, int height) {
    close_window();
    window_ = std::make_unique<MainWindow>();
    window_->resize(width, height);
    window_->show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(window_.get()));
    return *window_;
}

MainWindow& WindowTest::open(const std::string& file, session::OpenOptions options, int width,
                             int height) {
    auto& window = show(width, height);
    EXPECT_TRUE(window.open_path(QString::fromStdString(bundled(file)), options));
    EXPECT_TRUE(settle());
    return window;
}

bool WindowTest::settle() {
    QTest::qWait(20);
    return wait_until(
        [this] { return window_->settled() && !window_->script_editor()->edit_pending(); });
}

void WindowTest::click(const NodeId& node) {
    auto* tree = window_->tree_view();
    const auto index = tree->schedule_model()->index_of(node);
    ASSERT_TRUE(index.isValid()) << node.text();
    tree->scrollTo(index);
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, Qt::NoModifier,
                      tree->visualRect(index).center());
    EXPECT_EQ(window_->session().selection(), node);
}

void WindowTest::key(int key, Qt::KeyboardModifiers modifiers) {
    window_->tree_view()->setFocus();
    QTest::keyClick(window_->tree_view(), static_cast<Qt::Key>(key), modifiers);
}

QMenu* WindowTest::open_menu() const {
    return qobject_cast<QMenu*>(QApplication::activePopupWidget());
}

void WindowTest::choose(const QString& text) {
    auto* menu = open_menu();
    ASSERT_TRUE(menu) << "no menu is open";
    std::function<QAction*(QMenu*)> find = [&](QMenu* in) -> QAction* {
        for (auto* action : in->actions()) {
            if (action->text().section('\t', 0, 0) == text && !action->menu())
                return action;
            if (action->menu()) {
                QMetaObject::invokeMethod(action->menu(), "aboutToShow");
                if (auto* inside = find(action->menu()))
                    return inside;
            }
        }
        return nullptr;
    };
    auto* action = find(menu);
    ASSERT_TRUE(action) << text.toStdString();
    ASSERT_TRUE(action->isEnabled()) << action->toolTip().toStdString();
    action->trigger();
    menu->close();
    QTest::qWait(1);
}

void WindowTest::type(const QString& text) {
    auto* editor = window_->script_editor()->findChild<QsciScintilla*>();
    ASSERT_TRUE(editor);
    window_->show_panel("script");
    editor->setFocus();
    editor->setCursorPosition(editor->lines() - 1, editor->lineLength(editor->lines() - 1));
    QTest::keyClicks(editor, text);
}

} // namespace loopscope::app::test
