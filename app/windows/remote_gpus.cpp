#include "app/windows/remote_gpus.h"

#include "app/session/session.h"
#include "compiler/remote/known_places.h"
#include "views/models/snapshots.h"
#include "views/style/theme.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope::app {

using views::to_qstring;

namespace {

constexpr int kLetters = 75; // of a line

// What an error says, and what can be done about it, as a person reads it.
QString text_of(const Diagnostics& errors) {
    if (errors.empty())
        return {};
    const auto& first = errors.front();
    auto text = to_qstring(first.message);
    if (!first.remedy.empty())
        text += QStringLiteral(".\n") + to_qstring(first.remedy);
    return text;
}

QLabel* words(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    return label;
}

} // namespace

RemoteGpus::RemoteGpus(session::Session& session, QWidget* parent)
    : QDialog(parent), session_(session), gpus_(session.gpus_elsewhere()) {
    setWindowTitle(tr("Remote GPUs"));
    setMinimumWidth(kLetters * fontMetrics().averageCharWidth());
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(words(tr("A GPU in another machine is used through ssh, many of a cluster "
                               "through Slurm. Nothing has to be installed there: a small program "
                               "is copied once."),
                            this));
    auto* form = new QFormLayout;
    place_ = new QLineEdit(this);
    place_->setPlaceholderText(QStringLiteral("ssh:gpu1"));
    place_->setAccessibleName(tr("Place"));
    try_ = new QPushButton(tr("Try it"), this);
    auto* line = new QHBoxLayout;
    line->addWidget(place_);
    line->addWidget(try_);
    form->addRow(tr("Place"), line);
    layout->addLayout(form);
    auto* forms = words(tr("ssh:HOST, as ssh takes it: an alias of ~/.ssh/config or USER@HOST. "
                           "slurm:PARTITION for this machine's cluster, "
                           "slurm:PARTITION,ssh:LOGIN for another's."),
                        this);
    views::set_text_colour(*forms, views::theme_of(*this).faint);
    layout->addWidget(forms);
    progress_ = new QProgressBar(this);
    progress_->setRange(0, 0); // how long ssh or a queue takes nobody knows
    progress_->setTextVisible(false);
    auto keeps = progress_->sizePolicy();
    keeps.setRetainSizeWhenHidden(true);
    progress_->setSizePolicy(keeps);
    progress_->hide();
    answer_ = words({}, this);
    answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    answer_->setMinimumHeight(3 * fontMetrics().lineSpacing());
    answer_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    layout->addWidget(progress_);
    layout->addWidget(answer_);
    layout->addWidget(new QLabel(tr("Added"), this));
    places_ = new QListWidget(this);
    places_->setAccessibleName(tr("Remote GPUs that were added"));
    places_->setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);
    places_->setMinimumHeight(3 * fontMetrics().lineSpacing());
    layout->addWidget(places_, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    add_ = buttons->addButton(tr("Add"), QDialogButtonBox::ActionRole);
    remove_ = buttons->addButton(tr("Remove"), QDialogButtonBox::ActionRole);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(place_, &QLineEdit::textEdited, this, &RemoteGpus::typed);
    connect(try_, &QPushButton::clicked, this, &RemoteGpus::try_it);
    connect(add_, &QPushButton::clicked, this, &RemoteGpus::add);
    connect(remove_, &QPushButton::clicked, this, &RemoteGpus::remove);
    connect(places_, &QListWidget::currentRowChanged, this,
            [this](int row) { remove_->setEnabled(row >= 0 && !gpus_.places().empty()); });
    connect(&gpus_, &session::GpusElsewhere::tried, this, &RemoteGpus::take);
    connect(&gpus_, &session::GpusElsewhere::progress, this, [this](const QString& text) {
        if (gpus_.trying())
            say(text, false);
    });
    connect(&gpus_, &session::GpusElsewhere::changed, this, &RemoteGpus::fill);
    connect(this, &QDialog::finished, this, [this] { gpus_.cancel(); });
    try_->setDefault(true);
    fill();
    typed();
    // Lines are broken for this width, of which the hint knows nothing.
    const int height = layout->totalHeightForWidth(minimumWidth());
    resize(minimumWidth(), height - places_->sizeHint().height() + 6 * fontMetrics().lineSpacing());
    if (!gpus_.errors().empty())
        say(text_of(gpus_.errors()), true);
}

// What was tried was another place.
void RemoteGpus::typed() {
    gpus_.cancel();
    progress_->hide();
    try_->setEnabled(!place_->text().trimmed().isEmpty());
    add_->setEnabled(false);
    try_->setDefault(true);
    say({}, false);
}

void RemoteGpus::try_it() {
    // A name alone is one that ssh takes.
    if (const auto name = place_->text().trimmed(); !name.contains(':'))
        place_->setText(QStringLiteral("ssh:") + name);
    auto place = remote::read_place(place_->text().trimmed().toStdString());
    if (!place)
        return say(text_of(place.errors()), true);
    target_ = to_qstring(place->text());
    place->gpu = 0; // all that the machine has are added
    add_->setEnabled(false);
    progress_->show();
    say(tr("Connecting"), false);
    gpus_.try_place(*place);
}

void RemoteGpus::take(const std::vector<session::DevicePtr>& gpus, const Diagnostics& errors) {
    progress_->hide();
    if (gpus.empty()) {
        say(errors.empty() ? tr("No GPU is there") : text_of(errors), true);
        return;
    }
    QStringList lines;
    for (const auto& gpu : gpus)
        lines +=
            QStringLiteral("%1: %2").arg(to_qstring(gpu->target), to_qstring(gpu->description));
    say(tr("It answers:") + QStringLiteral("\n") + lines.join('\n'), false);
    if (std::none_of(gpus.begin(), gpus.end(),
                     [&](const auto& gpu) { return to_qstring(gpu->target) == target_; }))
        target_ = to_qstring(gpus.front()->target);
    add_->setEnabled(true);
    add_->setDefault(true);
    add_->setFocus();
}

void RemoteGpus::add() {
    if (auto done = gpus_.add(); !done)
        return say(text_of(done.errors()), true);
    emit added(target_);
    place_->clear();
    typed();
    say(tr("Added, and chosen in the list of devices"), false);
}

void RemoteGpus::remove() {
    const auto row = places_->currentRow();
    if (row < 0 || row >= static_cast<int>(gpus_.places().size()))
        return;
    const auto place = gpus_.places()[static_cast<std::size_t>(row)]; // the list changes
    if (auto done = gpus_.remove(place); !done)
        say(text_of(done.errors()), true);
}

void RemoteGpus::fill() {
    places_->clear();
    for (const auto& place : gpus_.places()) {
        const auto gpus = remote::kept_gpus(place);
        places_->addItem(
            gpus.size() == 1
                ? tr("%1 · 1 GPU").arg(to_qstring(place.machine()))
                : tr("%1 · %2 GPUs").arg(to_qstring(place.machine())).arg(gpus.size()));
    }
    if (gpus_.places().empty()) {
        places_->addItem(tr("none yet"));
        places_->item(0)->setFlags(Qt::NoItemFlags);
    }
    remove_->setEnabled(false);
}

void RemoteGpus::say(const QString& text, bool wrong) {
    answer_->setText(text);
    const auto& theme = views::theme_of(*this);
    views::set_text_colour(*answer_, wrong ? theme.error : theme.text);
}

} // namespace loopscope::app
