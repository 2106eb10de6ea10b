#pragma once
// The application under the benchmarks of the window: it knows when something was last painted, and
// for how long an event kept the window from answering. A test's way to wait (QTest::qWait) sleeps
// in between, so nothing here uses it.

#include <QApplication>

#include <functional>

namespace loopscope::bench {

// Three clocks, in milliseconds: the wall's; the processor time of the window's thread; that of all
// threads of the process, which is what one core that does nothing else would take.
struct Clocks {
    double wall = 0, thread = 0, process = 0;
    static Clocks now();
    Clocks since(const Clocks& start) const;
};

class TimedApplication : public QApplication {
public:
    using QApplication::QApplication;
    static TimedApplication& instance();
    bool notify(QObject* receiver, QEvent* event) override;

    // At the end of the last event in which a widget was painted.
    const Clocks& painted() const { return painted_; }
    // The longest that an event kept this thread busy, in milliseconds of its processor time, since
    // it was asked last.
    double longest_event();

    // Handles events until none is left that can be handled at once.
    void drain();
    // Handles events until `holds` and none is left. False: it did not within two minutes.
    bool drain_until(const std::function<bool()>& holds);

private:
    int depth_ = 0;
    bool paints_ = false; // something was painted in the event that is handled
    Clocks painted_;
    double longest_ = 0;
};

} // namespace loopscope::bench
