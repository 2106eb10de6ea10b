#pragma once
// Shown while no document is open: the tutorial, the bundled programs by group with a field that
// narrows them, and recent files below, in a part of their own.

#include "views/models/program_list.h"

#include <QDateTime>
#include <QWidget>

#include <vector>

class QLabel;
class QLineEdit;
class QStackedWidget;

namespace loopscope::views {

class EmptyState;
class LinkList;

struct RecentEntry {
    QString path;
    QDateTime when;
    QString name = {};   // shown instead of the file's name; may be empty
    QString detail = {}; // shown instead of its folder; may be empty
    bool operator==(const RecentEntry&) const = default;
};

class StartPage : public QWidget {
    Q_OBJECT
public:
    explicit StartPage(QWidget* parent = nullptr);
    // `device`: whose expert schedules they are, as in "for h200". What is sought stays.
    void set_programs(const std::vector<ProgramEntry>& programs, const QString& device);
    void set_recent(const std::vector<RecentEntry>& recent);
    // However small it becomes, the window's panels go on having the room that they had.
    QSize minimumSizeHint() const override { return {200, 160}; }

signals:
    void openRequested(const QString& path);
    void openFileRequested(); // a file dialog
    void tutorialRequested();

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override; // of the field

private:
    QWidget* make_head();
    QWidget* make_search();
    QWidget* make_programs();
    QWidget* make_recent();
    void show_programs();
    void show_nothing_found(const QString& sought);
    void show_recent();
    void align_names();
    void bound_recent();
    void show_all();
    void restyle();

    std::vector<ProgramEntry> programs_;
    std::vector<RecentEntry> recent_;
    QString device_;
    QLabel *title_ = nullptr, *purpose_ = nullptr, *about_tutorial_ = nullptr;
    QLineEdit* search_ = nullptr;
    QLabel* found_ = nullptr;
    QStackedWidget* programs_part_ = nullptr; // the list, or why there is none
    LinkList* program_list_ = nullptr;
    EmptyState* nothing_ = nullptr;
    QWidget* recent_part_ = nullptr;
    QLabel* recent_title_ = nullptr;
    LinkList* recent_list_ = nullptr;
};

// The folder of a file, with "~" for the person's own: "~/pictures".
QString short_folder(const QString& path);

} // namespace loopscope::views
