#include "app/windows/preferences_dialog.h"

#include "app/windows/notice_bar.h"
#include "app/windows/services.h"
#include "app/windows/translations.h"
#include "compiler/protocol/paths.h"
#include "compiler/remote/known_places.h"
#include "views/widgets/path_field.h"

#include <QComboBox>
#include <QDesktopServices>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QUrl>
#include <QVBoxLayout>

namespace loopscope::app {

using views::to_qstring;

namespace {

class PreferencesDialog : public QDialog {
    Q_DECLARE_TR_FUNCTIONS(loopscope::app::PreferencesDialog)
public:
    PreferencesDialog(Preferences& preferences, QWidget* parent);

private:
    void make_controls();
    template <typename Field> Field* row(const QString& text, Field* field, const QString& tip);
    QSpinBox* points(const QString& text, const QString& as_usual, const QString& tip);
    QComboBox* choice(const QString& text, const QStringList& choices, const QString& tip);
    // A path, which can be copied, and a button that opens what is there.
    void path(const QString& text, const std::string& path, const QString& none);
    void show_values();
    void take_values() const;

    Preferences& preferences_;
    QFormLayout* form_;
    QSpinBox *text_, *code_;
    QComboBox *theme_, *language_, *times_, *memory_;
    QDoubleSpinBox* seconds_;
};

PreferencesDialog::PreferencesDialog(Preferences& preferences, QWidget* parent)
    : QDialog(parent), preferences_(preferences), form_(new QFormLayout) {
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(QStringLiteral("preferences"));
    setWindowTitle(tr("Preferences"));
    make_controls();
    path(tr("C&aches"), measure::cache_folder(), tr("Nothing has been kept yet"));
    path(tr("&Remote GPUs"), remote::places_file(), tr("No remote GPU has been added yet"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto* reset = buttons->addButton(tr("Reset to &defaults"), QDialogButtonBox::ResetRole);
    reset->setToolTip(tr("All preferences as they were at first; panels stay where they are"));
    connect(reset, &QPushButton::clicked, this, [this] {
        preferences_.set({});
        show_values();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addLayout(form_);
    column->addStretch();
    column->addWidget(buttons);
    show_values();
    text_->setFocus();
}

void PreferencesDialog::make_controls() {
    text_ = points(tr("&Text size"), tr("the system's"), tr("Of all that the window says"));
    code_ = points(tr("C&ode size"), tr("as the text"), tr("Of scripts, programs and source"));
    theme_ = choice(tr("T&heme"), {tr("The system's"), tr("Light"), tr("Dark")},
                    tr("The system's is followed also when it changes"));
    language_ = choice(tr("&Language"), {tr("The system's")},
                       tr("From the next start on; the help and what the compiler says are in "
                          "English"));
    {
        const QSignalBlocker quiet(language_);
        for (const auto& language : languages())
            language_->addItem(language.name, language.code);
    }
    times_ = choice(tr("T&imes"), {tr("In the unit that fits"), tr("In ms"), tr("In µs")},
                    tr("In which unit times are written"));
    memory_ =
        choice(tr("&Memory"),
               {tr("Caches in KiB, the rest in KB"), tr("In KB, MB, GB"), tr("In KiB, MiB, GiB")},
               tr("1 KB is 1000 bytes, 1 KiB is 1024"));
    seconds_ = row(tr("Time for a mea&surement"), new QDoubleSpinBox(this),
                   tr("How long a schedule is timed, with a warm cache or a cold one; longer "
                      "gives a narrower interval"));
    seconds_->setRange(kLeastSeconds, kMostSeconds);
    seconds_->setDecimals(1);
    seconds_->setSuffix(tr(" s"));
    seconds_->setKeyboardTracking(false);
    connect(seconds_, &QDoubleSpinBox::valueChanged, this, [this] { take_values(); });
}

template <typename Field>
Field* PreferencesDialog::row(const QString& text, Field* field, const QString& tip) {
    form_->addRow(text, field);
    field->setAccessibleName(QString(text).remove('&'));
    field->setToolTip(tip);
    return field;
}

QSpinBox* PreferencesDialog::points(const QString& text, const QString& as_usual,
                                    const QString& tip) {
    auto* field = row(text, new QSpinBox(this), tip);
    field->setRange(kLeastPoints - 1, kMostPoints);
    field->setSpecialValueText(as_usual);
    field->setSuffix(tr(" pt"));
    field->setKeyboardTracking(false); // 1 is on the way to 14
    connect(field, &QSpinBox::valueChanged, this, [this] { take_values(); });
    return field;
}

QComboBox* PreferencesDialog::choice(const QString& text, const QStringList& choices,
                                     const QString& tip) {
    auto* field = row(text, new QComboBox(this), tip);
    field->addItems(choices);
    connect(field, &QComboBox::currentIndexChanged, this, [this] { take_values(); });
    return field;
}

void PreferencesDialog::path(const QString& text, const std::string& path, const QString& none) {
    const auto shown = to_qstring(path);
    auto* field = new views::PathField(shown, this);
    field->setAccessibleName(QString(text).remove('&'));
    auto* open = new QPushButton(tr("Open"), this);
    open->setAccessibleName(tr("Open: %1").arg(field->accessibleName()));
    open->setAutoDefault(false);
    const bool there = !shown.isEmpty() && QFileInfo::exists(shown);
    open->setEnabled(there);
    open->setToolTip(there ? tr("Opens it in the desktop's own program") : none);
    connect(open, &QPushButton::clicked, this,
            [shown] { QDesktopServices::openUrl(QUrl::fromLocalFile(shown)); });
    auto* line = new QHBoxLayout;
    line->addWidget(field, 1);
    line->addWidget(open);
    auto* label = new QLabel(text, this);
    label->setBuddy(field);
    form_->addRow(label, line);
}

void PreferencesDialog::show_values() {
    const auto& now = preferences_.now();
    const QSignalBlocker quiet[] = {QSignalBlocker(text_),   QSignalBlocker(code_),
                                    QSignalBlocker(theme_),  QSignalBlocker(language_),
                                    QSignalBlocker(times_),  QSignalBlocker(memory_),
                                    QSignalBlocker(seconds_)};
    text_->setValue(now.text_points);
    code_->setValue(now.code_points);
    theme_->setCurrentIndex(static_cast<int>(now.theme));
    language_->setCurrentIndex(std::max(0, language_->findData(now.language)));
    times_->setCurrentIndex(static_cast<int>(now.units.times));
    memory_->setCurrentIndex(static_cast<int>(now.units.memory));
    seconds_->setValue(now.measure_seconds);
}

void PreferencesDialog::take_values() const {
    const auto set_points = [](const QSpinBox& field) {
        return field.value() < kLeastPoints ? 0 : field.value();
    };
    preferences_.set({.text_points = set_points(*text_),
                      .code_points = set_points(*code_),
                      .theme = static_cast<ThemeChoice>(theme_->currentIndex()),
                      .language = language_->currentData().toString(),
                      .units = {static_cast<views::TimeUnit>(times_->currentIndex()),
                                static_cast<views::MemoryUnit>(memory_->currentIndex())},
                      .measure_seconds = seconds_->value()});
}

} // namespace

void show_preferences(Services& services) {
    (new PreferencesDialog(services.preferences, &services.parts.window))->open();
}

void tell_faults(Services& services) {
    const auto& faults = services.preferences.faults();
    if (faults.isEmpty())
        return;
    services.parts.notice.offer(
        QObject::tr("The settings cannot all be used, and defaults stand in their place. ") +
            faults.join(QStringLiteral("; ")),
        QObject::tr("Preferences…"), [&services] { show_preferences(services); }, [] {});
}

} // namespace loopscope::app
