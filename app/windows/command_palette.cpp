#include "app/windows/command_palette.h"

#include "views/style/theme.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPointer>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope::app {

using namespace views;

CommandPalette::CommandPalette(const QList<QMenu*>& menus, QWidget* parent)
    : QDialog(parent), search_(new QLineEdit(this)), list_(new QListWidget(this)) {
    setWindowTitle(tr("Commands"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(520, 420);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kGap, kGap, kGap, kGap);
    search_->setPlaceholderText(tr("What to do: some of its words"));
    search_->setAccessibleName(tr("Search for a command"));
    list_->setAccessibleName(tr("Commands"));
    column->addWidget(search_);
    column->addWidget(list_);
    for (auto* menu : menus)
        collect(menu, menu->title().remove('&'));
    search_->installEventFilter(this);
    connect(search_, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(search_, &QLineEdit::returnPressed, this, &CommandPalette::run);
    connect(list_, &QListWidget::itemActivated, this, &CommandPalette::run);
    filter({});
}

void CommandPalette::collect(QMenu* menu, const QString& path) {
    QMetaObject::invokeMethod(menu, "aboutToShow"); // those filled when shown are filled now
    for (auto* action : menu->actions()) {
        const auto name = action->text().remove('&').section('\t', 0, 0);
        if (action->menu()) {
            collect(action->menu(), path + QStringLiteral(" › ") + name);
        } else if (!action->isSeparator() && action->isEnabled() && !name.isEmpty()) {
            auto key = action->shortcut().isEmpty()
                           ? action->text().section('\t', 1)
                           : action->shortcut().toString(QKeySequence::NativeText);
            auto* row =
                new QListWidgetItem(path + QStringLiteral(" › ") + name +
                                        (key.isEmpty() ? QString() : QStringLiteral("   ") + key),
                                    list_);
            row->setToolTip(action->toolTip());
            actions_ << action;
        }
    }
}

// Every word must occur, in any order.
void CommandPalette::filter(const QString& text) {
    const auto words = text.split(' ', Qt::SkipEmptyParts);
    int first = -1;
    for (int row = 0; row < list_->count(); ++row) {
        const auto name = list_->item(row)->text();
        const bool all = std::all_of(words.begin(), words.end(), [&](const QString& word) {
            return name.contains(word, Qt::CaseInsensitive);
        });
        list_->item(row)->setHidden(!all);
        if (all && first < 0)
            first = row;
    }
    list_->setCurrentRow(first);
}

void CommandPalette::run() {
    const int row = list_->currentRow();
    if (row < 0 || list_->item(row)->isHidden())
        return;
    QPointer<QAction> action = actions_[row];
    accept();
    if (action)
        action->trigger();
}

// Arrows move in the list while the search has the keyboard.
bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        const int step = key->key() == Qt::Key_Down ? 1 : key->key() == Qt::Key_Up ? -1 : 0;
        if (step != 0) {
            int row = list_->currentRow() + step;
            while (row >= 0 && row < list_->count() && list_->item(row)->isHidden())
                row += step;
            if (row >= 0 && row < list_->count())
                list_->setCurrentRow(row);
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace loopscope::app
