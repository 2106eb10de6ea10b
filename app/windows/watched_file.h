#pragma once
// A text file that other programs may write, watched: what they made of it is told once it is
// still.

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QTimer>

#include <optional>
#include <string>

namespace loopscope::app {

class WatchedFile : public QObject {
    Q_OBJECT
public:
    WatchedFile();

    // What it has now is known. Empty, or nothing that can be read: none is watched.
    void follow(const std::string& path);
    const std::string& path() const { return path_; }
    QString name() const; // without its folder

signals:
    void changed(const std::string& text); // another one than was known
    void lost(const QString& why);         // it is gone, or nothing that a text could be read from

private:
    struct State {
        std::string text, problem; // a problem: there is no text
        bool operator==(const State&) const = default;
    };
    State read() const;
    void watch();
    void look();

    QFileSystemWatcher watcher_;
    QTimer pause_;
    std::string path_, known_;     // the text that it had last
    State last_;                   // that was told
    std::optional<State> awaited_; // seen at the last look: told if the next one sees it, too
};

} // namespace loopscope::app
