#include "app/windows/help_window.h"

#include "app/windows/messages.h"
#include "compiler/protocol/paths.h"
#include "views/widgets/help_view.h"

#include <QApplication>
#include <QShortcut>
#include <QVBoxLayout>

namespace loopscope::app {

namespace {
QString help_folder() { return QString::fromStdString(measure::resource_folder() + "/help"); }
} // namespace

void HelpWindow::make_window() {
    window_ = new QWidget(&parent_, Qt::Window);
    window_->setObjectName(QStringLiteral("help"));
    window_->setWindowTitle(tr("Help – Loopscope"));
    window_->resize(960, 720);
    view_ = new views::HelpView(help_folder(),
                                {QStringLiteral("tutorial"), QStringLiteral("window"),
                                 QStringLiteral("pipelines"), QStringLiteral("schedules"),
                                 QStringLiteral("functions")},
                                window_);
    auto* column = new QVBoxLayout(window_);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(view_);
    QObject::connect(new QShortcut(QKeySequence::Find, window_), &QShortcut::activated, view_,
                     &views::HelpView::start_search);
    QObject::connect(new QShortcut(Qt::Key_Escape, window_), &QShortcut::activated, window_,
                     &QWidget::close);
}

void HelpWindow::show(const HelpPlace& place) {
    if (!window_)
        make_window();
    window_->show(); // before going to the place: only what is laid out can be scrolled to
    window_->raise();
    window_->activateWindow();
    QApplication::processEvents(QEventLoop::ExcludeUserInputEvents);
    if (!view_->show_place(place.page, place.word))
        messages_.say(tr("There is no help page “%1” in %2.").arg(place.page, help_folder()), true);
}

} // namespace loopscope::app
