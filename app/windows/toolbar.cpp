#include "app/windows/toolbar.h"

#include "app/windows/device_box.h"
#include "app/windows/menus.h"
#include "app/windows/services.h"
#include "views/style/theme.h"

#include <QAction>
#include <QLabel>
#include <QToolButton>

namespace loopscope::app {

MainToolBar::MainToolBar(Services& services, const ShownCommands& commands, QWidget& window)
    : QToolBar(tr("Main"), &window), services_(services), name_(new QLabel(this)) {
    setObjectName(QStringLiteral("toolbar"));
    setMovable(false);
    setContextMenuPolicy(Qt::PreventContextMenu);
    name_->setAccessibleName(tr("Open document"));
    name_->setContentsMargins(views::kGap, 0, views::kGap, 0);
    addWidget(name_);
    addWidget(new DeviceBox(services.session, services.editing, services.files, this));
    auto* gap = new QWidget(this);
    gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    addWidget(gap);
    add_buttons(commands);
    connect(&services.session, &session::Session::opened, this, &MainToolBar::show_name);
    show_name();
}

void MainToolBar::add_buttons(const ShownCommands& commands) {
    const std::pair<QAction*, QString> buttons[] = {{commands.undo, QStringLiteral("↶")},
                                                    {commands.redo, QStringLiteral("↷")},
                                                    {commands.pin, tr("Pin baseline")},
                                                    {commands.check, tr("Check")},
                                                    {commands.measure, tr("Measure (Space)")}};
    for (const auto& [action, text] : buttons) {
        action->setIconText(text);
        addAction(action);
        auto* button = qobject_cast<QToolButton*>(widgetForAction(action));
        button->setAccessibleName(action->text().remove('&'));
        button->setFocusPolicy(Qt::TabFocus);
        if (action == commands.measure)
            button->setObjectName(QStringLiteral("primary"));
    }
}

void MainToolBar::show_name() {
    const auto& session = services_.session;
    const QString unsaved =
        session.is_open() && session.untitled() ? tr(" · not saved yet") : QString();
    auto text_with = [&](const QString& state) {
        return session.is_open()
                   ? QStringLiteral("<b>Loopscope</b>&nbsp;&nbsp; <span style='color:%3'>%1%2"
                                    "</span>")
                         .arg(session.title().toHtmlEscaped(), state,
                              views::theme_of(*this).faint.name())
                   : QStringLiteral("<b>Loopscope</b>");
    };
    QLabel whole(text_with(unsaved));
    whole.setFont(name_->font());
    whole.setContentsMargins(name_->contentsMargins());
    // The buttons come first.
    const int others = sizeHint().width() - name_->sizeHint().width();
    const bool fits = others + whole.sizeHint().width() <= width();
    const QString text = fits ? whole.text() : text_with({});
    if (name_->text() != text)
        name_->setText(text);
    name_->setToolTip(session.is_open() ? session.title() + unsaved : QString());
}

bool MainToolBar::event(QEvent* event) {
    const bool handled = QToolBar::event(event);
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Resize)
        show_name(); // the list of devices may take more room than before
    return handled;
}

} // namespace loopscope::app
