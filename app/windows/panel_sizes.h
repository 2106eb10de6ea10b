#pragma once
// The sizes that a person gave the panels, as shares of the room for them. Qt takes from whichever
// panel has room when the window is made smaller and does not give it back; by their shares all
// shrink alike, and come back as they were.

#include <QMap>
#include <QSizeF>
#include <QString>
#include <QVariant>

class QMainWindow;

namespace loopscope::app {

class PanelSizes {
public:
    explicit PanelSizes(QMainWindow& window) : window_(window) {}

    bool known() const { return !shares_.isEmpty(); }
    void forget(); // the panels are arranged anew
    // Takes the sizes that changed since they were last given or taken for what the person wants
    // now.
    void take();
    // The same, if panels came, went or moved: other changes are not the person's.
    void take_if_rearranged();
    void give(); // every panel its share of the present window

    QVariant kept() const; // for the settings
    void restore(const QVariant& kept);

private:
    QSize room() const; // of the panels and what stands between them
    QMap<QString, QSize> laid_out() const;
    QString arrangement() const;

    QMainWindow& window_;
    QMap<QString, QSizeF> shares_; // of the room, by the panel's name
    QMap<QString, QSize> last_;    // in pixels, as last given or taken
    QString arrangement_;          // then
};

} // namespace loopscope::app
