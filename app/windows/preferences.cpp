#include "app/windows/preferences.h"

#include "app/windows/translations.h"

#include <QApplication>

#include <algorithm>

namespace loopscope::app {

namespace {

const QString kTextPoints = QStringLiteral("text/points");
const QString kCodePoints = QStringLiteral("code/points");
const QString kTheme = QStringLiteral("theme");
const QString kLanguage = QStringLiteral("language");
const QString kTimes = QStringLiteral("units/times");
const QString kMemory = QStringLiteral("units/memory");
const QString kSeconds = QStringLiteral("measure/seconds");

// In the order of what they name.
const QStringList kThemes{"system", "light", "dark"};
const QStringList kTimeUnits{"automatic", "ms", "us"};
const QStringList kMemoryUnits{"usual", "decimal", "binary"};

template <typename Choice> QString name_of(const QStringList& names, Choice choice) {
    return names[static_cast<int>(choice)];
}

int bounded_points(int points) {
    return points == 0 ? 0 : std::clamp(points, kLeastPoints, kMostPoints);
}

} // namespace

// The settings are a file that anybody may have written in.
struct Preferences::Reader {
    const PersonSettings& settings;
    QStringList& faults;

    void fault(const QString& key, const QString& said, const QString& right) const {
        faults << tr("%1 is \"%2\": it may be %3").arg(key, said.left(40), right);
    }

    template <typename Choice>
    void choice(const QString& key, const QStringList& names, Choice& into) const {
        const auto said = settings.value(key);
        if (!said.isValid())
            return;
        if (const auto found = names.indexOf(said.toString()); found >= 0)
            into = static_cast<Choice>(found);
        else
            fault(key, said.toString(), names.join(QStringLiteral(", ")));
    }

    void language(QString& into) const {
        const auto said = settings.value(kLanguage).toString();
        if (said.isEmpty())
            return;
        QStringList right;
        for (const auto& language : languages())
            right << language.code;
        if (right.contains(said))
            into = said;
        else
            fault(kLanguage, said, right.join(QStringLiteral(", ")));
    }

    // `accepts` is asked for a number alone, which may be none that is finite.
    template <typename Number, typename Accepts>
    void number(const QString& key, const QString& right, Number& into, Accepts accepts) const {
        const auto said = settings.value(key);
        if (!said.isValid())
            return;
        bool is_number = false;
        const double value = said.toString().toDouble(&is_number);
        if (is_number && accepts(value))
            into = static_cast<Number>(value);
        else
            fault(key, said.toString(), right);
    }

    void points(const QString& key, int& into) const {
        number(key, tr("0, or from %1 to %2").arg(kLeastPoints).arg(kMostPoints), into,
               [](double value) {
                   return value == 0 || (value >= kLeastPoints && value <= kMostPoints);
               });
    }
};

Preferences::Preferences(const PersonSettings& settings)
    : settings_(settings), system_([] { return views::system_theme(*qApp); }) {
    const Reader read{settings, faults_};
    read.points(kTextPoints, now_.text_points);
    read.points(kCodePoints, now_.code_points);
    read.choice(kTheme, kThemes, now_.theme);
    read.language(now_.language);
    read.choice(kTimes, kTimeUnits, now_.units.times);
    read.choice(kMemory, kMemoryUnits, now_.units.memory);
    read.number(kSeconds, tr("from %1 to %2").arg(kLeastSeconds).arg(kMostSeconds),
                now_.measure_seconds,
                [](double value) { return value >= kLeastSeconds && value <= kMostSeconds; });
}

void Preferences::set(PreferenceValues values) {
    values.text_points = bounded_points(values.text_points);
    values.code_points = bounded_points(values.code_points);
    values.measure_seconds = std::clamp(values.measure_seconds, kLeastSeconds, kMostSeconds);
    if (values == now_ && faults_.isEmpty())
        return;
    now_ = values;
    faults_.clear();
    settings_.set(kTextPoints, now_.text_points);
    settings_.set(kCodePoints, now_.code_points);
    settings_.set(kTheme, name_of(kThemes, now_.theme));
    settings_.set(kLanguage, now_.language);
    settings_.set(kTimes, name_of(kTimeUnits, now_.units.times));
    settings_.set(kMemory, name_of(kMemoryUnits, now_.units.memory));
    settings_.set(kSeconds, now_.measure_seconds);
    emit changed();
}

views::ThemeKind Preferences::theme() const {
    switch (now_.theme) {
    case ThemeChoice::Light: return views::ThemeKind::Light;
    case ThemeChoice::Dark: return views::ThemeKind::Dark;
    case ThemeChoice::System: break;
    }
    return system_();
}

} // namespace loopscope::app
