#include "app/windows/command_palette.h"

#include "views/style/text_metrics.h"
#include "views/style/theme.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope::app {

using namespace views;

namespace {
// nobody reads more, and a program may have thousands of loops
constexpr std::size_t kMaxRows = 200;
} // namespace

CommandPalette::CommandPalette(const QString& title, const QString& placeholder, QWidget* parent)
    : QDialog(parent), search_(new QLineEdit(this)), list_(new QListWidget(this)) {
    setWindowTitle(title);
    setAttribute(Qt::WA_DeleteOnClose);
    resize(580, 420);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kGap, kGap, kGap, kGap);
    search_->setPlaceholderText(placeholder);
    search_->setAccessibleName(tr("Search for a command"));
    list_->setAccessibleName(title);
    list_->setObjectName(QStringLiteral("choices"));
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setTextElideMode(Qt::ElideRight);
    column->addWidget(search_);
    column->addWidget(list_);
    search_->installEventFilter(this);
    connect(search_, &QLineEdit::textChanged, this, [this] { filter(false); });
    connect(search_, &QLineEdit::returnPressed, this, &CommandPalette::run);
    connect(list_, &QListWidget::itemActivated, this, &CommandPalette::run);
}

void CommandPalette::add_entry(const QString& text, const QString& key, const QString& tooltip,
                               std::function<void()> run) {
    entries_.push_back({text, key, tooltip, std::move(run), nullptr, false});
}

void CommandPalette::add_actions(const QList<QMenu*>& menus) {
    for (auto* menu : menus)
        collect(menu, menu->title().remove('&'));
}

void CommandPalette::collect(QMenu* menu, const QString& path) {
    QMetaObject::invokeMethod(menu, "aboutToShow"); // those filled when shown are filled now
    for (auto* action : menu->actions()) {
        const auto name = action->text().remove('&').section('\t', 0, 0);
        if (action->menu()) {
            collect(action->menu(), path + QStringLiteral(" › ") + name);
        } else if (!action->isSeparator() && !name.isEmpty()) {
            auto key = action->shortcut().isEmpty() ? action->text().section('\t', 1)
                                                    : views::key_text(action->shortcut());
            entries_.push_back({path + QStringLiteral(" › ") + name, key, {}, {}, action, true});
            // Verdicts on directives come while the list is open.
            connect(action, &QAction::changed, this, [this] {
                if (refresh_pending_)
                    return;
                refresh_pending_ = true;
                QTimer::singleShot(0, this, [this] {
                    refresh_pending_ = false;
                    filter(true);
                });
            });
        }
    }
}

bool CommandPalette::available(const Entry& entry) const {
    return !entry.of_action || (entry.action && entry.action->isEnabled());
}

void CommandPalette::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    filter(false);
}

// Every word must occur, in any order. `keep`: the chosen row stays chosen.
void CommandPalette::filter(bool keep) {
    const auto words = search_->text().split(' ', Qt::SkipEmptyParts);
    const auto chosen = list_->currentRow();
    const auto before = keep && chosen >= 0 && chosen < static_cast<int>(shown_.size())
                            ? shown_[static_cast<std::size_t>(chosen)]
                            : entries_.size();
    list_->clear();
    shown_.clear();
    int current = -1;
    for (std::size_t i = 0; i < entries_.size() && shown_.size() < kMaxRows; ++i) {
        const Entry& entry = entries_[i];
        const bool all = std::all_of(words.begin(), words.end(), [&](const QString& word) {
            return entry.text.contains(word, Qt::CaseInsensitive);
        });
        if (!all)
            continue;
        const bool can = available(entry);
        const QString tip = entry.action ? entry.action->toolTip() : entry.tooltip;
        QString text = entry.text;
        if (!entry.key.isEmpty())
            text += QStringLiteral("   ") + entry.key;
        // A tip that says no more than the name and the key is said already.
        const bool says_more =
            !tip.isEmpty() && !tip.startsWith(entry.text.section(u'›', -1).trimmed());
        if (!can && says_more)
            text += QStringLiteral(" — ") + tip;
        else if (!entry.of_action && says_more)
            text += QStringLiteral("   ") + tip;
        auto* row = new QListWidgetItem(text, list_);
        row->setToolTip(tip);
        row->setSizeHint({0, std::max(kRowHeight, list_->fontMetrics().height() + 8)});
        if (!can)
            row->setFlags(Qt::NoItemFlags);
        shown_.push_back(i);
        if (can && (current < 0 || i == before))
            current = list_->count() - 1;
    }
    list_->setCurrentRow(current);
}

void CommandPalette::run() {
    const int row = list_->currentRow();
    if (row < 0 || row >= static_cast<int>(shown_.size()))
        return;
    const Entry entry = entries_[shown_[static_cast<std::size_t>(row)]];
    if (!available(entry))
        return;
    accept();
    if (entry.action)
        entry.action->trigger();
    else if (entry.run)
        entry.run();
}

// Arrows move in the list while the search has the keyboard.
bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        const int step = key->key() == Qt::Key_Down ? 1 : key->key() == Qt::Key_Up ? -1 : 0;
        if (step != 0) {
            int row = list_->currentRow() + step;
            while (row >= 0 && row < list_->count() &&
                   !(list_->item(row)->flags() & Qt::ItemIsEnabled))
                row += step;
            if (row >= 0 && row < list_->count())
                list_->setCurrentRow(row);
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace loopscope::app
