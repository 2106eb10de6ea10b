#include "app/windows/menus.h"

#include "app/session/estimates.h"
#include "app/session/expert_schedule.h"
#include "app/session/pinned_baseline.h"
#include "app/session/worker_tasks.h"
#include "app/windows/about.h"
#include "app/windows/export_dialog.h"
#include "app/windows/finder.h"
#include "app/windows/key_list.h"
#include "app/windows/panel.h"
#include "app/windows/panel_docks.h"
#include "app/windows/panel_layout.h"
#include "app/windows/preferences_dialog.h"
#include "app/windows/reports.h"
#include "app/windows/selecting.h"
#include "app/windows/services.h"
#include "views/style/text_metrics.h"
#include "views/widgets/picture.h"

#include <QActionGroup>
#include <QCoreApplication>
#include <QDockWidget>
#include <QMainWindow>
#include <QMenuBar>

namespace loopscope::app {

namespace {

using Keys = QList<QKeySequence>;

class Menus {
    Q_DECLARE_TR_FUNCTIONS(Menus)
public:
    explicit Menus(const MenuSubjects& in) : in_(in), services_(in.services) {}

    void make_file_menu();
    void make_edit_menu();
    void make_run_menu();
    void make_view_menu();
    void make_help_menu();
    ShownCommands shown = {};

private:
    QMenu& menu(const QString& title) { return *in_.window.menuBar()->addMenu(title); }
    QAction* add(QMenu& menu, Command command) {
        return services_.commands.add(menu, std::move(command));
    }
    std::function<bool()> while_open() const {
        return [&session = services_.session] { return session.is_open(); };
    }
    void add_panel_commands(QMenu& menu, PanelCommand::Menu of);
    void add_pictures(QMenu& menu, views::PictureUse use, const QString& tip);
    void add_presets(QMenu& menu);
    void add_themes(QMenu& menu);

    MenuSubjects in_;
    Services& services_;
};

void Menus::add_panel_commands(QMenu& menu, PanelCommand::Menu of) {
    for (auto* panel : in_.panels)
        for (auto& each : panel->commands())
            if (each.menu == of)
                add(menu, {each.text,
                           {},
                           each.tip,
                           each.run,
                           of == PanelCommand::File ? while_open() : nullptr});
}

void Menus::make_file_menu() {
    auto& file = menu(tr("&File"));
    auto& documents = services_.documents;
    add(file,
        {tr("&Open…"), Keys{QKeySequence::Open}, tr("Opens a pipeline, a schedule or a document"),
         [&documents] { documents.open_dialog(); }});
    auto* recent = file.addMenu(tr("Open &recent"));
    QObject::connect(recent, &QMenu::aboutToShow, recent, [recent, &services = services_] {
        services.recent.fill(*recent,
                             [&services](const QString& path) { services.documents.open(path); });
    });
    file.addSeparator();
    add(file, {tr("&Save"), Keys{QKeySequence::Save},
               tr("Saves the document; a saved one saves itself at every edit"),
               [&documents] { documents.save(); }, while_open()});
    add(file, {tr("Save &as…"), Keys{Qt::CTRL | Qt::SHIFT | Qt::Key_S},
               tr("Saves a copy and continues in it"), [&documents] { documents.save_as(); },
               while_open()});
    add(file, {tr("&Hand on…"),
               {},
               tr("Writes a copy for somebody else, with the devices that it is for"),
               [&documents] { documents.hand_on(); },
               while_open()});
    add(file, {tr("Save s&chedule as…"),
               {},
               tr("Writes the script as a .sched file"),
               [&documents] { documents.save_schedule(); },
               while_open()});
    add(file, {tr("Save &pipeline as…"),
               {},
               tr("Writes the pipeline as a .loop file"),
               [&documents] { documents.save_pipeline(); },
               while_open()});
    add_panel_commands(file, PanelCommand::File);
    add(file, {tr("&Export…"), Keys{Qt::CTRL | Qt::Key_E},
               tr("Writes C source, pseudo-loops, LLVM IR or the schedule to a file"),
               [&services = services_] { show_export_dialog(services); }, while_open()});
    add_pictures(*file.addMenu(tr("Save pic&ture")), views::PictureUse::Save,
                 tr("Saves the whole picture as SVG, PDF or PNG"));
    add_pictures(*file.addMenu(tr("Pri&nt")), views::PictureUse::Print,
                 tr("Prints the whole picture"));
    add(file, {tr("Repor&t…"),
               {},
               tr("Writes scripts, estimates, measurements and pictures as one page of HTML"),
               [&reports = in_.reports] { reports.ask(); },
               while_open()});
    file.addSeparator();
    add(file, {tr("&Close"), Keys{QKeySequence::Close}, tr("Goes back to the start page"),
               [&documents] { documents.close(); }, while_open()});
    add(file, {tr("&Quit"), Keys{QKeySequence::Quit}, tr("Ends the program; nothing is lost"),
               [&window = in_.window] { window.close(); }});
}

void Menus::add_pictures(QMenu& menu, views::PictureUse use, const QString& tip) {
    for (auto* panel : in_.panels)
        if (panel->pictured())
            add(menu, {panel->title() + QStringLiteral("…"),
                       {},
                       tip,
                       [panel, use] { panel->ask_for_picture(use); },
                       [panel, &session = services_.session] {
                           return session.is_open() && panel->is_of_device();
                       }});
}

// "Undo split C.k by 32", with its key in the tip.
std::function<void(QAction&)> named(const QString& verb, std::function<QString()> what) {
    return [verb, what = std::move(what)](QAction& action) {
        const auto step = what();
        action.setText(step.isEmpty() ? verb : verb + ' ' + step);
        action.setToolTip(action.text().remove('&') +
                          QStringLiteral(" (%1)").arg(views::key_text(action.shortcut())));
    };
}

void Menus::make_edit_menu() {
    auto& edit = menu(tr("&Edit"));
    auto& session = services_.session;
    auto& editing = services_.editing;
    shown.undo =
        add(edit, {tr("&Undo"), Keys{QKeySequence::Undo},
                   tr("Goes back by one step; nothing is discarded"),
                   [&editing] { editing.undo(); }, [&session] { return session.can_undo(); },
                   named(tr("&Undo"), [&session] { return session.undo_text(); })});
    shown.redo =
        add(edit, {tr("&Redo"), Keys{Qt::CTRL | Qt::Key_Y, Qt::CTRL | Qt::SHIFT | Qt::Key_Z},
                   tr("Goes forward again"), [&session] { session.redo(); },
                   [&session] { return session.can_redo(); },
                   named(tr("&Redo"), [&session] { return session.redo_text(); })});
    edit.addSeparator();
    add(edit, {tr("Take the e&xpert schedule"),
               {},
               tr("The shipped schedule for this pipeline and device takes the place of yours, as "
                  "a step that can be undone"),
               [&editing] { editing.take_expert(); },
               [&session] { return session.expert().now() != nullptr; }});
    add(edit, {tr("Select by &name…"), Keys{Qt::CTRL | Qt::SHIFT | Qt::Key_N},
               tr("Selects stages by a pattern, blur_*, or their loops, blur_*.y: a directive is "
                  "then for all of them"),
               [&services = services_] { select_by_name(services); }, while_open()});
    add(edit, {tr("Select all &like this one"), Keys{Qt::CTRL | Qt::SHIFT | Qt::Key_A},
               tr("Loops that run as this one does, of its name or with as many iterations; stages "
                  "made as this one, at such a place, in the same memory"),
               [&services = services_] { select_alike(services); }, while_open()});
    edit.addSeparator();
    add(edit, {tr("Remove &directive…"), Keys{Qt::CTRL | Qt::Key_Backspace},
               tr("Removes a directive that speaks of the selection"),
               [&editing] { editing.remove_selected_line(); }, while_open()});
    add(edit, {tr("Write out a reci&pe"),
               {},
               tr("Puts the lines that a recipe, such as tensor_core(), stands for in its "
                  "place"),
               [&editing] { editing.write_recipe_out(); },
               [&session] {
                   return !session.has_draft() &&
                          !session::recipe_lines(session.schedule()).empty();
               }});
    add(edit, {tr("&Find"), Keys{QKeySequence::Find},
               tr("Searches the panel or the list that has the keyboard"),
               [&finder = in_.finder] { finder.find_in_panel(); }});
    add(edit, {tr("Find &anything…"), Keys{Qt::Key_Slash},
               tr("Searches stages, loops, directives and panels by name"),
               [&finder = in_.finder] { finder.find_anything(); }});
    edit.addSeparator();
    add(edit, {tr("Pre&ferences…"), Keys{Qt::CTRL | Qt::Key_Comma},
               tr("Sizes of type, theme, units and how long a measurement takes"),
               [&services = services_] { show_preferences(services); }});
}

void Menus::make_run_menu() {
    auto& run = menu(tr("&Run"));
    auto& runs = services_.runs;
    auto& session = services_.session;
    shown.measure = add(run, {tr("&Measure"), Keys{Qt::Key_Space},
                              tr("Compiles the schedule and times it in a worker process"),
                              [&runs] { runs.measure(); }, [&runs] { return runs.can_measure(); },
                              [&runs](QAction& action) { action.setToolTip(runs.measure_tip()); }});
    shown.check = add(run, {tr("&Check"), Keys{Qt::CTRL | Qt::Key_K},
                            tr("Compares the compiled schedule with the reference interpreter"),
                            [&runs] { runs.check(); }, [&runs] { return runs.can_check(); }});
    add(run,
        {tr("Look for &hazards"),
         {},
         tr("Runs the kernels of a GPU schedule in an interpreter, which reports races and reads "
            "of what nobody wrote"),
         [&runs] { runs.check_in_interpreter(); },
         [&runs] { return runs.can_check_in_interpreter(); }});
    shown.cancel =
        add(run, {tr("C&ancel"), Keys{Qt::Key_Escape}, tr("Stops what the worker does"),
                  [&runs] { runs.cancel(); }, [&session] { return session.tasks().busy(); }});
    add(run,
        {tr("Empty the &L2 cache before each run"),
         {},
         tr("Of measurements on a GPU: what one run leaves in the cache does not serve the next"),
         [&runs, &session] { runs.set_cold(!session.tasks().cold()); },
         [&runs] { return runs.can_empty_cache(); },
         [&session](QAction& action) {
             action.setCheckable(true);
             action.setChecked(session.tasks().cold());
         }});
    run.addSeparator();
    shown.pin = add(run, {tr("&Pin baseline"), Keys{Qt::CTRL | Qt::Key_B},
                          tr("Shows every number against the present schedule from now on"),
                          [&session] { session.baseline().pin(); },
                          [&session] {
                              const auto estimate = session.estimates().now();
                              return session.is_open() && estimate && estimate->seconds;
                          }});
    add(run, {tr("&Unpin baseline"),
              {},
              tr("Shows plain numbers again"),
              [&session] { session.baseline().clear(); },
              [&session] { return session.baseline().tree() != nullptr; }});
    add(run, {tr("C&ompare with baseline"), Keys{Qt::CTRL | Qt::SHIFT | Qt::Key_B},
              tr("Shows numbers, directives and loops beside the pinned schedule's"),
              [&parts = services_.parts] { parts.show_panel(QStringLiteral("compare")); },
              while_open()});
    add(run, {tr("Compare with the e&xpert schedule"),
              {},
              tr("Shows the shipped schedule for this pipeline and device beside yours"),
              [&comparisons = services_.comparisons] { comparisons.compare_with_expert(); },
              [&session] { return session.expert().now() != nullptr; }});
    add(run, {tr("Compare t&wo schedules…"), Keys{Qt::CTRL | Qt::SHIFT | Qt::Key_D},
              tr("Shows scripts, trees and numbers of any two schedules side by side"),
              [&comparisons = services_.comparisons] { comparisons.compare_two(); }, while_open()});
    run.addSeparator();
    add(run, {tr("Measure this machine's p&eaks"),
              {},
              tr("Measures FLOP/s and bandwidths anew; takes up to half a minute"),
              [&runs] { runs.probe_host(); }});
    add(run,
        {tr("Measure the &GPU's peaks"),
         {},
         tr("Measures FLOP/s and bandwidths of the GPU, attached, remote or OpenCL's; takes up "
            "to half a minute"),
         [&runs] { runs.probe_gpu(); },
         [&runs] { return runs.can_probe_gpu(); }});
}

void Menus::make_view_menu() {
    auto& view = menu(tr("&View"));
    for (const auto& each : in_.docks.all())
        view.addAction(each.dock->toggleViewAction());
    view.addSeparator();
    add_panel_commands(view, PanelCommand::View);
    add(view, {tr("&Arrange the panels"),
               {},
               tr("Puts every panel back in its place"),
               [&layout = in_.layout] { layout.arrange(); },
               while_open()});
    add_presets(*view.addMenu(tr("La&yout")));
    view.addSeparator();
    add_themes(view);
}

void Menus::add_presets(QMenu& menu) {
    auto* group = new QActionGroup(&menu);
    const std::tuple<Preset, QString, QString> presets[] = {
        {Preset::Explore, tr("&Explore"), tr("Every panel, each at its place")},
        {Preset::Teach, tr("&Teach"), tr("Large type and few panels, for a lecture or a lesson")},
        {Preset::Tune, tr("T&une"), tr("Measurements, history and comparison in front")}};
    for (const auto& [preset, text, tip] : presets) {
        auto* action = add(menu, {text,
                                  {},
                                  tip,
                                  [set = in_.set_preset, preset = preset] { set(preset); },
                                  {},
                                  [&layout = in_.layout, preset = preset](QAction& each) {
                                      each.setChecked(layout.preset() == preset);
                                  }});
        action->setCheckable(true);
        group->addAction(action);
    }
}

void Menus::add_themes(QMenu& menu) {
    auto* group = new QActionGroup(&menu);
    auto& preferences = services_.preferences;
    const std::tuple<ThemeChoice, QString, QString> choices[] = {
        {ThemeChoice::Light, tr("&Light theme"), tr("Dark text on light surfaces")},
        {ThemeChoice::Dark, tr("&Dark theme"), tr("Light text on dark surfaces")},
        {ThemeChoice::System, tr("The s&ystem's theme"), tr("Follows what the desktop has")}};
    for (const auto& [choice, text, tip] : choices) {
        auto* action = add(menu, {text, {}, tip, [&preferences, choice = choice] {
                                      auto values = preferences.now();
                                      values.theme = choice;
                                      preferences.set(values);
                                  }});
        action->setCheckable(true);
        group->addAction(action);
        QObject::connect(&menu, &QMenu::aboutToShow, action,
                         [action, &preferences, choice = choice] {
                             action->setChecked(preferences.now().theme == choice);
                         });
    }
}

void Menus::make_help_menu() {
    auto& menu = this->menu(tr("&Help"));
    auto& help = services_.help;
    auto page = [&help](const char* name) {
        return [&help, name] { help.show({QString::fromLatin1(name), {}}); };
    };
    add(menu, {tr("&Commands…"), Keys{Qt::CTRL | Qt::SHIFT | Qt::Key_P}, tr("Searches all actions"),
               [&finder = in_.finder] { finder.show_commands(); }});
    add(menu,
        {tr("&Help on this"), Keys{QKeySequence::HelpContents},
         tr("Opens the help at what is selected"), [&finder = in_.finder] { finder.show_help(); }});
    add(menu, {tr("&Tutorial"),
               {},
               tr("From a slow kernel to a fast one, step by step"),
               page("tutorial")});
    add(menu, {tr("&Pipeline language"), {}, tr("What a pipeline can say"), page("pipelines")});
    add(menu,
        {tr("&Schedule language"), {}, tr("Every directive, with examples"), page("schedules")});
    add(menu, {tr("&Keys"), Keys{Qt::SHIFT | Qt::Key_F1}, tr("Lists the keys"),
               [&window = in_.window] { show_key_list(window); }});
    menu.addSeparator();
    add(menu, {tr("&About Loopscope"),
               {},
               tr("Version, licence, and the versions of the libraries"),
               [&window = in_.window] { show_about(window); }});
}

} // namespace

ShownCommands make_menus(const MenuSubjects& subjects) {
    Menus menus(subjects);
    menus.make_file_menu();
    menus.make_edit_menu();
    subjects.window.menuBar()->addMenu(&subjects.services.parts.schedule_menu);
    menus.make_run_menu();
    menus.make_view_menu();
    menus.make_help_menu();
    return menus.shown;
}

} // namespace loopscope::app
