// The explorer: loopscope [FILE] [-s SCHED] [--device NAME] [--param N=V] [--screenshot OUT.png].

#include "app/windows/main_window.h"
#include "app/windows/screenshot.h"
#include "compiler/measure/paths.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QFontDatabase>
#include <QIcon>
#include <QSettings>
#include <QTimer>

#include <cstdio>

using namespace loopscope;

namespace {

int bad(const QString& text) {
    std::fprintf(stderr, "error: %s\n", text.toUtf8().constData());
    return 2;
}

} // namespace

int main(int argc, char** argv) {
    // Without a display the window is still drawn, for --screenshot.
    bool screenshot = false;
    for (int i = 1; i < argc; ++i)
        screenshot = screenshot || std::string_view(argv[i]).substr(0, 12) == "--screenshot";
    if (screenshot && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    QApplication::setOrganizationName("loopscope");
    QApplication::setApplicationName("loopscope");
    QApplication::setApplicationVersion("0.1.0");
    QApplication::setDesktopFileName("loopscope");
    QApplication::setWindowIcon(
        QIcon(QString::fromStdString(measure::resource_folder() + "/icons/loopscope.svg")));

    QCommandLineParser parser;
    parser.setApplicationDescription("Explores the schedules of tensor and image pipelines.");
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument("file", "A .loop pipeline or a .loopscope document.", "[FILE]");
    QCommandLineOption schedule({"s", "schedule"}, "Opens the pipeline with this schedule.",
                                "SCHED");
    QCommandLineOption device("device", "The machine that estimates are made for.", "NAME", "host");
    QCommandLineOption param("param", "Sets a parameter of the pipeline; may be repeated.", "N=V");
    QCommandLineOption picture("screenshot", "Renders the window to a picture and exits.",
                               "OUT.png");
    QCommandLineOption size("size", "The window's size, as 1440x900.", "WxH");
    QCommandLineOption theme("theme", "light or dark.", "NAME");
    QCommandLineOption select("select", "Selects a node of the tree, as C/io.", "NODE");
    QCommandLineOption panel(
        "panel", "Brings a panel to the front: source, measurements, roofline, script.", "NAME");
    parser.addOptions({schedule, device, param, picture, size, theme, select, panel});
    parser.process(application);

    const auto kept =
        parser.isSet(picture) ? QString("light") : QSettings().value("theme", "light").toString();
    auto kind = parser.isSet(theme) ? parser.value(theme) : kept;
    if (kind != "light" && kind != "dark")
        return bad("the theme is light or dark, not " + kind);
    views::apply_theme(application,
                       kind == "dark" ? views::ThemeKind::Dark : views::ThemeKind::Light);
    if (QFontDatabase::families().isEmpty())
        return bad("there is no font on this system; install fonts-dejavu-core");

    session::OpenOptions options;
    options.schedule_file = parser.value(schedule).toStdString();
    options.device = parser.value(device).toStdString();
    for (const auto& text : parser.values(param)) {
        bool number = false;
        auto value = text.section('=', 1).toLongLong(&number);
        if (!number || text.section('=', 0, 0).isEmpty())
            return bad("--param needs NAME=INTEGER, not " + text);
        options.params[text.section('=', 0, 0).toStdString()] = value;
    }
    app::MainWindow window(parser.isSet(picture) ? app::MainWindow::Settings::Ignore
                                                 : app::MainWindow::Settings::Keep);
    if (parser.isSet(size)) {
        auto w = parser.value(size).section('x', 0, 0).toInt(),
             h = parser.value(size).section('x', 1).toInt();
        if (w < 320 || h < 240 || w > 16384 || h > 16384)
            return bad("--size needs WxH, as 1440x900");
        window.resize(w, h);
    }
    auto files = parser.positionalArguments();
    if (files.size() > 1)
        return bad("one file at a time");
    if (!files.isEmpty() && !window.open_path(files[0], options))
        return 2;
    if (parser.isSet(select)) {
        NodeId id;
        if (!NodeId::parse(parser.value(select).toStdString(), id))
            return bad("--select needs a node as `tree --json` names it");
        window.session().select(id);
    }
    if (parser.isSet(picture))
        return app::render_screenshot(window, parser.value(picture), parser.value(panel));
    window.show();
    return QApplication::exec();
}
