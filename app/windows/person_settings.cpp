#include "app/windows/person_settings.h"

#include <QSettings>

namespace loopscope::app {

QVariant PersonSettings::value(const QString& key, const QVariant& otherwise) const {
    return kept() ? QSettings().value(key, otherwise) : otherwise;
}

void PersonSettings::set(const QString& key, const QVariant& value) const {
    if (kept())
        QSettings().setValue(key, value);
}

} // namespace loopscope::app
