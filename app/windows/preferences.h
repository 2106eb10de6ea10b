#pragma once
// What a person prefers: sizes of type, theme, language, units, how long a measurement takes. Each
// preference has its default and its bounds here, and its name in the settings; what else is kept
// there, such as places of panels, is not asked for (person_settings.h).

#include "app/windows/person_settings.h"
#include "views/style/number_format.h"
#include "views/style/theme.h"

#include <QObject>
#include <QStringList>

#include <functional>

namespace loopscope::app {

enum class ThemeChoice { System, Light, Dark };

struct PreferenceValues { // as a new person has them
    int text_points = 0;  // 0: as the system has it
    int code_points = 0;  // 0: a little smaller than the text
    ThemeChoice theme = ThemeChoice::Light;
    QString language = {}; // the code of one; empty: the system's. Holds from the next start
    views::Units units = {};
    double measure_seconds = 2; // of each measurement, warm or cold
    bool operator==(const PreferenceValues&) const = default;
};

// What may be set beside 0. In larger type dialogs would not fit a small screen.
constexpr int kLeastPoints = 7, kMostPoints = 18;
constexpr double kLeastSeconds = 0.1, kMostSeconds = 60;

class Preferences : public QObject {
    Q_OBJECT
public:
    explicit Preferences(const PersonSettings& settings);

    const PreferenceValues& now() const { return now_; }
    // Keeps them; what is out of bounds becomes the nearest that is not.
    void set(PreferenceValues values);
    // What the settings say that cannot be used, a line each: the default stands in its place.
    const QStringList& faults() const { return faults_; }

    views::ThemeKind theme() const; // that is chosen, or the system's
    // Whom to ask for the system's theme.
    void set_system(std::function<views::ThemeKind()> ask) { system_ = std::move(ask); }

signals:
    void changed();

private:
    struct Reader;

    const PersonSettings& settings_;
    PreferenceValues now_;
    QStringList faults_;
    std::function<views::ThemeKind()> system_;
};

} // namespace loopscope::app
