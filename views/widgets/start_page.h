#pragma once
// Shown while no document is open: the bundled programs with a sentence each, and recent files.

#include <QDateTime>
#include <QWidget>

#include <vector>

class QScrollArea;

namespace loopscope::views {

struct ProgramEntry {
    QString name;        // "harris"
    QString description; // one line
    QString path;
};

struct RecentEntry {
    QString path;
    QDateTime when;
    QString name = {};   // shown instead of the file's name; may be empty
    QString detail = {}; // shown instead of its folder; may be empty
};

class StartPage : public QWidget {
    Q_OBJECT
public:
    explicit StartPage(QWidget* parent = nullptr);
    void set_programs(const std::vector<ProgramEntry>& programs);
    void set_recent(const std::vector<RecentEntry>& recent);

signals:
    void openRequested(const QString& path);
    void openFileRequested(); // a file dialog

protected:
    void changeEvent(QEvent* event) override;

private:
    void rebuild();
    std::vector<ProgramEntry> programs_;
    std::vector<RecentEntry> recent_;
    QScrollArea* area_;
};

// The first sentence of the comment at the top of a `.loop` text: the description of a bundled
// program.
QString first_sentence(const QString& loop_text);

} // namespace loopscope::views
