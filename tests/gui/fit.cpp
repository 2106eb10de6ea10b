#include "tests/gui/fit.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QMainWindow>
#include <QStackedWidget>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>

namespace loopscope::app::test {

namespace {

QString name_of(const QWidget& widget) {
    QStringList parts;
    for (const QWidget* w = &widget; w && parts.size() < 5; w = w->parentWidget())
        parts.prepend(QString::fromLatin1(w->metaObject()->className()).section(':', -1) +
                      (w->objectName().isEmpty() ? QString() : '#' + w->objectName()));
    return parts.join(" > ");
}

// Inside a scrolled area a widget may lie beyond the view.
bool is_scrolled(const QWidget& widget) {
    for (const QWidget* w = widget.parentWidget(); w; w = w->parentWidget())
        if (qobject_cast<const QAbstractScrollArea*>(w))
            return true;
    return false;
}

QString short_text(const QString& text) { return '"' + text.left(40) + '"'; }

void check_text(const QWidget& widget, QStringList& faults) {
    constexpr int kSlack = 1;       // rounding of font metrics
    constexpr int kTabPadding = 16; // at least, of both sides together: less of it cuts the text
    if (const auto* label = qobject_cast<const QLabel*>(&widget);
        label && !label->text().isEmpty()) {
        if (label->wordWrap() ? label->heightForWidth(label->width()) > label->height() + kSlack
                              : label->sizeHint().width() > label->width() + kSlack)
            faults << name_of(widget) + ": text does not fit: " + short_text(label->text());
    } else if (const auto* button = qobject_cast<const QAbstractButton*>(&widget);
               button && !button->text().isEmpty()) {
        if (button->fontMetrics().horizontalAdvance(button->text().remove('&')) >
                button->width() + kSlack ||
            button->fontMetrics().height() > button->height() + kSlack)
            faults << name_of(widget) + ": text does not fit: " + short_text(button->text());
    } else if (const auto* combo = qobject_cast<const QComboBox*>(&widget)) {
        // one that may be longer than any room says all of it where it is pointed at
        if (combo->fontMetrics().horizontalAdvance(combo->currentText()) + 20 > combo->width() &&
            combo->toolTip() != combo->currentText())
            faults << name_of(widget) +
                          ": choice does not fit: " + short_text(combo->currentText());
    } else if (const auto* tabs = qobject_cast<const QTabBar*>(&widget)) {
        for (int i = 0; i < tabs->count(); ++i)
            if (tabs->isTabVisible(i) &&
                (tabs->fontMetrics().horizontalAdvance(tabs->tabText(i)) + kTabPadding >
                     tabs->tabRect(i).width() ||
                 !tabs->rect().contains(tabs->tabRect(i))))
                faults << name_of(widget) + ": tab does not fit: " + short_text(tabs->tabText(i));
    }
}

void check_children(const QWidget& parent, QStringList& faults) {
    std::vector<const QWidget*> shown;
    for (const auto* child : parent.children())
        if (const auto* widget = qobject_cast<const QWidget*>(child);
            widget && widget->isVisible() && !widget->isWindow() && !widget->size().isEmpty())
            shown.push_back(widget);
    const bool overlays = qobject_cast<const QStackedWidget*>(&parent) ||
                          qobject_cast<const QAbstractScrollArea*>(&parent);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        // Panels behind another tab are kept outside the window.
        if (!parent.rect().intersects(shown[i]->geometry()))
            continue;
        if (!is_scrolled(*shown[i]) && !overlays &&
            !parent.rect().adjusted(-1, -1, 1, 1).contains(shown[i]->geometry()))
            faults << name_of(*shown[i]) + ": leaves its parent";
        for (std::size_t j = i + 1; j < shown.size() && !overlays; ++j)
            if (shown[i]->geometry().intersects(shown[j]->geometry()) &&
                parent.rect().intersects(shown[j]->geometry()))
                faults << name_of(*shown[i]) + " overlaps " + name_of(*shown[j]);
        check_text(*shown[i], faults);
        check_children(*shown[i], faults);
    }
}

} // namespace

QStringList faults_of(const QWidget& window) {
    QStringList faults;
    check_children(window, faults);
    return faults;
}

} // namespace loopscope::app::test
