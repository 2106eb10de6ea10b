// The explorer: loopscope [FILE] [-s SCHED] [--device NAME] [--param N=V] [--screenshot OUT.png
// [--panel NAME]] [--report OUT.html] [--hand-on OUT.loopscope].

#include "app/windows/kept_memory.h"
#include "app/windows/main_window.h"
#include "app/windows/panels.h"
#include "app/windows/preferences.h"
#include "app/windows/screenshot.h"
#include "app/windows/translations.h"
#include "compiler/protocol/paths.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QFontDatabase>
#include <QIcon>
#include <QTimer>

#include <algorithm>
#include <clocale>
#include <cstdio>

using namespace loopscope;

namespace {

int bad(const QString& text) {
    std::fprintf(stderr, "error: %s\n", text.toUtf8().constData());
    return 2;
}

// What must be known before there is an application: whether a picture is wanted, and the scale.
// Both forms of an option are read, "--scale 2" and "--scale=2". Empty: the option is not there.
std::string_view early_option(int argc, char** argv, std::string_view name) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == name)
            return i + 1 < argc ? argv[i + 1] : " ";
        if (word.substr(0, name.size() + 1) == std::string(name) + "=")
            return word.substr(name.size() + 1);
    }
    return {};
}

// Whether only words are asked for, of which no window is made.
bool asks_for_words(int argc, char** argv) {
    for (const char* name : {"-h", "--help", "--help-all", "-v", "--version"})
        if (!early_option(argc, argv, name).empty())
            return true;
    return false;
}

// One that Qt finds by itself, or that it was told of.
bool has_display(int argc, char** argv) {
    for (const char* name : {"-platform", "--platform", "-display", "--display"})
        if (!early_option(argc, argv, name).empty())
            return true;
    for (const char* name : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"})
        if (!qEnvironmentVariableIsEmpty(name))
            return true;
    return false;
}

// False: the scale is none.
bool set_scale(std::string_view text) {
    bool number = false;
    const auto scale =
        QByteArray(text.data(), static_cast<qsizetype>(text.size())).toDouble(&number);
    if (!number || !(scale >= 0.5 && scale <= 4))
        return false;
    qputenv("QT_SCALE_FACTOR", QByteArray::number(scale));
    return true;
}

// What was written where Qt gives `text`: a file's name may be no text at all. Also within
// "--schedule=NAME" and "-sNAME".
std::string bytes_of(const QString& text, int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view written = argv[i];
        for (const auto skipped : {std::size_t(0), std::size_t(2), written.find('=') + 1}) {
            const auto part = written.substr(std::min(skipped, written.size()));
            if (QString::fromLocal8Bit(part.data(), static_cast<qsizetype>(part.size())) == text)
                return std::string(part);
        }
    }
    return text.toStdString();
}

QStringList language_codes() {
    QStringList out;
    for (const auto& language : app::languages())
        out << language.code;
    return out;
}

// What is asked for; else what the person prefers, and in a picture or a report English.
QString chosen_language(const QString& asked, bool alone) {
    if (!asked.isEmpty() || alone)
        return asked.isEmpty() ? QStringLiteral("en") : asked;
    const app::PersonSettings settings(app::PersonSettings::Use::Keep);
    return app::Preferences(settings).now().language;
}

} // namespace

int main(int argc, char** argv) {
    // Without a display the window is still drawn, for --screenshot and --report.
    const bool draws = !early_option(argc, argv, "--screenshot").empty() ||
                       !early_option(argc, argv, "--report").empty() ||
                       !early_option(argc, argv, "--hand-on").empty();
    if ((draws || asks_for_words(argc, argv)) && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!has_display(argc, argv))
        return bad("there is no display for a window; --screenshot OUT.png draws it into a "
                   "picture, and loopscope-cli does the same work in the terminal");
    if (const auto scale = early_option(argc, argv, "--scale"); !scale.empty() && !set_scale(scale))
        return bad("--scale needs a number from 0.5 to 4, as --scale 2");
    app::keep_memory();
    QApplication application(argc, argv);
    // Qt takes the person's locale. Numbers are written with a point by what we use, such as
    // Graphviz, which would set and reset this while other threads print.
    std::setlocale(LC_NUMERIC, "C");
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
    QCommandLineOption device(
        "device",
        "The machine that estimates are made for: a device's name, or the "
        "path of its JSON file; without it the schedule's target, else this "
        "machine. Without a file it is for the pipeline that is opened first.",
        "NAME");
    QCommandLineOption param("param", "Sets a parameter of the pipeline; may be repeated.", "N=V");
    QCommandLineOption picture("screenshot", "Renders the window to a picture and exits.",
                               "OUT.png");
    QCommandLineOption report("report",
                              "Writes scripts, estimates, measurements and pictures of the file "
                              "as one page of HTML, and exits.",
                              "OUT.html");
    QCommandLineOption hand_on("hand-on",
                               "Writes the file as a document for somebody else, with the devices "
                               "that it is for, and exits.",
                               "OUT.loopscope");
    QCommandLineOption size("size", "The window's size, as 1440x900.", "WxH");
    QCommandLineOption theme("theme", "light or dark.", "NAME");
    QCommandLineOption language(
        "language", "The language of the window: " + language_codes().join(", ") + ".", "CODE");
    QCommandLineOption select("select", "Selects a node of the tree, as C/io.", "NODE");
    QCommandLineOption panel(
        "panel", "Brings a panel to the front: " + app::panel_names().join(", ") + ".", "NAME");
    QCommandLineOption only_panel("only-panel", "The picture shows the panel alone.");
    QCommandLineOption scale("scale", "Everything is drawn N times as large, as on a fine screen.",
                             "N");
    QCommandLineOption baseline("baseline", "Pins this schedule as the baseline to compare with.",
                                "SCHED");
    QCommandLineOption layout("layout", "explore, teach or tune.", "NAME");
    parser.addOptions({schedule, device, param, picture, report, hand_on, size, theme, language,
                       select, panel, only_panel, scale, baseline, layout});
    parser.process(application);

    const bool alone = parser.isSet(picture) || parser.isSet(report) ||
                       parser.isSet(hand_on); // nobody is at the window
    const QStringList themes{"light", "dark"};
    if (parser.isSet(theme) && !themes.contains(parser.value(theme)))
        return bad("the theme is light or dark, not " + parser.value(theme));
    if (parser.isSet(language) && !language_codes().contains(parser.value(language)))
        return bad("the language is " + language_codes().join(", ") + ", not " +
                   parser.value(language));
    if (const auto status = app::speak(chosen_language(parser.value(language), alone)); !status)
        std::fprintf(stderr, "%s", format(status.errors()).c_str());
    if (parser.isSet(theme) || alone) {
        views::apply_theme(application, parser.value(theme) == "dark" ? views::ThemeKind::Dark
                                                                      : views::ThemeKind::Light);
    } else {
        const app::PersonSettings settings(app::PersonSettings::Use::Keep);
        views::apply_theme(application, app::Preferences(settings).theme());
    }
    if (QFontDatabase::families().isEmpty())
        return bad("there is no font on this system; install fonts-dejavu-core");

    session::OpenOptions options;
    options.schedule_file = bytes_of(parser.value(schedule), argc, argv);
    options.device = parser.value(device).toStdString();
    options.on_a_copy = alone; // a picture or a report changes nothing of what it is of
    for (const auto& text : parser.values(param)) {
        bool number = false;
        auto value = text.section('=', 1).toLongLong(&number);
        if (!number || text.section('=', 0, 0).isEmpty())
            return bad("--param needs NAME=INTEGER, not " + text);
        options.params[text.section('=', 0, 0).toStdString()] = value;
    }
    app::MainWindow window(alone ? app::MainWindow::Settings::Ignore
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
    if (parser.isSet(layout)) {
        const QStringList names{"explore", "teach", "tune"};
        const auto preset = names.indexOf(parser.value(layout));
        if (preset < 0)
            return bad("the layout is explore, teach or tune, not " + parser.value(layout));
        window.set_preset(static_cast<app::MainWindow::Preset>(preset));
    }
    if (files.isEmpty() && (parser.isSet(schedule) || parser.isSet(param)))
        return bad("--schedule and --param need a file");
    if (files.isEmpty() && parser.isSet(device))
        if (auto status = window.session().set_device(options.device); !status)
            return bad(QString::fromStdString(status.errors().front().message));
    if (!files.isEmpty() && !window.open_path(bytes_of(files[0], argc, argv), options))
        return 2;
    if (parser.isSet(baseline) &&
        (files.isEmpty() || !app::compare_schedules(window, parser.value(baseline), options)))
        return files.isEmpty() ? bad("--baseline needs a file") : 2;
    if (parser.isSet(select)) {
        NodeId id;
        if (!NodeId::parse(parser.value(select).toStdString(), id))
            return bad("--select needs a node as `tree --json` names it");
        if (!window.session().tree() || !window.session().tree()->find(id))
            return bad("--select: there is no node " + parser.value(select) +
                       " in the tree; `loopscope-cli tree --json` names them");
        window.session().select(id);
    }
    if (parser.isSet(only_panel) && (!parser.isSet(picture) || !parser.isSet(panel)))
        return bad("--only-panel needs --screenshot OUT.png and --panel NAME");
    if (parser.isSet(picture) + parser.isSet(report) + parser.isSet(hand_on) > 1)
        return bad("--screenshot, --report and --hand-on are for one run each");
    if ((parser.isSet(report) || parser.isSet(hand_on)) && files.isEmpty())
        return bad(parser.isSet(report) ? "--report needs a file" : "--hand-on needs a file");
    if (parser.isSet(hand_on)) {
        const auto status = window.session().hand_on(bytes_of(parser.value(hand_on), argc, argv));
        return status ? 0 : bad(QString::fromStdString(status.errors().front().message));
    }
    if (parser.isSet(report))
        return app::write_report(window, parser.value(report));
    if (parser.isSet(picture))
        return app::render_screenshot(
            window, {parser.value(picture), parser.value(panel), parser.isSet(only_panel)});
    if (parser.isSet(panel) && !window.show_panel(parser.value(panel)))
        return bad("there is no panel " + parser.value(panel) + " now");
    window.show();
    return QApplication::exec();
}
