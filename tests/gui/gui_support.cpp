#include "tests/gui/gui_support.h"

#include "compiler/measure/host_device.h"
#include "core/base/sanitized.h"
#include "tests/support/support.h"
#include "views/style/theme.h"
#include "views/widgets/bubble.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/script_editor.h"

#include <nlohmann/json.hpp>

#include <Qsci/qsciscintilla.h>

#include <QContextMenuEvent>
#include <QDir>
#include <QMenu>
#include <QPixmap>
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
    const Stopwatch watch;
    const bool result = QApplication::notify(receiver, event);
    --depth_;
    LatencyRecorder::instance().record(watch.wall(), watch.busy(), name);
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
#if defined(LOOPSCOPE_SANITIZED)
    seconds *= 5; // instrumented code takes its time
#endif
    return QTest::qWaitFor([&] { return holds(); }, seconds * 1000);
}

void WindowTest::SetUp() {
    QSettings().clear();
    std::error_code ignored;
    std::filesystem::remove_all(session::RecoveryFolder::default_path(), ignored);
}

void WindowTest::TearDown() { close_window(); }

void WindowTest::close_window() {
    if (window_)
        window_->close();
    window_.reset();
}

MainWindow& WindowTest::show(int width, int height) {
    close_window();
    const Timed timed("start the window");
    window_ = std::make_unique<MainWindow>();
    window_->resize(width, height);
    window_->show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(window_.get()));
    return *window_;
}

MainWindow& WindowTest::open(const std::string& file, session::OpenOptions options, int width,
                             int height) {
    auto& window = show(width, height);
    {
        const Timed timed("open " + file);
        EXPECT_TRUE(window.open_path(QString::fromStdString(bundled(file)), options));
    }
    EXPECT_TRUE(settle());
    return window;
}

bool WindowTest::settle() {
    QTest::qWait(20);
    return wait_until(
        [this] { return window_->settled() && !script_editor(*window_)->edit_pending(); });
}

void WindowTest::click(const NodeId& node) {
    auto* tree = tree_view(*window_);
    const auto index = tree->schedule_model()->index_of(node);
    ASSERT_TRUE(index.isValid()) << node.text();
    tree->scrollTo(index);
    LatencyRecorder::instance().begin("click a row");
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, Qt::NoModifier,
                      tree->visualRect(index).center());
    EXPECT_EQ(window_->session().selection(), node);
}

void WindowTest::key(int key, Qt::KeyboardModifiers modifiers) {
    tree_view(*window_)->setFocus();
    LatencyRecorder::instance().begin(
        "key " + QKeySequence(static_cast<int>(modifiers.toInt()) | key).toString().toStdString());
    QTest::keyClick(tree_view(*window_), static_cast<Qt::Key>(key), modifiers);
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
    {
        const Timed timed("choose from a menu");
        action->trigger();
    }
    menu->close();
    // A window manager gives the window the keyboard back; the offscreen platform has none.
    window_->activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(window_.get()));
}

QPoint WindowTest::row_centre(const NodeId& node) {
    auto* tree = tree_view(*window_);
    const auto index = tree->schedule_model()->index_of(node);
    EXPECT_TRUE(index.isValid()) << node.text();
    return tree->visualRect(index).center();
}

void WindowTest::drag(const NodeId& from, const QPoint& to, bool drop) {
    auto* viewport = tree_view(*window_)->viewport();
    LatencyRecorder::instance().begin("drag a row");
    const QPoint start = row_centre(from);
    QTest::mousePress(viewport, Qt::LeftButton, {}, start);
    for (int step = 1; step <= 4; ++step) {
        QTest::mouseMove(viewport, start + (to - start) * step / 4);
        QTest::qWait(1);
    }
    EXPECT_TRUE(wait_until([&] { return !window_->session().questions().judging(); }, 10));
    if (drop)
        QTest::mouseRelease(viewport, Qt::LeftButton, {}, to);
}

QString WindowTest::bubble_text(QWidget* in) {
    auto text = [in] {
        QString found;
        for (auto* bubble : in->findChildren<views::Bubble*>())
            if (found.isEmpty())
                found = bubble->text();
        return found;
    };
    wait_until(
        [&] { return text().contains("ms") || text().contains("µs") || text().contains("✗"); }, 5);
    return text();
}

void WindowTest::keep_picture(const QString& name) { keep_picture(name, *window_); }

void WindowTest::keep_picture(const QString& name, QWidget& of) {
    const auto folder = qEnvironmentVariable("LOOPSCOPE_PICTURES");
    if (folder.isEmpty())
        return;
    QDir().mkpath(folder);
    QTest::qWait(40); // the layout follows what was said last
    const bool dark = views::theme_of(of).kind == views::ThemeKind::Dark;
    of.grab().save(QStringLiteral("%1/%2-%3-%4.png")
                       .arg(folder, name, dark ? "dark" : "light")
                       .arg(of.width()));
}

void WindowTest::type(const QString& text) {
    auto* editor = script_editor(*window_)->findChild<QsciScintilla*>();
    ASSERT_TRUE(editor);
    window_->show_panel("script");
    LatencyRecorder::instance().begin("type in the script");
    editor->setFocus();
    editor->setCursorPosition(editor->lines() - 1, editor->lineLength(editor->lines() - 1));
    QTest::keyClicks(editor, text);
}

} // namespace loopscope::app::test
