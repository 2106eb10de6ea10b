#include "app/windows/services.h"

#include <QTemporaryDir>

namespace loopscope::app {

Services::Services(const WindowParts& in, PersonSettings::Use use)
    : parts(in),
      settings(use),
      preferences(settings),
      scratch(settings.kept() ? nullptr : std::make_unique<QTemporaryDir>()),
      session(nullptr, scratch ? scratch->path().toStdString() : std::string()),
      messages(parts.notice, parts.status),
      editing(session, parts.notice, parts.window),
      files(parts.window, session, editing, messages, settings),
      recent(session, settings),
      documents(session, editing, files, recent, messages, parts.notice, settings, parts.window),
      changed_files(session, editing, parts.notice),
      pictures(parts.window, session, editing, files, messages),
      runs(session, editing, settings, preferences),
      measured(session),
      comparisons(session, editing, files, documents, settings, parts.window),
      help(parts.window, messages) {
    QObject::connect(&session, &session::Session::message, &editing,
                     [this](const QString& text, bool is_error) { messages.say(text, is_error); });
}

Services::~Services() = default;

} // namespace loopscope::app
