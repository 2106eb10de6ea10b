#pragma once
// What the window does, a class for each subject: made once, in this order, and handed to panels
// and menus. None knows the window, nor a panel.

#include "app/session/session.h"
#include "app/windows/changed_files.h"
#include "app/windows/commands.h"
#include "app/windows/comparisons.h"
#include "app/windows/documents.h"
#include "app/windows/editing.h"
#include "app/windows/file_dialogs.h"
#include "app/windows/help_window.h"
#include "app/windows/measured_times.h"
#include "app/windows/messages.h"
#include "app/windows/person_settings.h"
#include "app/windows/pictures.h"
#include "app/windows/preferences.h"
#include "app/windows/recent_files.h"
#include "app/windows/runs.h"
#include "app/windows/stage_gestures.h"

#include <functional>
#include <memory>
#include <string>

class QMenu;
class QStatusBar;
class QTemporaryDir;
class QWidget;

namespace loopscope::app {

class NoticeBar;

// The widgets that services speak through.
struct WindowParts {
    QWidget& window; // whose dialogs ask
    NoticeBar& notice;
    QStatusBar& status;
    QMenu& schedule_menu;                              // which the tree fills
    std::function<void(const QString& id)> show_panel; // brings it to the front
    std::function<void()> take_keyboard; // to the tree or, while nothing is open, to the start page
};

struct Services {
    // `use`: whether the person's settings and their folder of documents are used.
    Services(const WindowParts& parts, PersonSettings::Use use);
    ~Services();

    WindowParts parts;
    PersonSettings settings;
    Preferences preferences;
    std::unique_ptr<QTemporaryDir> scratch; // nobody's work: what is only drawn is not kept
    session::Session session;
    Messages messages;
    Editing editing;
    FileDialogs files;
    RecentFiles recent;
    Documents documents;
    ChangedFiles changed_files;
    Pictures pictures;
    Runs runs;
    MeasuredTimes measured;
    Comparisons comparisons;
    HelpWindow help;
    StageGestures gestures;
    Commands commands;
};

} // namespace loopscope::app
