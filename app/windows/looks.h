#pragma once
// How all of the application looks, as the person prefers it: its theme, its type and the units of
// its numbers.

#include <QFont>
#include <QObject>

namespace loopscope::app {

class Preferences;

class Looks : public QObject {
    Q_OBJECT
public:
    explicit Looks(const Preferences& preferences);
    ~Looks() override; // type and units are those of before

    void begin(); // takes what is preferred; but not the theme, which was there before the window
    void set_large_type(bool large); // to be read from the back of a room
    void wear_theme();               // the preferred one
    void system_changed();           // its theme, perhaps

signals:
    void unitsChanged();

private:
    void take_preferences();
    void take_type();
    void tell_of_code();
    void take_units();

    const Preferences& preferences_;
    QFont system_font_; // as it was when the program started
    bool large_ = false;
    QFont text_;
    double code_points_ = 0;
};

} // namespace loopscope::app
