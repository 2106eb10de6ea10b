// The help, opened at what the person is looking at.

#include "app/windows/main_window.h"
#include "app/windows/panel_tabs.h"

#include "compiler/protocol/paths.h"
#include "core/schedule/directive.h"
#include "views/widgets/help_view.h"
#include "views/widgets/script_editor.h"
#include "views/widgets/start_page.h"

#include <QApplication>
#include <QDockWidget>
#include <QShortcut>
#include <QVBoxLayout>

namespace loopscope::app {

namespace {

bool is_directive(const QString& word) {
    return !word.isEmpty() && create_directive(word.toStdString()) != nullptr;
}

} // namespace

// A directive's word under the cursor leads to that directive; a panel to its section; the start page to the tutorial.
void MainWindow::show_help() {
    auto* focus = QApplication::focusWidget();
    if (focus && (focus == script_ || script_->isAncestorOf(focus)))
        if (auto word = script_->word_at_cursor(); is_directive(word))
            return show_help_at(QStringLiteral("schedules"), word + "(");
    for (auto* dock : docks_)
        if (focus && dock->isAncestorOf(focus))
            return show_help_at(QStringLiteral("window"), panel_name(*dock));
    if (start_->isVisible())
        return show_help_at(QStringLiteral("tutorial"), {});
    show_help_at(QStringLiteral("window"), tr("Schedule tree"));
}

void MainWindow::show_help_at(const QString& page, const QString& word) {
    if (!help_) {
        help_ = new QWidget(this, Qt::Window);
        help_->setObjectName(QStringLiteral("help"));
        help_->setWindowTitle(tr("Help – Loopscope"));
        help_->resize(960, 720);
        help_view_ = new views::HelpView(
            QString::fromStdString(measure::resource_folder() + "/help"),
            {QStringLiteral("tutorial"), QStringLiteral("window"), QStringLiteral("pipelines"),
             QStringLiteral("schedules"), QStringLiteral("functions")},
            help_);
        auto* column = new QVBoxLayout(help_);
        column->setContentsMargins(0, 0, 0, 0);
        column->addWidget(help_view_);
        connect(new QShortcut(QKeySequence::Find, help_), &QShortcut::activated, help_view_,
                &views::HelpView::start_search);
        connect(new QShortcut(Qt::Key_Escape, help_), &QShortcut::activated, help_,
                &QWidget::close);
    }
    help_->show(); // before going to the place: only what is laid out can be scrolled to
    help_->raise();
    help_->activateWindow();
    QApplication::processEvents(QEventLoop::ExcludeUserInputEvents);
    if (!help_view_->show_place(page, word))
        say(tr("There is no help page “%1” in %2.")
                .arg(page, QString::fromStdString(measure::resource_folder() + "/help")),
            true);
}

} // namespace loopscope::app
